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

/** How long after the first unstored change the page stores the edits, in milliseconds. */
const storeDelayMs = 200;

/** The messages that are being edited anywhere on the page. Their texts survive a reload. */
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

  /** The text in the edit box of a message; undefined if the message is not edited. */
  text(turnId: string, kind: EditedMessage): string | undefined {
    return this.#edit(turnId, kind)?.text;
  }

  /** The long texts that are sent with an edited question. */
  pasted(turnId: string, kind: EditedMessage): readonly EditorPaste[] {
    return this.#edit(turnId, kind)?.pasted ?? [];
  }

  write(turnId: string, kind: EditedMessage, text: string): void {
    this.#put({ ...this.#edit(turnId, kind), turnId, kind, text });
  }

  attach(turnId: string, kind: EditedMessage, pasted: readonly EditorPaste[]): void {
    this.#put({ turnId, kind, text: this.text(turnId, kind) ?? '', pasted });
  }

  #edit(turnId: string, kind: EditedMessage): MessageEdit | undefined {
    return this.#edits.find((edit) => isOf(edit, turnId, kind));
  }

  #put(edit: MessageEdit): void {
    this.#edits = [...this.#others(edit.turnId, edit.kind), edit];
    this.#timer ??= setTimeout(() => this.#storeNow(), storeDelayMs);
  }

  close(turnId: string, kind: EditedMessage): void {
    this.#edits = this.#others(turnId, kind);
    this.#storeNow();
  }

  #others(turnId: string, kind: EditedMessage): StoredEdits {
    return this.#edits.filter((edit) => !isOf(edit, turnId, kind));
  }

  #storeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#store(this.#edits);
  }
}

function isOf(edit: MessageEdit, turnId: string, kind: EditedMessage): boolean {
  return edit.turnId === turnId && edit.kind === kind;
}

/** The edits of the page, which has one chat. */
export const messageEdits = new MessageEdits();
