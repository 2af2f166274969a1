import { html, nothing, type TemplateResult } from 'lit';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { type Problem, problemWords } from '../words/problems.ts';
import { pastedChips } from './contextChips.ts';
import { bytesOf, freeName, longPaste } from './longPaste.ts';
import { problemView } from './problemView.ts';

/** A long text that goes along with a question. */
export interface PastedText {
  readonly name: string;
  readonly text: string;
}

/** What is edited. A question is sent again, an answer is kept as it is. */
export type EditedMessage = 'question' | 'answer';

declare global {
  interface HTMLElementEventMap {
    'message-typed': CustomEvent<string>;
    'texts-pasted': CustomEvent<readonly PastedText[]>;
    'message-edited': CustomEvent<string>;
    'edit-cancelled': CustomEvent<undefined>;
  }
}

/**
 * `<mg-message-editor>`: a message in a box, to be written anew. Fires `message-typed` with the text at each change,
 * `texts-pasted` with all texts that go along with a question when there is one more or less, in the end `message-edited` with it, or `edit-cancelled`.
 */
class MessageEditorElement extends LightElement.with({
  of: property<EditedMessage>('question'),
  text: property(''),
  isBusy: property(false),
  pasted: property<readonly PastedText[]>([]),
  /** Why what was pasted is not there. */
  refused: state<Problem | undefined>(undefined),
}) {
  /** Puts the caret behind the last word. */
  async focusEnd(): Promise<void> {
    await this.updateComplete;
    const box = this.#box;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }

  protected override render(): TemplateResult {
    const isQuestion = this.of === 'question';
    return html`
      ${pastedChips(this.pasted, (text) => this.#setPasted(this.pasted.filter((each) => each !== text)))}
      ${this.refused ? problemView(problemWords(this.refused)) : nothing}
      <textarea
        class="box prose"
        aria-label=${isQuestion ? t('Your question, edited') : t('The reply, edited')}
        .value=${this.text}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
        @paste=${this.#onPaste}
      ></textarea>
      <div class="edit-buttons">
        <button type="button" class="button" ?disabled=${this.isBusy} @click=${this.#submit}>
          ${t(isQuestion ? 'Send' : 'Save')}
        </button>
        <button type="button" class="button secondary" @click=${this.#cancel}>${t('Cancel')}</button>
        <span class="edit-note">${isQuestion ? t('The earlier question and its replies are kept.') : t('The earlier reply is kept.')}</span>
      </div>
    `;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  /** A long text goes along with a question. Into a reply it goes as usual, unless that could not be kept then. */
  #onPaste(event: ClipboardEvent): void {
    this.refused = undefined;
    const long = longPaste(event, bytesOf(this.pasted.map(({ text }) => text).join('')));
    if (long === undefined || ('text' in long && this.of === 'answer')) return;
    event.preventDefault();
    if ('text' in long) this.#setPasted([...this.pasted, { name: freeName(this.pasted), text: long.text }]);
    else this.refused = long.problem;
  }

  #setPasted(detail: readonly PastedText[]): void {
    this.dispatchEvent(new CustomEvent('texts-pasted', { detail }));
    this.#box?.focus();
  }

  #onInput(): void {
    this.refused = undefined;
    this.dispatchEvent(new CustomEvent('message-typed', { detail: this.#box?.value ?? '' }));
  }

  /** Escape leaves the box and does nothing else then, such as stopping a reply. Ctrl+Enter saves a reply, too. */
  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === 'Enter' && this.#submits(event)) {
      event.preventDefault();
      // A key that is held down may have pressed the button just before that led here.
      if (!event.repeat) this.#submit();
    }
  }

  /** Whether Enter ends the edit. In a reply, which has many lines, it begins another one. */
  #submits({ shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    return this.of === 'question' ? !shiftKey : ctrlKey || metaKey;
  }

  #submit(): void {
    const text = this.#box?.value ?? '';
    if (text.trim() === '' || this.isBusy) return;
    this.dispatchEvent(new CustomEvent('message-edited', { detail: text }));
  }

  #cancel(): void {
    this.dispatchEvent(new CustomEvent('edit-cancelled'));
  }
}

customElements.define('mg-message-editor', MessageEditorElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-message-editor': MessageEditorElement;
  }
}
