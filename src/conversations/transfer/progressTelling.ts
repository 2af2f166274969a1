import type { ImportedChat, ImportProgress } from './importReport.ts';

/** Enough for a bar that moves, and for a window that must not wait for what it is told. */
const everyMs = 100;
const maxChats = 500;

/** Tells of an import a few times a second, at most so many conversations at once. */
export class ProgressTelling {
  readonly #tell: (progress: ImportProgress) => void;
  #chats: ImportedChat[] = [];
  #read = 0;
  #toldAt = performance.now();

  constructor(tell: (progress: ImportProgress) => void) {
    this.#tell = tell;
  }

  /** @param read from 0 to 1 */
  at(read: number): void {
    this.#read = read;
    this.#tellSometimes();
  }

  add(chat: ImportedChat): void {
    this.#chats.push(chat);
    this.#tellSometimes();
  }

  /** Tells what was not told yet. */
  end(): void {
    this.#tell({ chats: this.#chats, read: this.#read });
    this.#chats = [];
    this.#toldAt = performance.now();
  }

  #tellSometimes(): void {
    if (this.#chats.length >= maxChats || performance.now() - this.#toldAt >= everyMs) this.end();
  }
}
