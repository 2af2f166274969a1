import type { EditedMessage, PastedText } from './messageEditor.ts';

/** A message in a box, as far as it is written. */
interface MessageEdit {
  readonly turnId: string;
  readonly of: EditedMessage;
  readonly text: string;
  /** The long texts that go along. */
  readonly pasted?: readonly PastedText[];
}

/** What the page stores of the boxes that are open. */
export type StoredEdits = readonly MessageEdit[];

/** How long typing rests before the page stores what was typed, in milliseconds. */
const typingPauseMs = 200;

/** The messages that are edited, wherever they are shown. What is written is there after a reload. */
class MessageEdits {
  #edits: StoredEdits = [];
  #store: (edits: StoredEdits) => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    window.addEventListener('pagehide', () => {
      if (this.#timer !== undefined) this.#storeNow();
    });
  }

  /** Takes what was stored, and stores what changes from now on. */
  connect(stored: StoredEdits | undefined, store: (edits: StoredEdits) => void): void {
    this.#edits = stored ?? [];
    this.#store = store;
  }

  /** What is written in the box of a message; undefined where none is open. */
  text(turnId: string, of: EditedMessage): string | undefined {
    return this.#edit(turnId, of)?.text;
  }

  /** The long texts that go along with it. */
  pasted(turnId: string, of: EditedMessage): readonly PastedText[] {
    return this.#edit(turnId, of)?.pasted ?? [];
  }

  write(turnId: string, of: EditedMessage, text: string): void {
    this.#put({ ...this.#edit(turnId, of), turnId, of, text });
  }

  attach(turnId: string, of: EditedMessage, pasted: readonly PastedText[]): void {
    this.#put({ turnId, of, text: this.text(turnId, of) ?? '', pasted });
  }

  #edit(turnId: string, of: EditedMessage): MessageEdit | undefined {
    return this.#edits.find((edit) => isOf(edit, turnId, of));
  }

  #put(edit: MessageEdit): void {
    this.#edits = [...this.#others(edit.turnId, edit.of), edit];
    this.#timer ??= setTimeout(() => this.#storeNow(), typingPauseMs);
  }

  close(turnId: string, of: EditedMessage): void {
    this.#edits = this.#others(turnId, of);
    this.#storeNow();
  }

  #others(turnId: string, of: EditedMessage): StoredEdits {
    return this.#edits.filter((edit) => !isOf(edit, turnId, of));
  }

  #storeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#store(this.#edits);
  }
}

function isOf(edit: MessageEdit, turnId: string, of: EditedMessage): boolean {
  return edit.turnId === turnId && edit.of === of;
}

/** Those of the page, which has one chat. */
export const messageEdits = new MessageEdits();
