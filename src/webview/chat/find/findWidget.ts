import { html, nothing, type TemplateResult } from 'lit';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { formatNumber, t } from '../../words/l10n.ts';
import { escapeExpression, type FindOptions, type FindQuery } from './findPattern.ts';

/** The figures of a search in the widget. */
interface FindFigures {
  readonly count: number;
  /** The position of the current match, from 1. */
  readonly position: number | undefined;
  /** Whether there may be more matches. */
  readonly isLimited: boolean;
  /** Whether the whole chat has been searched. */
  readonly isComplete: boolean;
  /** Why the typed query cannot find anything. */
  readonly fault: string | undefined;
}

/** The user's action in the widget. */
export type FindStep = 'next' | 'previous' | 'close';

const noFigures: FindFigures = {
  count: 0,
  position: undefined,
  isLimited: false,
  isComplete: true,
  fault: undefined,
};

/** `<mg-find>`: the box for the query of a search in a chat, as in VS Code's editors. */
export class FindWidget extends LightElement.with({
  figures: property<FindFigures>(noFigures),
  text: state(''),
  matchesCase: state(false),
  matchesWholeWord: state(false),
  isExpression: state(false),
}) {
  get query(): FindQuery {
    const { text, matchesCase, matchesWholeWord, isExpression } = this;
    return { text, matchesCase, matchesWholeWord, isExpression };
  }

  /**
   * Focuses the box, and searches for the selected text. Without a selection it searches for the query of the widget,
   * or for the last query if that is empty.
   */
  async begin(selectedText: string, last: Partial<FindQuery>): Promise<void> {
    if (this.text === '') Object.assign(this, last);
    if (selectedText !== '') this.text = this.isExpression ? escapeExpression(selectedText) : selectedText;
    this.#change({});
    await this.updateComplete;
    this.#input?.focus();
    this.#input?.select();
  }

  protected override render(): TemplateResult {
    const { count, isComplete, fault } = this.figures;
    const isMissing = this.text !== '' && count === 0 && isComplete;
    return html`
      <div class="find" role="search" aria-label=${t('Find in this chat')} @keydown=${this.#onKey}>
        <div class="find-box ${isMissing ? 'missing' : ''} ${fault === undefined ? '' : 'invalid'}">
          <input
            type="text"
            aria-label=${t('Find')}
            placeholder=${t('Find')}
            spellcheck="false"
            .value=${this.text}
            @input=${this.#onInput}
          />
          ${renderToggle('case-sensitive', t('Match Case (Alt+C)'), this.matchesCase, () => this.#toggle('matchesCase'))}
          ${renderToggle('whole-word', t('Match Whole Word (Alt+W)'), this.matchesWholeWord, () => this.#toggle('matchesWholeWord'))}
          ${renderToggle('regex', t('Use Regular Expression (Alt+R)'), this.isExpression, () => this.#toggle('isExpression'))}
        </div>
        <span class="find-count" role="status">${formatCount(this.figures, this.text)}</span>
        ${this.#renderButton('arrow-up', t('Previous Match (Shift+Enter)'), 'previous')}
        ${this.#renderButton('arrow-down', t('Next Match (Enter)'), 'next')}
        ${this.#renderButton('close', t('Close (Escape)'), 'close')}
        ${fault === undefined ? nothing : html`<div class="find-fault" role="alert">${fault}</div>`}
      </div>
    `;
  }

  #renderButton(icon: string, label: string, step: FindStep): TemplateResult {
    return html`
      <button
        type="button"
        class="icon-button"
        title=${label}
        aria-label=${label}
        ?disabled=${step !== 'close' && this.figures.count === 0}
        @click=${() => this.#fireStep(step)}
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
    const isInBox = event.target === this.#input;
    // AltGr counts as Ctrl+Alt on Windows.
    const isAlt = event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key === 'Enter' && isInBox) this.#fireStep(event.shiftKey ? 'previous' : 'next');
    else if (isAlt && event.code === 'KeyC') this.#toggle('matchesCase');
    else if (isAlt && event.code === 'KeyW') this.#toggle('matchesWholeWord');
    else if (isAlt && event.code === 'KeyR') this.#toggle('isExpression');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #toggle(option: keyof FindOptions): void {
    this.#change({ [option]: !this[option] });
  }

  #change(change: Partial<FindQuery>): void {
    Object.assign(this, change);
    this.dispatchEvent(new Event('find-changed'));
  }

  #fireStep(step: FindStep): void {
    this.dispatchEvent(new CustomEvent<FindStep>('find-step', { detail: step }));
  }

  get #input(): HTMLInputElement | null {
    return this.querySelector('input');
  }
}

function renderToggle(icon: string, label: string, isOn: boolean, press: () => void): TemplateResult {
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

function formatCount({ count, position, isLimited, isComplete, fault }: FindFigures, text: string): string {
  if (text === '') return '';
  if (fault !== undefined && count === 0) return t('No results');
  const number = `${formatNumber(count)}${isLimited ? '+' : ''}`;
  if (!isComplete) return t('{0} so far…', number);
  if (count === 0) return t('No results');
  return t('{0} of {1}', position === undefined ? '?' : formatNumber(position), number);
}

customElements.define('mg-find', FindWidget);

declare global {
  interface HTMLElementTagNameMap {
    'mg-find': FindWidget;
  }
}
