import { type Clock, pause } from '../base/node/clock.ts';
import { isRetryable, StorageError } from './sqlite/storageError.ts';

const firstPauseMs = 250;
const maxPauseMs = 30_000;
const giveUpAfterMs = 3_600_000;

interface WriteRetryOptions {
  readonly clock: Clock;
  /** Aborting it ends the retries. */
  readonly windowEnd: AbortSignal | undefined;
  readonly storage: RetryStorage;
}

/** The storage to write to. Both methods reject with a `StorageError`. */
interface RetryStorage {
  /** Runs a change as soon as other connections do not write. */
  change(act: () => void): Promise<void>;
  /** Resolves when all durable writes survive a power failure. */
  flush(): Promise<void>;
}

/**
 * Runs writes in order, at once if possible. If storage fails, retries them with growing pauses, for an hour or
 * until the window ends; the next write tries again. A write that can never succeed is dropped, and later writes
 * continue.
 */
export class WriteRetryQueue {
  readonly #options: WriteRetryOptions;
  readonly #waiting: (() => void)[] = [];
  #retrying: Promise<boolean> | undefined;
  #failedForNow = Promise.withResolvers<void>();
  #hasFailed = false;
  /** Whether a write was dropped since the retries began. */
  #hasDropped = false;

  constructor(options: WriteRetryOptions) {
    this.#options = options;
  }

  /** @throws any error of `write` except a `StorageError`; such a write is not retried, and later writes continue */
  write(write: () => void): void {
    this.#waiting.push(write);
    if (this.#retrying) return;
    try {
      this.#writeAll();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#hasDropped ||= !isRetryable(error);
      if (!isBriefProblem(error)) this.#markFailed();
      this.#retry();
    }
  }

  /** Resolves when all writes are done and durable, or as soon as storage fails for now. Never rejects. */
  async waitForAttempt(): Promise<void> {
    await Promise.race([this.#retry(), this.#failedForNow.promise]);
  }

  /** Present after storage has failed. Resolves to whether all writes finally succeeded. */
  get delayedResult(): Promise<boolean> | undefined {
    return this.#hasFailed ? this.#retrying : undefined;
  }

  #retry(): Promise<boolean> {
    this.#retrying ??= this.#retryUntilWritten();
    return this.#retrying;
  }

  async #retryUntilWritten(): Promise<boolean> {
    const { clock, windowEnd } = this.#options;
    let ms = firstPauseMs;
    if (!this.#hasFailed && (await this.#tryToWrite())) return this.#finish();
    // Sum up the pauses instead of reading the clock, so that a sleep of the machine does not count.
    for (let paused = 0; paused < giveUpAfterMs; ms = Math.min(ms * 2, maxPauseMs)) {
      this.#markFailed();
      paused += ms;
      await pause(clock, ms, windowEnd);
      if (await this.#tryToWrite()) return this.#finish();
      if (windowEnd?.aborted) return false;
    }
    // The next write tries again.
    this.#retrying = undefined;
    return false;
  }

  async #tryToWrite(): Promise<boolean> {
    const { storage } = this.#options;
    do {
      const { length } = this.#waiting;
      try {
        await storage.change(() => this.#writeAll());
        await storage.flush();
      } catch (error) {
        if (isRetryable(error)) return false;
        this.#hasDropped = true;
        // The change failed before any write ran.
        if (this.#waiting.length === length) this.#waiting.shift();
      }
    } while (this.#waiting.length > 0);
    return true;
  }

  #writeAll(): void {
    for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) {
      try {
        write();
      } catch (error) {
        if (isRetryable(error)) this.#waiting.unshift(write);
        throw error;
      }
    }
  }

  #markFailed(): void {
    this.#hasFailed = true;
    this.#failedForNow.resolve();
  }

  /** @returns whether all writes succeeded */
  #finish(): boolean {
    const hasDropped = this.#hasDropped;
    this.#hasDropped = false;
    this.#retrying = undefined;
    this.#failedForNow = Promise.withResolvers();
    this.#hasFailed = false;
    return !hasDropped;
  }
}

/** Whether the error ends soon, because another connection writes to the file or repairs it. */
function isBriefProblem({ kind }: StorageError): boolean {
  return kind === 'busy' || kind === 'damaged';
}
