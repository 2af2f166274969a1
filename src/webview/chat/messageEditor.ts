import { html, type TemplateResult } from 'lit';
import { LightElement, property } from '../parts/lightElement.ts';

/** What is edited. A question is sent again, an answer is kept as it is. */
export type EditedMessage = 'question' | 'answer';

declare global {
  interface HTMLElementEventMap {
    'message-typed': CustomEvent<string>;
    'message-edited': CustomEvent<string>;
    'edit-cancelled': CustomEvent<undefined>;
  }
}

/**
 * `<mg-message-editor>`: a message in a box, to be written anew. Fires `message-typed` with the text at each change,
 * in the end `message-edited` with it, or `edit-cancelled`.
 */
class MessageEditorElement extends LightElement.with({
  of: property<EditedMessage>('question'),
  text: property(''),
  isBusy: property(false),
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
      <textarea
        class="box prose"
        aria-label=${isQuestion ? 'Your question, edited' : 'The reply, edited'}
        .value=${this.text}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      ></textarea>
      <div class="edit-buttons">
        <button type="button" class="button" ?disabled=${this.isBusy} @click=${this.#submit}>
          ${isQuestion ? 'Send' : 'Save'}
        </button>
        <button type="button" class="button secondary" @click=${this.#cancel}>Cancel</button>
        <span class="edit-note">${isQuestion ? 'The earlier question and what followed are kept.' : 'The earlier reply is kept.'}</span>
      </div>
    `;
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  #onInput(): void {
    this.dispatchEvent(new CustomEvent('message-typed', { detail: this.#box?.value ?? '' }));
  }

  /** Escape leaves the box and does nothing else then, such as stopping a reply. */
  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === 'Enter' && !event.shiftKey && this.of === 'question') {
      event.preventDefault();
      this.#submit();
    }
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
