import { html, nothing, type TemplateResult } from 'lit';
import type {
  CompletionItem,
  CompletionMessage,
  CompletionsView,
  CompletionTrigger,
} from '../../protocol/completion.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { type CompletionWord, wordAt } from './completionWord.ts';

interface Links {
  readonly box: () => HTMLTextAreaElement | null;
  readonly triggers: () => readonly CompletionTrigger[];
  readonly post: (message: CompletionMessage) => void;
  /** Puts a text in the place of a word, and the caret after it. */
  readonly replace: (word: CompletionWord, text: string) => void;
}

/** The suggestions for the word at the caret of the message box, a list that the box controls. */
export class Completion {
  readonly #element: LightElement;
  readonly #links: Links;
  #word: CompletionWord | undefined;
  /** Where the word begins whose list the user closed. */
  #closedAt: number | undefined;
  #items: readonly CompletionItem[] = [];
  #selected = 0;
  #number = 0;

  constructor(element: LightElement, links: Links) {
    this.#element = element;
    this.#links = links;
  }

  get isOpen(): boolean {
    return this.#items.length > 0;
  }

  /** The id of the selected item's element; undefined while there is no list. */
  get active(): string | undefined {
    return this.isOpen ? optionId(this.#selected) : undefined;
  }

  /** Asks anew after the text changed. While an input method is open, the word is not written yet. */
  follow(isComposing = false): void {
    const word = isComposing ? undefined : this.#wordAtCaret();
    if (word?.start !== this.#closedAt) this.#closedAt = undefined;
    if (!word || this.#closedAt !== undefined) this.hide();
    else this.#ask(word);
  }

  /** Follows the caret, which opens no list by itself. */
  followCaret(): void {
    if (this.#word) this.follow();
  }

  hide(): void {
    this.#word = undefined;
    if (!this.isOpen) return;
    this.#items = [];
    this.#element.requestUpdate();
  }

  /** Shows an answer of the host, unless something else was typed meanwhile. */
  show({ number, items }: CompletionsView): void {
    if (number !== this.#number || !this.#word) return;
    this.#items = items;
    this.#selected = 0;
    this.#element.requestUpdate();
  }

  /** Returns whether the list took the key. */
  onKey(event: KeyboardEvent): boolean {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (!this.isOpen || altKey || ctrlKey || metaKey || shiftKey) return false;
    if (key === 'ArrowDown') this.#select(this.#selected + 1);
    else if (key === 'ArrowUp') this.#select(this.#selected - 1);
    else if (key === 'Enter' || key === 'Tab') this.#accept(this.#selected, event.repeat);
    else if (key === 'Escape') this.#close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** The list, above the box. */
  render(): TemplateResult | typeof nothing {
    if (!this.isOpen) return nothing;
    return html`
      <ul class="completion" id="completion" role="listbox" aria-label=${t('Suggestions')} @mousedown=${keepFocus}>
        ${this.#items.map((item, at) => this.#option(item, at))}
      </ul>
    `;
  }

  /** Keeps the selected item in sight. */
  updated(): void {
    if (this.isOpen) {
      this.#element.querySelector('.completion [aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    }
  }

  #wordAtCaret(): CompletionWord | undefined {
    const box = this.#links.box();
    if (!box || document.activeElement !== box || box.selectionStart !== box.selectionEnd) return undefined;
    return wordAt(box.value, box.selectionStart, this.#links.triggers());
  }

  #ask(word: CompletionWord): void {
    const { trigger, query } = word;
    const isAsked = trigger === this.#word?.trigger && query === this.#word.query;
    this.#word = word;
    if (isAsked) return;
    this.#number += 1;
    this.#links.post({ type: 'complete', number: this.#number, trigger, query });
  }

  #option({ label, description, icon }: CompletionItem, at: number): TemplateResult {
    return html`
      <li
        role="option"
        id=${optionId(at)}
        class="completion-item"
        aria-selected=${at === this.#selected}
        title=${description === undefined ? label : `${label} ${description}`}
        @click=${() => this.#accept(at)}
      >
        ${icon === undefined ? nothing : html`<span class="codicon codicon-${icon}" aria-hidden="true"></span>`}
        <span class="completion-label">${label}</span>
        ${description === undefined ? nothing : html`<span class="completion-description">${description}</span>`}
      </li>
    `;
  }

  /** Wraps around at both ends. */
  #select(at: number): void {
    const { length } = this.#items;
    this.#selected = (at + length) % length;
    this.#element.requestUpdate();
  }

  /** A key that is held down chooses once. */
  #accept(at: number, isRepeated = false): void {
    const item = this.#items[at];
    const word = this.#word;
    if (!item || !word || isRepeated) return;
    this.hide();
    if (item.continuesAs !== undefined) {
      this.#links.replace(word, item.continuesAs);
      this.follow();
    } else {
      this.#links.replace(word, '');
      this.#links.post({ type: 'accept-completion', trigger: word.trigger, id: item.id });
    }
  }

  /** Leaves the list closed until another word begins. */
  #close(): void {
    this.#closedAt = this.#word?.start;
    this.hide();
  }
}

function optionId(at: number): string {
  return `completion-${at}`;
}

/** The focus stays in the box while the list is clicked or scrolled. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
