import { errorMessage } from '../../base/errors.ts';
import { type Clock, pause } from '../../base/node/clock.ts';
import { mayPass, StorageError } from '../../storage/sqlite/storageError.ts';
import { whenFree } from '../../storage/whenFree.ts';

const firstPauseMs = 500;
const maxPauseMs = 30_000;

interface Waiting {
  readonly write: () => unknown;
  readonly tried: () => void;
}

interface QueueOptions {
  /** Called with why nothing can be written for now, and with nothing once all was written. */
  readonly onProblem: (problem: StorageError | undefined) => void;
  /** Called with what went wrong in a write that is given up, because repeating it cannot help. */
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

/**
 * Runs the writes of a chat in order. One that storage refuses for now is repeated with growing pauses until it works;
 * one that can never succeed is given up, and those behind it go on.
 */
export class KeepQueue {
  readonly #options: QueueOptions;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** Whether storage refused the last write, which is repeated. */
  #isRefused = false;
  #problem: StorageError | undefined;
  /** Ends the pause before the next attempt. */
  #pausing = new AbortController();
  #isEnding = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Why nothing can be written for now. */
  get problem(): StorageError | undefined {
    return this.#problem;
  }

  /** Resolves once it was written, and as soon as it is clear that it cannot be written for now. */
  add(write: () => unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ write, tried: resolve });
      if (this.#isRefused) resolve();
      void this.#run();
    });
  }

  /** Resolves once nothing waits any more. */
  async drained(): Promise<void> {
    await this.#run();
  }

  /** Repeats at once what storage refused. */
  hurry(): void {
    this.#pausing.abort();
  }

  /** Tries once more what is left, and repeats nothing from then on. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.hurry();
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
      if (await this.#isDone(next)) {
        this.#waiting.shift();
        next.tried();
        pauseMs = firstPauseMs;
        continue;
      }
      for (const { tried } of this.#waiting) tried();
      if (this.#isEnding) break;
      this.#pausing = new AbortController();
      await pause(this.#options.clock, pauseMs, this.#pausing.signal);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
    // What is added from here on begins another run.
    this.#running = undefined;
  }

  async #isDone({ write }: Waiting): Promise<boolean> {
    try {
      await whenFree(write, this.#options.clock);
    } catch (error) {
      this.#isRefused = mayPass(error);
      if (mayPass(error)) {
        this.#become(error);
        return false;
      }
      this.#options.onError(error);
      this.#become(new StorageError('other', errorMessage(error)));
      return true;
    }
    this.#isRefused = false;
    if (this.#waiting.length === 1) this.#become(undefined);
    return true;
  }

  #become(problem: StorageError | undefined): void {
    if (this.#problem?.kind === problem?.kind) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}
