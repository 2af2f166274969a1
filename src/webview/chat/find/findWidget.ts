import { html, type TemplateResult } from 'lit';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import type { FindQuery } from './pattern.ts';

/** What the widget tells of a search. */
export interface FindFigures {
  readonly count: number;
  /** Of the match that the reader is at, from 1. */
  readonly position: number | undefined;
  /** Whether there may be more. */
  readonly isLimited: boolean;
  /** Whether all of the chat is searched. */
  readonly isWhole: boolean;
}

/** What the user wants of the widget. */
export type FindStep = 'next' | 'previous' | 'close';

const none: FindFigures = { count: 0, position: undefined, isLimited: false, isWhole: true };

/** `<mg-find>`: the box in which the user types what to find in a chat, as in VS Code's editors. */
export class FindWidget extends LightElement.with({
  figures: property<FindFigures>(none),
  text: state(''),
  matchesCase: state(false),
  wholeWord: state(false),
}) {
  get query(): FindQuery {
    const { text, matchesCase, wholeWord } = this;
    return { text, matchesCase, wholeWord };
  }

  /**
   * Takes the focus, and looks for what is selected, else for what was looked for last, unless it looks for
   * something already.
   */
  async begin(selected: string, last?: FindQuery): Promise<void> {
    if (selected !== '') this.#change({ text: selected });
    else if (last && this.text === '') this.#change(last);
    await this.updateComplete;
    this.#input?.focus();
    this.#input?.select();
  }

  protected override render(): TemplateResult {
    const isMissing = this.text !== '' && this.figures.count === 0 && this.figures.isWhole;
    return html`
      <div class="find" role="search" aria-label="Find in this chat" @keydown=${this.#onKey}>
        <div class="find-box ${isMissing ? 'missing' : ''}">
          <input
            type="text"
            aria-label="Find"
            placeholder="Find"
            spellcheck="false"
            .value=${this.text}
            @input=${this.#onInput}
          />
          ${toggle('case-sensitive', 'Match Case (Alt+C)', this.matchesCase, () => this.#toggle('matchesCase'))}
          ${toggle('whole-word', 'Match Whole Word (Alt+W)', this.wholeWord, () => this.#toggle('wholeWord'))}
        </div>
        <span class="find-count" role="status">${wordsOf(this.figures, this.text)}</span>
        ${this.#button('arrow-up', 'Previous Match (Shift+Enter)', 'previous')}
        ${this.#button('arrow-down', 'Next Match (Enter)', 'next')}
        ${this.#button('close', 'Close (Escape)', 'close')}
      </div>
    `;
  }

  #button(icon: string, label: string, step: FindStep): TemplateResult {
    return html`
      <button
        type="button"
        class="icon-button"
        title=${label}
        aria-label=${label}
        ?disabled=${step !== 'close' && this.figures.count === 0}
        @click=${() => this.#tell(step)}
      >
        <span class="codicon codicon-${icon}" aria-hidden="true"></span>
      </button>
    `;
  }

  #onInput({ target }: Event): void {
    if (target instanceof HTMLInputElement) this.#change({ text: target.value });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const inBox = event.target === this.#input;
    if (event.key === 'Enter' && inBox) this.#tell(event.shiftKey ? 'previous' : 'next');
    else if (event.altKey && event.code === 'KeyC') this.#toggle('matchesCase');
    else if (event.altKey && event.code === 'KeyW') this.#toggle('wholeWord');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #toggle(option: 'matchesCase' | 'wholeWord'): void {
    this.#change({ [option]: !this[option] });
  }

  #change(change: Partial<FindQuery>): void {
    Object.assign(this, change);
    this.dispatchEvent(new Event('find-changed'));
  }

  #tell(step: FindStep): void {
    this.dispatchEvent(new CustomEvent<FindStep>('find-step', { detail: step }));
  }

  get #input(): HTMLInputElement | null {
    return this.querySelector('input');
  }
}

function toggle(icon: string, label: string, isOn: boolean, press: () => void): TemplateResult {
  return html`
    <button
      type="button"
      class="icon-button find-toggle"
      title=${label}
      aria-label=${label}
      aria-pressed=${isOn}
      @click=${press}
    >
      <span class="codicon codicon-${icon}" aria-hidden="true"></span>
    </button>
  `;
}

function wordsOf({ count, position, isLimited, isWhole }: FindFigures, text: string): string {
  if (text === '') return '';
  const number = `${count.toLocaleString('en')}${isLimited ? '+' : ''}`;
  if (!isWhole) return `${number} so far…`;
  if (count === 0) return 'No results';
  return `${position?.toLocaleString('en') ?? '?'} of ${number}`;
}

customElements.define('mg-find', FindWidget);

declare global {
  interface HTMLElementTagNameMap {
    'mg-find': FindWidget;
  }
}
