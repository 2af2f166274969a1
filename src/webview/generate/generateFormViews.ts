import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { FormProblem, maxVideos } from '../../protocol/generatePage.ts';
import { blurOnWheel } from '../form/controlViews.ts';
import { t } from '../words/l10n.ts';

export const moreFieldsId = 'more-fields';
export const priceId = 'generate-price';

/** The limit of the host. Only its type is imported, because pages import only types of the protocol. */
const maxCount: typeof maxVideos = 8;

/** Renders a remark, to be shown above the form. */
export function renderRemark(remark: string): TemplateResult {
  return html`
    <p class="form-remark">
      <span class="codicon codicon-info" aria-hidden="true"></span><span>${remark}</span>
    </p>
  `;
}

/** Renders the problems that do not belong to a field on the page. */
export function renderProblemList(problems: readonly FormProblem[]): TemplateResult | typeof nothing {
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
 * Renders the button that sends the requests.
 *
 * @param obstacle why nothing can be generated now
 */
export function renderGenerateButton(
  count: number,
  obstacle: string | undefined,
  isSending: boolean,
  onClick: (event: MouseEvent) => void,
): TemplateResult {
  const reason = obstacle ?? t('Generate ({0}+Enter in the prompt)', commandKey);
  return html`
    <button type="button" class="button generate" title=${reason} aria-describedby=${priceId} aria-disabled=${obstacle !== undefined} @click=${onClick} @keydown=${preventRepeat}>
      <span class="codicon codicon-${isSending ? 'loading codicon-modifier-spin' : 'sparkle'}" aria-hidden="true"></span>
      ${count === 1 ? t('Generate') : t('Generate {0}', count)}
    </button>
  `;
}

/**
 * Renders the buttons for the fields that are not shown at first.
 *
 * @param count the number of set values in those fields
 */
export function renderMoreButtons(count: number, isOpen: boolean, toggle: () => void): TemplateResult {
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

/** Renders the control for the number of equal requests. */
export function renderCountStepper(count: number, change: (count: number) => void): TemplateResult {
  return html`
    <div class="stepper" role="group" aria-label=${t('Number of videos')}>
      <label for="count">${t('Videos')}</label>
      ${renderStepButton('remove', t('One Less'), count <= 1, () => change(count - 1))}
      <input
        id="count"
        type="number"
        min="1"
        max=${maxCount}
        .value=${live(String(count))}
        @change=${(event: Event) => change(readTypedCount(event, count))}
        @wheel=${blurOnWheel}
      />
      ${renderStepButton('add', t('One More'), count >= maxCount, () => change(count + 1))}
    </div>
  `;
}

/** Treats a key that is held down as one click. */
function preventRepeat(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}

const commandKey = /Mac/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

function renderStepButton(icon: string, label: string, isAtEnd: boolean, step: () => void): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${label} aria-label=${label} aria-disabled=${isAtEnd} @click=${isAtEnd ? undefined : step}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>
  `;
}

/** Returns the typed number, limited to the range; `before` if it is not a number. */
function readTypedCount({ target }: Event, before: number): number {
  if (!(target instanceof HTMLInputElement) || Number.isNaN(target.valueAsNumber)) return before;
  return Math.min(maxCount, Math.max(1, Math.round(target.valueAsNumber)));
}
