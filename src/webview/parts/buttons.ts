import { html, nothing, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/pageMessage.ts';
import { t } from '../words/l10n.ts';
import { SecondTimer } from './elementControllers.ts';
import { LightElement, property } from './lightElement.ts';
import { repeat } from './repeat.ts';

interface IconButtonOptions {
  readonly isDisabled?: boolean;
  /** The index of the result that the button belongs to. */
  readonly result?: number | undefined;
}

/** Renders buttons that do not lose the focus when other buttons appear or disappear. */
export function renderActionButtons(
  buttons: readonly ActionButton<string>[],
  chooseClass: (index: number) => string,
  result?: number,
): unknown {
  return repeat(
    buttons,
    ({ action }) => action,
    (button, index) => renderActionButton(button, chooseClass(index), result),
  );
}

function renderActionButton(
  button: ActionButton<string>,
  className: string,
  result?: number,
): TemplateResult {
  const { action, label, waitMs = 0 } = button;
  return waitMs > 0
    ? html`<mg-waiting-button .button=${button} .buttonClass=${className}></mg-waiting-button>`
    : html`<button type="button" class=${className} data-action=${action} data-result=${result ?? nothing}>${label}</button>`;
}

/** Renders a button with an icon. The label is the tooltip and the text for screen readers. */
export function renderIconButton(
  icon: string,
  label: string,
  action: string,
  { isDisabled = false, result }: IconButtonOptions = {},
): TemplateResult {
  return html`
    <button type="button" class="icon-button" title=${label} aria-label=${label} data-action=${action} data-result=${result ?? nothing} ?disabled=${isDisabled}>
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>
  `;
}

interface ModelChoice {
  readonly model: string | undefined;
  readonly isLoading?: boolean;
  /** The cost of the chat so far, for the tooltip. */
  readonly cost?: string;
}

/** Renders the header button that shows the model, or the reason why there is none. */
export function renderModelButton({ model, isLoading, cost }: ModelChoice): TemplateResult {
  if (model !== undefined) {
    return renderPickerButton('choose-model', model, addCost(t('Model: {0}. Choose another', model), cost));
  }
  return isLoading
    ? renderPickerButton('choose-model', t('Loading models…'), t('Loading models. Choose one'))
    : renderPickerButton('choose-model', t('No model'), t('No model. Choose one'));
}

/** Adds the cost of the chat so far to the tooltip of the model button. */
export function addCost(label: string, cost: string | undefined): string {
  return cost === undefined ? label : `${label}\n${cost}`;
}

/**
 * Renders a header button that shows the current choice and opens a picker.
 *
 * @param label the tooltip and the text for screen readers
 * @param shortText the text on a narrow page
 */
export function renderPickerButton(
  action: string,
  text: string,
  label: string,
  shortText?: string,
): TemplateResult {
  return html`
    <button type="button" class="model-button" title=${label} aria-label=${label} data-action=${action}>
      <span class="model-name">${text}</span>
      ${shortText === undefined ? nothing : html`<span class="short-name">${shortText}</span>`}
      <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
    </button>
  `;
}

/** The time when each button was added to the page. A button that is rendered again continues its wait. */
const arrivals = new WeakMap<object, number>();

/**
 * `<mg-waiting-button>`: a button that is enabled after the wait that the gateway requested. It counts down the
 * seconds, and does nothing by itself.
 */
class WaitingButtonElement extends LightElement.with({
  button: property<ActionButton<string>>(),
  /** The class of the inner button. */
  buttonClass: property(''),
}) {
  constructor() {
    super();
    new SecondTimer(this);
  }

  protected override render(): TemplateResult {
    const { action, label } = this.button;
    const seconds = Math.ceil(this.#remainingMs / 1000);
    return html`
      <button type="button" class=${this.buttonClass} data-action=${action} ?disabled=${seconds > 0}>
        ${label}${seconds > 0 ? html` <span aria-hidden="true">(${t('{0} s', seconds)})</span>` : ''}
      </button>
    `;
  }

  get #remainingMs(): number {
    const now = performance.now();
    const arrived = arrivals.get(this.button) ?? now;
    arrivals.set(this.button, arrived);
    return arrived + (this.button.waitMs ?? 0) - now;
  }
}

customElements.define('mg-waiting-button', WaitingButtonElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-waiting-button': WaitingButtonElement;
  }
}
