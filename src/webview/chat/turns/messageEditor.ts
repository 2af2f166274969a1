import { html, nothing, type TemplateResult } from 'lit';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { renderBoxProblem } from '../../parts/noticeView.ts';
import { t } from '../../words/l10n.ts';
import { describeProblem, type PageProblem } from '../../words/problemWords.ts';
import { renderPastedChips } from '../composer/contextChips.ts';
import { choosePasteName, countUtf8Bytes, readLongPaste } from '../composer/longPaste.ts';

/** A long pasted text that is sent with a question. */
export interface EditorPaste {
  readonly name: string;
  readonly text: string;
}

/** The kind of edited message. A question is sent again; a reply is only stored. */
export type EditedMessage = 'question' | 'reply';

/** An edited message with its current text. */
interface MessageEdit {
  readonly turnId: string;
  readonly kind: EditedMessage;
  readonly text: string;
  /** The long texts that are sent with it. */
  readonly pasted?: readonly EditorPaste[];
}

/** The open edits that the page stores. */
export type StoredEdits = readonly MessageEdit[];

/** How long after a change the page stores the edits, in milliseconds. Further changes do not extend this delay. */
const storeDelayMs = 200;

/** The edits of messages that are open on the page. Their texts survive a reload. */
class MessageEdits {
  #edits: StoredEdits = [];
  #store: (edits: StoredEdits) => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    window.addEventListener('pagehide', () => {
      if (this.#timer !== undefined) this.#storeNow();
    });
  }

  /** Restores the stored edits, and stores all later changes. */
  connect(storedEdits: StoredEdits | undefined, store: (edits: StoredEdits) => void): void {
    this.#edits = storedEdits ?? [];
    this.#store = store;
  }

  /** Returns the text in the edit box of a message; undefined if the message is not being edited. */
  getText(turnId: string, kind: EditedMessage): string | undefined {
    return this.#findEdit(turnId, kind)?.text;
  }

  /** Returns the long texts that are sent with an edited question. */
  getPasted(turnId: string, kind: EditedMessage): readonly EditorPaste[] {
    return this.#findEdit(turnId, kind)?.pasted ?? [];
  }

  setText(turnId: string, kind: EditedMessage, text: string): void {
    this.#setEdit({ ...this.#findEdit(turnId, kind), turnId, kind, text });
  }

  setPasted(turnId: string, kind: EditedMessage, pasted: readonly EditorPaste[]): void {
    this.#setEdit({ turnId, kind, text: this.getText(turnId, kind) ?? '', pasted });
  }

  #findEdit(turnId: string, kind: EditedMessage): MessageEdit | undefined {
    return this.#edits.find((edit) => isEditOf(edit, turnId, kind));
  }

  #setEdit(edit: MessageEdit): void {
    this.#edits = [...this.#listOthers(edit.turnId, edit.kind), edit];
    this.#timer ??= setTimeout(() => this.#storeNow(), storeDelayMs);
  }

  close(turnId: string, kind: EditedMessage): void {
    this.#edits = this.#listOthers(turnId, kind);
    this.#storeNow();
  }

  #listOthers(turnId: string, kind: EditedMessage): StoredEdits {
    return this.#edits.filter((edit) => !isEditOf(edit, turnId, kind));
  }

  #storeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#store(this.#edits);
  }
}

function isEditOf(edit: MessageEdit, turnId: string, kind: EditedMessage): boolean {
  return edit.turnId === turnId && edit.kind === kind;
}

/** The edits of the page, which has one chat. */
export const messageEdits = new MessageEdits();

declare global {
  interface HTMLElementEventMap {
    'message-typed': CustomEvent<string>;
    'texts-pasted': CustomEvent<readonly EditorPaste[]>;
    'message-edited': CustomEvent<string>;
    'edit-cancelled': CustomEvent<undefined>;
  }
}

/**
 * `<mg-message-editor>`: a message in a box, to be edited. Fires `message-typed` with the text at each change,
 * `texts-pasted` with all texts that are sent with a question when one is added or removed, and in the end
 * `message-edited` with the text, or `edit-cancelled`.
 */
class MessageEditorElement extends LightElement.with({
  kind: property<EditedMessage>('question'),
  text: property(''),
  /** Whether a reply is arriving in the chat: the message cannot be sent or stored until it is complete. */
  isBusy: property(false),
  pasted: property<readonly EditorPaste[]>([]),
  /** Why pasted content was not attached. */
  pasteProblem: state<PageProblem | undefined>(undefined),
}) {
  /** Focuses the box, with the caret at the end of the text. */
  async focusEnd(): Promise<void> {
    await this.updateComplete;
    const box = this.#box;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }

  protected override render(): TemplateResult {
    const isQuestion = this.kind === 'question';
    return html`
      ${renderPastedChips(this.pasted, (text) => this.#setPasted(this.pasted.filter((each) => each !== text)))}
      ${this.pasteProblem ? renderBoxProblem(describeProblem(this.pasteProblem)) : nothing}
      <textarea
        class="box prose"
        aria-label=${isQuestion ? t('Edited question') : t('Edited reply')}
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

  /**
   * Attaches a long text to a question. A long text is pasted into a reply as usual, unless it is too big to be stored.
   */
  #onPaste(event: ClipboardEvent): void {
    this.pasteProblem = undefined;
    const long = readLongPaste(event, countUtf8Bytes(this.pasted.map(({ text }) => text).join('')));
    if (long === undefined || ('text' in long && this.kind === 'reply')) return;
    event.preventDefault();
    if ('text' in long)
      this.#setPasted([...this.pasted, { name: choosePasteName(this.pasted), text: long.text }]);
    else this.pasteProblem = long.problem;
  }

  #setPasted(detail: readonly EditorPaste[]): void {
    this.dispatchEvent(new CustomEvent('texts-pasted', { detail }));
    this.#box?.focus();
  }

  #onInput(): void {
    this.pasteProblem = undefined;
    this.dispatchEvent(new CustomEvent('message-typed', { detail: this.#box?.value ?? '' }));
  }

  /** Cancels on Escape, without other effects of the key such as stopping a reply. */
  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === 'Enter' && this.#submits(event)) {
      event.preventDefault();
      // A key that is held down may have pressed the button that opened this box.
      if (!event.repeat) this.#submit();
    }
  }

  /** Whether an Enter key ends the edit. In a reply, which has many lines, only Ctrl+Enter does. */
  #submits({ shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    return this.kind === 'question' ? !shiftKey : ctrlKey || metaKey;
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
