import { html, nothing, type TemplateResult } from 'lit';
import type {
  CompletionItem,
  CompletionMessage,
  CompletionsView,
  CompletionTrigger,
} from '../../../protocol/completion.ts';
import type { LightElement } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';

interface CompletionOptions {
  readonly getBox: () => HTMLTextAreaElement | null;
  readonly getTriggers: () => readonly CompletionTrigger[];
  readonly post: (message: CompletionMessage) => void;
  /** Replaces a word with a text, and moves the caret after it. */
  readonly replace: (word: CompletionWord, text: string) => void;
}

/** The suggestions for the word at the caret of the message box, as a list that is controlled by keys in the box. */
export class CompletionList {
  readonly #element: LightElement;
  readonly #options: CompletionOptions;
  #word: CompletionWord | undefined;
  /** The start of the word whose list the user closed. */
  #closedAt: number | undefined;
  #items: readonly CompletionItem[] = [];
  #selected = 0;
  /** The number of the last request. */
  #lastRequest = 0;

  constructor(element: LightElement, options: CompletionOptions) {
    this.#element = element;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#items.length > 0;
  }

  /** The id of the selected item's element; undefined while there is no list. */
  get activeId(): string | undefined {
    return this.isOpen ? createOptionId(this.#selected) : undefined;
  }

  /** Requests suggestions after a change of the text. While an input method is open, the word is incomplete. */
  updateWord(isComposing = false): void {
    const word = isComposing ? undefined : this.#findWordAtCaret();
    if (word?.start !== this.#closedAt) this.#closedAt = undefined;
    if (!word || this.#closedAt !== undefined) this.hide();
    else this.#request(word);
  }

  /** Requests suggestions after a move of the caret, if there is a current word. A move alone does not open a list. */
  followCaret(): void {
    if (this.#word) this.updateWord();
  }

  hide(): void {
    this.#word = undefined;
    if (!this.isOpen) return;
    this.#items = [];
    this.#element.requestUpdate();
  }

  /** Shows the host's reply, unless the text has changed since. */
  show({ number, items }: CompletionsView): void {
    if (number !== this.#lastRequest || !this.#word) return;
    this.#items = items;
    this.#selected = 0;
    this.#element.requestUpdate();
  }

  /** Returns whether the list handled the key. */
  handleKey(event: KeyboardEvent): boolean {
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

  render(): TemplateResult | typeof nothing {
    if (!this.isOpen) return nothing;
    return html`
      <ul class="completion" id="completion" role="listbox" aria-label=${t('Suggestions')} @mousedown=${preventFocusLoss}>
        ${this.#items.map((item, index) => this.#renderOption(item, index))}
      </ul>
    `;
  }

  /** Scrolls to the selected item. Called after each render. */
  scrollToSelected(): void {
    if (this.isOpen) {
      this.#element.querySelector('.completion [aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    }
  }

  #findWordAtCaret(): CompletionWord | undefined {
    const box = this.#options.getBox();
    if (!box || document.activeElement !== box || box.selectionStart !== box.selectionEnd) return undefined;
    return findCompletionWord(box.value, box.selectionStart, this.#options.getTriggers());
  }

  #request(word: CompletionWord): void {
    const { trigger, query } = word;
    const isRequested = trigger === this.#word?.trigger && query === this.#word.query;
    this.#word = word;
    if (isRequested) return;
    this.#lastRequest += 1;
    this.#options.post({ type: 'complete', number: this.#lastRequest, trigger, query });
  }

  #renderOption({ label, description, icon }: CompletionItem, index: number): TemplateResult {
    return html`
      <li
        role="option"
        id=${createOptionId(index)}
        class="completion-item"
        aria-selected=${index === this.#selected}
        title=${description === undefined ? label : `${label} ${description}`}
        @click=${() => this.#accept(index)}
      >
        ${icon === undefined ? nothing : html`<span class="codicon codicon-${icon}" aria-hidden="true"></span>`}
        <span class="completion-label">${label}</span>
        ${description === undefined ? nothing : html`<span class="completion-description">${description}</span>`}
      </li>
    `;
  }

  /** Selects an item. The index wraps around at both ends. */
  #select(index: number): void {
    const { length } = this.#items;
    this.#selected = (index + length) % length;
    this.#element.requestUpdate();
  }

  /** Accepts an item. A key that is held down accepts only one. */
  #accept(index: number, isRepeated = false): void {
    const item = this.#items[index];
    const word = this.#word;
    if (!item || !word || isRepeated) return;
    this.hide();
    if (item.continuesAs !== undefined) {
      this.#options.replace(word, item.continuesAs);
      this.updateWord();
    } else {
      this.#options.replace(word, '');
      this.#options.post({ type: 'accept-completion', trigger: word.trigger, id: item.id });
    }
  }

  /** Closes the list until another word begins. */
  #close(): void {
    this.#closedAt = this.#word?.start;
    this.hide();
  }
}

function createOptionId(index: number): string {
  return `completion-${index}`;
}

/** Prevents the box from losing the focus when the list is clicked or scrolled. */
function preventFocusLoss(event: MouseEvent): void {
  event.preventDefault();
}

/** The maximum length of the text after a trigger, in UTF-16 units. The host has the same limit. */
const maxQueryLength = 200;

/** The word before the caret that can be completed. */
export interface CompletionWord {
  readonly trigger: string;
  /** The text after the trigger. */
  readonly query: string;
  /** The start of the word, with its trigger, and its end in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Finds the word that ends at the caret. Undefined if it does not begin with one of the triggers. */
export function findCompletionWord(
  text: string,
  caret: number,
  triggers: readonly CompletionTrigger[],
): CompletionWord | undefined {
  const before = text.slice(Math.max(0, caret - maxQueryLength - 2), caret);
  const word = /(?:^|\s)(\S+)$/u.exec(before)?.[1];
  if (word === undefined || word.length > maxQueryLength + 1) return undefined;
  const start = caret - word.length;
  const [character = ''] = word;
  const trigger = triggers.find((candidate) => candidate.character === character);
  if (!trigger || (trigger.where === 'start' && start > 0)) return undefined;
  return { trigger: character, query: word.slice(1), start, end: caret };
}
