import { html, nothing, type TemplateResult } from 'lit';
import { estimatedTokens } from '../../../base/tokenEstimate.ts';
import type { ContextView, SentFileView } from '../../../protocol/chatContext.ts';
import type { MissingView } from '../../../protocol/chatTurn.ts';
import { renderText } from '../../markdown/dom.ts';
import { repeat } from '../../parts/repeat.ts';
import { t } from '../../words/l10n.ts';
import { describeContext, formatSize } from '../../words/sizeWords.ts';
import { countUtf8Bytes } from './longPaste.ts';

/** Renders the code that is sent with the next question. Each chip can be opened and removed. */
export function renderContextChips(context: readonly ContextView[]): TemplateResult | typeof nothing {
  if (context.length === 0) return nothing;
  return html`
    <ul class="chips draft" aria-label=${t('Context')} @keydown=${removeOnDelete}>
      ${repeat(context, ({ id }) => id, renderContextChip)}
    </ul>
    <div class="chips-sum">${describeContext(context)}</div>
  `;
}

/** Renders the code that was sent with a question. A click on a chip shows the code as it was sent. */
export function renderQuestionFileChips(
  files: readonly SentFileView[] = [],
): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Context')}>
      ${files.map(
        ({ name, size }, index) => html`
          <li class="chip">
            <button type="button" class="chip-name" title=${t('Show as It Was Sent: {0}', name)} data-action="open-sent-file" data-index=${index}>
              ${renderIcon('file')} ${renderName(name)}
              <span class="chip-size">${formatSize(size)}</span>
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

/** Renders the long texts that are sent with an edited question. */
export function renderPastedChips<Text extends { readonly name: string; readonly text: string }>(
  texts: readonly Text[],
  remove: (text: Text) => void,
): TemplateResult | typeof nothing {
  if (texts.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Pasted text')} @keydown=${removeOnDelete}>
      ${texts.map(
        (each) => html`
          <li class="chip">
            <span class="chip-name">
              ${renderIcon('file-text')} ${renderName(each.name)}
              <span class="chip-size">${formatSize({ bytes: countUtf8Bytes(each.text), tokens: estimatedTokens(each.text) })}</span>
            </span>
            <button type="button" class="icon-button" title=${t('Remove')} aria-label=${t('Remove {0}', each.name)} data-remove @click=${() => remove(each)}>
              ${renderIcon('close')}
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

/** Renders the parts of a question or a reply that are no longer available. */
export function renderMissingChips(missing: readonly MissingView[] = []): TemplateResult | typeof nothing {
  if (missing.length === 0) return nothing;
  return html`
    <ul class="chips" aria-label=${t('Missing attachments')}>
      ${missing.map(
        ({ name, reason }) => html`
          <li class="chip with-notice">
            <span class="chip-name" title=${`${name} · ${missingReasons[reason]}`}>
              ${renderIcon('error')} ${renderName(name)}
              <span class="chip-size">${missingReasons[reason]}</span>
            </span>
          </li>
        `,
      )}
    </ul>
  `;
}

const missingReasons = {
  notOnDisk: t('no longer on the disk'),
  notImported: t('not part of the import'),
} as const satisfies Record<MissingView['reason'], string>;

function renderContextChip({
  id,
  name,
  icon: kind,
  size,
  isChanged,
  isText,
  problem,
}: ContextView): TemplateResult {
  const state = problem ?? (isChanged ? t('changed since it was added') : undefined);
  const details = [size ? formatSize(size) : undefined, state]
    .filter((each) => each !== undefined)
    .join(' · ');
  const iconName = problem === undefined ? (isChanged ? 'warning' : kind) : 'error';
  return html`
    <li class="chip ${state === undefined ? '' : 'with-notice'}" data-id=${id}>
      <button type="button" class="chip-name" title=${`${name} · ${details}`} data-action="open-context" data-id=${id}>
        ${renderIcon(iconName)} ${renderName(name)}
        <span class="chip-size">${details}</span>
      </button>
      ${isText ? renderInsertButton(id, name) : nothing}
      <button type="button" class="icon-button" title=${t('Remove')} aria-label=${t('Remove {0}', name)} data-action="remove-context" data-id=${id}>
        ${renderIcon('close')}
      </button>
    </li>
  `;
}

/** Renders the button that moves a text without a file into the message box, where it can be edited. */
function renderInsertButton(id: string, name: string): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${t('Insert into Message Box')} aria-label=${t('Insert {0} into Message Box', name)} data-action="insert-context" data-id=${id}>
      ${renderIcon('edit')}
    </button>
  `;
}

/** Renders a name. If there is not enough room, the folders are cut off before the file and its lines. */
function renderName(name: string): TemplateResult {
  const symbol = name.lastIndexOf(' (');
  const fileStart = name.lastIndexOf('/', symbol === -1 ? undefined : symbol) + 1;
  return html`
    <span class="chip-label"><span class="chip-folder">${renderText(name.slice(0, fileStart))}</span><span class="chip-file">${renderText(name.slice(fileStart))}</span></span>
  `;
}

function renderIcon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

/** Removes the focused chip on Delete or Backspace. */
function removeOnDelete(event: KeyboardEvent): void {
  if (event.key !== 'Delete' && event.key !== 'Backspace') return;
  const chip = event.target instanceof Element ? event.target.closest('.chip') : null;
  event.preventDefault();
  chip?.querySelector<HTMLElement>('[data-action=remove-context], [data-remove]')?.click();
}
