import { html, type TemplateResult } from 'lit';
import type { ActionButton } from '../../protocol/notice.ts';
import { t } from '../words/l10n.ts';
import { LightElement, property } from './lightElement.ts';
import { Seconds } from './seconds.ts';

/** When each button came to the page: one that is drawn again goes on with the wait that it has begun. */
const arrivals = new WeakMap<object, number>();

/**
 * `<mg-waiting-button>`: a button that can be pressed once the time has passed that the gateway asked for. It
 * counts the seconds, and does nothing by itself.
 */
export class WaitingButtonElement extends LightElement.with({
  button: property<ActionButton<string>>(),
  /** The class of the button inside. */
  look: property(''),
}) {
  constructor() {
    super();
    new Seconds(this);
  }

  protected override render(): TemplateResult {
    const { action, label } = this.button;
    const seconds = Math.ceil(this.#remainingMs / 1000);
    return html`
      <button type="button" class=${this.look} data-action=${action} ?disabled=${seconds > 0}>
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
