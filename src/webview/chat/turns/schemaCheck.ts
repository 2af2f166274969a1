import { html, nothing, type TemplateResult } from 'lit';
import type { ChatFields } from '../../../protocol/chatPage.ts';
import type { SchemaCheckView } from '../../../protocol/chatTurn.ts';
import { renderText } from '../../markdown/dom.ts';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';

/** The number of problems that are shown until the reader expands the list. */
const maxFaults = 3;

/** The results of the host's schema checks, by the ids of the turns. */
class SchemaChecks extends EventTarget {
  #views: ChatFields['schemaChecks'] = {};

  show(views: ChatFields['schemaChecks']): void {
    this.#views = views;
    this.dispatchEvent(new Event('change'));
  }

  get(turnId: string): SchemaCheckView | undefined {
    return Object.hasOwn(this.#views, turnId) ? this.#views[turnId] : undefined;
  }
}

/** The checks of the page, which has one chat. */
export const schemaChecks = new SchemaChecks();

const icons: Readonly<Record<SchemaCheckView['kind'], string>> = {
  matches: 'pass',
  differs: 'error',
  unchecked: 'info',
};

/** `<mg-schema-check>`: whether the reply of a turn matches the requested schema. */
class SchemaCheckElement extends LightElement.with({
  turnId: property<string>(),
  showsAll: state(false),
}) {
  readonly #update = (): void => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    schemaChecks.addEventListener('change', this.#update);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    schemaChecks.removeEventListener('change', this.#update);
  }

  protected override render(): TemplateResult | typeof nothing {
    const view = schemaChecks.get(this.turnId);
    if (!view) return nothing;
    const { kind, title, faults, more } = view;
    const shownFaults = this.showsAll ? faults : faults.slice(0, maxFaults);
    return html`
      <div class="schema-check ${kind}">
        <span class="codicon codicon-${icons[kind]}" aria-hidden="true"></span>
        <div>
          ${renderText(title)}
          ${shownFaults.length > 0 ? html`<ul>${shownFaults.map((fault, index) => this.#renderFault(fault, index))}</ul>` : nothing}
          ${shownFaults.length < faults.length ? this.#renderShowAllButton(faults.length) : nothing}
          ${this.showsAll && more !== undefined ? html`<p>${more}</p>` : nothing}
        </div>
      </div>
    `;
  }

  #renderFault(fault: string, index: number): TemplateResult {
    return html`
      <li>
        <button type="button" class="text-button" title=${t('Show in Editor')} data-action="open-fault" data-index=${index}>${renderText(fault)}</button>
      </li>
    `;
  }

  #renderShowAllButton(count: number): TemplateResult {
    return html`<button type="button" class="text-button" @click=${this.#showAll}>${t('Show All {0}', count)}</button>`;
  }

  /** Shows all problems, and focuses the first new one, because the button disappears. */
  async #showAll(): Promise<void> {
    this.showsAll = true;
    await this.updateComplete;
    this.querySelectorAll<HTMLElement>('li button')[maxFaults]?.focus();
  }
}

customElements.define('mg-schema-check', SchemaCheckElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-schema-check': SchemaCheckElement;
  }
}
