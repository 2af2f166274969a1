import { html, nothing, type TemplateResult } from 'lit';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import type { ContextView, SentFileView } from '../../../protocol/chatContext.ts';
import type { MissingView } from '../../../protocol/chatTurn.ts';
import { repeat } from '../../parts/repeat.ts';
import { shownText } from '../../parts/shownText.ts';
import { t } from '../../words/l10n.ts';
import { contextSum, sizeWords } from '../../words/sizeWords.ts';
import { utf8Length } from './longPaste.ts';

/** The code that is sent with the next question. Each chip can be opened and removed. */
export function contextChips(context: readonly ContextView[]): TemplateResult | typeof nothing {
  if (context.length === 0) return nothing;
  return html`
    <ul class="chips draft" aria-label=${t('Context')} @keydown=${onKey}>
      ${repeat(context, ({ id }) => id, contextChip)}
    </ul>
    <div class="chips-sum">${contextSum(context)}</div>
  `;
}

/** The code that was sent with a question. Each chip shows it as it was sent. */
export function questionFileChips(files: readonly SentFileView[] = []): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Context')}>
      ${files.map(
        ({ name, size }, index) => html`
          <li class="chip">
            <button type="button" class="chip-name" title=${t('Show as It Was Sent: {0}', name)} data-action="open-sent-file" data-index=${index}>
              ${icon('file')} ${nameView(name)}
              <span class="chip-size">${sizeWords(size)}</span>
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

/** Long texts that are sent with an edited question. */
export function pastedChips<Text extends { readonly name: string; readonly text: string }>(
  texts: readonly Text[],
  remove: (text: Text) => void,
): TemplateResult | typeof nothing {
  if (texts.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Pasted text')} @keydown=${onKey}>
      ${texts.map(
        (each) => html`
          <li class="chip">
            <span class="chip-name">
              ${icon('file-text')} ${nameView(each.name)}
              <span class="chip-size">${sizeWords({ bytes: utf8Length(each.text), tokens: estimatedTokens(each.text) })}</span>
            </span>
            <button type="button" class="icon-button" title=${t('Remove')} aria-label=${t('Remove {0}', each.name)} data-remove @click=${() => remove(each)}>
              ${icon('close')}
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

/** Parts of a question or a reply that are no longer available. */
export function missingChips(missing: readonly MissingView[] = []): TemplateResult | typeof nothing {
  if (missing.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Missing attachments')}>
      ${missing.map(
        ({ name, reason }) => html`
          <li class="chip with-notice">
            <span class="chip-name" title=${`${name} · ${missingWords[reason]}`}>
              ${icon('error')} ${nameView(name)}
              <span class="chip-size">${missingWords[reason]}</span>
            </span>
          </li>
        `,
      )}
    </ul>
  `;
}

const missingWords = {
  notOnDisk: t('no longer on the disk'),
  notImported: t('not part of the import'),
} as const satisfies Record<MissingView['reason'], string>;

function contextChip({
  id,
  name,
  icon: kind,
  size,
  isChanged,
  isText,
  problem,
}: ContextView): TemplateResult {
  const state = problem === undefined ? (isChanged ? t('changed since it was added') : undefined) : problem;
  const words = [size ? sizeWords(size) : undefined, state].filter((each) => each !== undefined).join(' · ');
  const iconName = problem === undefined ? (isChanged ? 'warning' : kind) : 'error';
  return html`
    <li class="chip ${state === undefined ? '' : 'with-notice'}" data-id=${id}>
      <button type="button" class="chip-name" title=${`${name} · ${words}`} data-action="open-context" data-id=${id}>
        ${icon(iconName)} ${nameView(name)}
        <span class="chip-size">${words}</span>
      </button>
      ${isText ? writeButton(id, name) : nothing}
      <button type="button" class="icon-button" title=${t('Remove')} aria-label=${t('Remove {0}', name)} data-action="remove-context" data-id=${id}>
        ${icon('close')}
      </button>
    </li>
  `;
}

/** A button for a text without a file, which can be edited only in the message box. */
function writeButton(id: string, name: string): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${t('Insert into Message Box')} aria-label=${t('Insert {0} into Message Box', name)} data-action="insert-context" data-id=${id}>
      ${icon('edit')}
    </button>
  `;
}

/** The name of a file and its lines stay visible if there is no room for its folders. */
function nameView(name: string): TemplateResult {
  const symbol = name.lastIndexOf(' (');
  const fileStart = name.lastIndexOf('/', symbol === -1 ? undefined : symbol) + 1;
  return html`
    <span class="chip-label"><span class="chip-folder">${shownText(name.slice(0, fileStart))}</span><span class="chip-file">${shownText(name.slice(fileStart))}</span></span>
  `;
}

function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

/** Delete on a chip removes it, as its button does. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Delete' && event.key !== 'Backspace') return;
  const chip = event.target instanceof Element ? event.target.closest('.chip') : null;
  event.preventDefault();
  chip?.querySelector<HTMLElement>('[data-action=remove-context], [data-remove]')?.click();
}
