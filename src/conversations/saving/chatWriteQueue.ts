import { errorMessage } from '../../base/errors.ts';
import { type Clock, pause } from '../../base/node/clock.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { isRetryable, StorageError } from '../../storage/sqlite/storageError.ts';

const firstPauseMs = 500;
const maxPauseMs = 30_000;

interface QueuedWrite {
  readonly write: () => unknown;
  readonly onTried: () => void;
}

interface QueueOptions {
  /** Called with the reason when storage refuses writes, and with undefined after all writes have succeeded. */
  readonly onProblem: (problem: StorageError | undefined) => void;
  /** Called with the error of a write that is dropped because a retry cannot help. */
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

/**
 * Runs the writes of a chat in order. A write that storage refuses temporarily is retried with growing pauses
 * until it succeeds; a write that can never succeed is dropped, and the following writes run.
 */
export class ChatWriteQueue {
  readonly #options: QueueOptions;
  readonly #waiting: QueuedWrite[] = [];
  #running: Promise<void> | undefined;
  /** Whether storage refused the last write, which will be retried. */
  #isRefused = false;
  #problem: StorageError | undefined;
  /** Ends the pause before the next attempt. */
  #pauseController = new AbortController();
  #isClosing = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The reason why storage refuses writes at the moment. */
  get problem(): StorageError | undefined {
    return this.#problem;
  }

  /** Resolves once the write is done, or as soon as storage refuses it. */
  add(write: () => unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ write, onTried: resolve });
      if (this.#isRefused) resolve();
      void this.#run();
    });
  }

  /** Resolves once the queue is empty. */
  async drain(): Promise<void> {
    await this.#run();
  }

  /** Retries refused writes immediately. */
  retryNow(): void {
    this.#pauseController.abort();
  }

  /** Tries the remaining writes once, without further retries. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.retryNow();
    await this.#run();
  }

  #run(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    this.#running ??= this.#writeAll();
    return this.#running;
  }

  async #writeAll(): Promise<void> {
    let pauseMs = firstPauseMs;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (await this.#tryWrite(next)) {
        this.#waiting.shift();
        next.onTried();
        pauseMs = firstPauseMs;
        continue;
      }
      for (const { onTried } of this.#waiting) onTried();
      if (this.#isClosing) break;
      this.#pauseController = new AbortController();
      await pause(this.#options.clock, pauseMs, this.#pauseController.signal);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
    // Later additions start another run.
    this.#running = undefined;
  }

  /** @returns false if storage refused the write, which must be retried */
  async #tryWrite({ write }: QueuedWrite): Promise<boolean> {
    try {
      await retryWhileBusy(write, this.#options.clock);
    } catch (error) {
      this.#isRefused = isRetryable(error);
      if (isRetryable(error)) {
        this.#setProblem(error);
        return false;
      }
      this.#options.onError(error);
      this.#setProblem(new StorageError('other', errorMessage(error)));
      return true;
    }
    this.#isRefused = false;
    if (this.#waiting.length === 1) this.#setProblem(undefined);
    return true;
  }

  #setProblem(problem: StorageError | undefined): void {
    if (this.#problem?.kind === problem?.kind) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}
