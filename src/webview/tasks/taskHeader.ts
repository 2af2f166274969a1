import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { TaskButton, TaskView } from '../../protocol/taskPage.ts';
import { moveInMenu } from '../markdown/dom.ts';
import { isUnderway, renderAppearanceIcon } from '../parts/appearanceIcon.ts';
import { renderActionButtons } from '../parts/buttons.ts';
import { restoreFocus } from '../parts/elementControllers.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import { formatDuration, formatShortDateTime } from '../words/timeWords.ts';

/** Renders the header: the state of the task and its actions. */
export function renderTaskHeader(view: TaskView): TemplateResult {
  const { tile } = view;
  // The buttons of a running task are shown instead of its result.
  const [buttons, mainButtons] = isUnderway(tile.appearance)
    ? [view.buttons.slice(view.mainButtons), 0]
    : [view.buttons, view.mainButtons];
  return html`
    <header class="page-header task-header">
      <h1 class="task-title">
        ${renderAppearanceIcon(tile.appearance)}
        <span class="task-status" title=${tile.reportedStatus ?? tile.status}>${tile.status}</span>
        <span class="task-model" title=${tile.model}>${tile.model}</span>
        <span class="task-time">${renderTime(view)}</span>
      </h1>
      ${renderActionButtons(buttons.slice(0, mainButtons), (index) => chooseMainButtonClass(index, view))}
      ${buttons.length === 0 ? nothing : html`<mg-menu .buttons=${buttons} .mainButtons=${mainButtons}></mg-menu>`}
    </header>
  `;
}

/** Returns the class of a button. The first button is the main button, unless the notice has a main button. */
function chooseMainButtonClass(index: number, { notice }: TaskView): string {
  const hasNoticeButtons = notice !== undefined && notice.buttons.length > 0;
  const isPrimary = index === 0 && !hasNoticeButtons;
  return isPrimary ? 'button main-button' : 'button secondary main-button';
}

/** Renders the duration of the task; the start time if the duration is unknown. */
function renderTime({ tile, durationMs }: TaskView): TemplateResult | typeof nothing {
  if (durationMs !== undefined) return html`${formatDuration(durationMs)}`;
  // The time of a running task is shown instead of its result.
  if (isUnderway(tile.appearance)) return nothing;
  return html`<span class="started" title=${t('Start time')}>${formatShortDateTime(tile.startedAt, Date.now())}</span>`;
}

const menuLabel = t('More Actions…');

/**
 * `<mg-menu>`: the menu of actions. The style sheet hides the main actions while their buttons fit into the header.
 */
class MenuElement extends LightElement.with({
  buttons: property<readonly TaskButton[]>(),
  mainButtons: property<number>(),
  isOpen: state(false),
}) {
  constructor() {
    super();
    restoreFocus(this);
  }

  protected override render(): TemplateResult {
    const narrowOnly = this.buttons.length <= this.mainButtons ? 'narrow-only' : '';
    return html`
      <button type="button" class="icon-button menu-button ${narrowOnly}" title=${menuLabel} aria-label=${menuLabel} aria-haspopup="menu" aria-expanded=${this.isOpen} @click=${this.#toggle} @keydown=${this.#onButtonKey}>
        <span class="codicon codicon-ellipsis" aria-hidden="true"></span>
      </button>
      ${this.isOpen ? this.#renderMenu() : nothing}
    `;
  }

  #renderMenu(): TemplateResult {
    return html`
      <div class="menu" role="menu" aria-label=${menuLabel} @keydown=${this.#onMenuKey} @focusout=${this.#onFocusOut} @click=${this.#close}>
        ${repeat(
          this.buttons,
          ({ action }) => action,
          ({ action, label }, index) =>
            html`<button type="button" role="menuitem" tabindex="-1" class="menu-item ${index < this.mainButtons ? 'has-button' : ''}" data-action=${action}>${label}</button>`,
        )}
      </div>
    `;
  }

  /** Moves the focus into a menu that opens, and back into it when the focused action disappears. */
  protected override updated(changed: PropertyValues<this>): void {
    const isFocusLost = changed.has('buttons') && document.activeElement === document.body;
    if (this.isOpen && (changed.has('isOpen') || isFocusLost)) this.#items[0]?.focus();
  }

  get #items(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.menu-item')].filter((item) => item.checkVisibility());
  }

  #toggle(): void {
    this.isOpen = !this.isOpen;
  }

  /** Closes the menu and focuses its button. */
  #close(): void {
    this.isOpen = false;
    this.querySelector<HTMLElement>('.menu-button')?.focus();
  }

  /** Closes the menu if the focus left it. Waits first, because an update may restore the focus. */
  #onFocusOut(): void {
    setTimeout(() => {
      if (!this.contains(document.activeElement)) this.isOpen = false;
    });
  }

  #onButtonKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.isOpen = true;
  }

  #onMenuKey(event: KeyboardEvent): void {
    if (moveInMenu(event, this.#items) || (event.key !== 'Escape' && event.key !== 'Tab')) return;
    this.#close();
    event.preventDefault();
  }
}

customElements.define('mg-menu', MenuElement);
