import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TaskButton } from '../../protocol/taskPage.ts';
import { keepFocus } from '../parts/keepFocus.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';

const label = 'More actions';

/**
 * `<mg-menu>`: the actions that have no button of their own. The main ones are in it too; the style sheet
 * hides them here as long as there is room for their buttons.
 */
class MenuElement extends LightElement.with({
  buttons: property<readonly TaskButton[]>(),
  mainButtons: property<number>(),
  open: state(false),
}) {
  constructor() {
    super();
    keepFocus(this);
  }

  protected override render(): TemplateResult {
    const narrowOnly = this.buttons.length <= this.mainButtons ? 'narrow-only' : '';
    return html`
      <button type="button" class="icon-button menu-button ${narrowOnly}" title=${label} aria-label=${label} aria-haspopup="menu" aria-expanded=${this.open} @click=${this.#toggle} @keydown=${this.#onButtonKey}>
        <span class="codicon codicon-ellipsis" aria-hidden="true"></span>
      </button>
      ${this.open ? this.#menu() : nothing}
    `;
  }

  #menu(): TemplateResult {
    return html`
      <div class="menu" role="menu" aria-label=${label} @keydown=${this.#onKey} @focusout=${this.#onFocusOut} @click=${this.#leave}>
        ${repeat(
          this.buttons,
          ({ action }) => action,
          ({ action, label }, index) =>
            html`<button type="button" role="menuitem" tabindex="-1" class="menu-item ${index < this.mainButtons ? 'has-button' : ''}" data-action=${action}>${label}</button>`,
        )}
      </div>
    `;
  }

  /** The focus goes into a menu that opens, and stays in one whose chosen action is gone. */
  protected override updated(changed: PropertyValues<this>): void {
    const lost = changed.has('buttons') && document.activeElement === document.body;
    if (this.open && (changed.has('open') || lost)) this.#focus(0);
  }

  get #items(): readonly HTMLElement[] {
    const all = this.querySelectorAll<HTMLElement>('.menu-item');
    return [...all].filter((item) => item.checkVisibility());
  }

  #toggle(): void {
    this.open = !this.open;
  }

  /** Back to the button. */
  #leave(): void {
    this.open = false;
    this.querySelector<HTMLElement>('.menu-button')?.focus();
  }

  /** Only afterwards is it known where the focus went: an update may have given it back. */
  #onFocusOut(): void {
    setTimeout(() => {
      if (!this.contains(document.activeElement)) this.open = false;
    });
  }

  #onButtonKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.open = true;
  }

  #onKey(event: KeyboardEvent): void {
    const items = this.#items;
    const at = items.findIndex((item) => item.matches(':focus'));
    if (event.key === 'ArrowDown') this.#focus(at + 1);
    else if (event.key === 'ArrowUp') this.#focus(at - 1);
    else if (event.key === 'Home') this.#focus(0);
    else if (event.key === 'End') this.#focus(-1);
    else if (event.key === 'Escape' || event.key === 'Tab') this.#leave();
    else return;
    event.preventDefault();
  }

  /** Past either end it goes on at the other. */
  #focus(index: number): void {
    const items = this.#items;
    items.at(index % items.length)?.focus();
  }
}

customElements.define('mg-menu', MenuElement);
