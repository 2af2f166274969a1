import { type Clock, systemClock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import type { WriteRetryQueue } from '../../storage/writeRetryQueue.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { Finish } from './arriving.ts';
import type { ConversationStore } from './conversationStore.ts';

export interface ReplyKeeperOptions {
  readonly store: Pick<ConversationStore, 'append' | 'finish'>;
  readonly conversation: string;
  readonly answer: string;
  /** Repeats the last write, until it succeeds. */
  readonly writes: WriteRetryQueue;
  /** Called when something could not be written, which is tried again. */
  readonly onError: (error: StorageError) => void;
  readonly clock?: Clock;
}

/** The most that is lost of a reply when its window is killed, in milliseconds. */
const writeAfterMs = 900;

/** Writes what arrives of one answer, about once a second, and all of it at its end. */
export class ReplyKeeper {
  readonly #options: ReplyKeeperOptions;
  readonly #clock: Clock;
  /** What arrived and is not written. */
  #events: ChatEvent[] = [];
  #stopTimer: (() => void) | undefined;

  constructor(options: ReplyKeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Writes events within a second. */
  add(events: readonly ChatEvent[]): void {
    for (const event of events) this.#events.push(event);
    if (events.length > 0) this.#schedule();
  }

  /** Writes at once what was added. What cannot be written is tried again. */
  flush(): void {
    this.#stop();
    if (this.#events.length === 0) return;
    const { store, conversation, answer, onError } = this.#options;
    try {
      store.append(conversation, answer, this.#events);
      this.#events = [];
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#schedule();
      onError(error);
    }
  }

  /**
   * Writes the whole answer, as often as it takes. Nothing is added after this.
   *
   * @returns absent when it is written; else resolves with whether it could be, before the window ended
   */
  finish(finish: Finish): Promise<boolean> | undefined {
    this.#stop();
    this.#events = [];
    const { store, conversation, answer, writes, onError } = this.#options;
    writes.write(() => {
      try {
        store.finish(conversation, answer, finish);
      } catch (error) {
        if (error instanceof StorageError) onError(error);
        throw error;
      }
    });
    return writes.delayed;
  }

  #schedule(): void {
    this.#stopTimer ??= this.#clock.after(writeAfterMs, () => this.flush());
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
