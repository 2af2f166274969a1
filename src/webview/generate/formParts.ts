import { html, nothing, type TemplateResult } from 'lit';
import type { FormProblem } from '../../protocol/generatePage.ts';
import { t } from '../words/l10n.ts';

export const moreFieldsId = 'more-fields';
export const priceId = 'generate-price';

/** A line above the form. */
export function remarkView(remark: string): TemplateResult {
  return html`
    <p class="form-remark">
      <span class="codicon codicon-info" aria-hidden="true"></span><span>${remark}</span>
    </p>
  `;
}

/** The problems that belong to no field on the page. */
export function problemList(problems: readonly FormProblem[]): TemplateResult | typeof nothing {
  if (problems.length === 0) return nothing;
  return html`
    <ul class="form-problems" aria-label=${t('Problems')}>
      ${problems.map(
        ({ path, problem }) => html`
          <li class="form-problem">
            <span class="codicon codicon-error" aria-hidden="true"></span>
            <span>${path.length === 0 ? nothing : html`<code>${path.join('.')}</code>: `}${problem}</span>
          </li>
        `,
      )}
    </ul>
  `;
}

/**
 * The button that sends the requests.
 *
 * @param obstacle why nothing can be generated now
 */
export function generateButton(
  count: number,
  obstacle: string | undefined,
  isSending: boolean,
  onClick: (event: MouseEvent) => void,
): TemplateResult {
  const reason = obstacle ?? t('Generate ({0}+Enter in the prompt)', commandKey);
  return html`
    <button type="button" class="button generate" title=${reason} aria-describedby=${priceId} aria-disabled=${obstacle !== undefined} @click=${onClick} @keydown=${stopRepeats}>
      <span class="codicon codicon-${isSending ? 'loading codicon-modifier-spin' : 'sparkle'}" aria-hidden="true"></span>
      ${count === 1 ? t('Generate') : t('Generate {0}', count)}
    </button>
  `;
}

/**
 * The buttons for everything that has no place in the first glance at the form.
 *
 * @param count how many values are set there
 */
export function moreButtons(count: number, isOpen: boolean, toggle: () => void): TemplateResult {
  return html`
    <span class="more-buttons">
      <button type="button" class="model-button" aria-expanded=${isOpen} aria-controls=${moreFieldsId} @click=${toggle}>
        <span class="codicon codicon-chevron-${isOpen ? 'down' : 'right'}" aria-hidden="true"></span>
        ${count === 0 ? t('More') : t('More ({0})', count)}
      </button>
      <button type="button" class="model-button" aria-haspopup="dialog" data-action="open-request">
        <span class="codicon codicon-json" aria-hidden="true"></span>
        ${t('Request as JSON')}
      </button>
    </span>
  `;
}

/** Treats a key that is held down as one click. */
function stopRepeats(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}

const commandKey = /Mac/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
