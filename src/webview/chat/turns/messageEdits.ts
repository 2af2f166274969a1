import type { EditedMessage, EditorPaste } from './messageEditor.ts';

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

/** How long after a change the page stores the edits, in milliseconds. Changes in the meantime do not extend it. */
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
  connect(stored: StoredEdits | undefined, store: (edits: StoredEdits) => void): void {
    this.#edits = stored ?? [];
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
