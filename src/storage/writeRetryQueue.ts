import { type Clock, pause } from '../base/node/clock.ts';
import { mayPass, StorageError } from './sqlite/storageError.ts';

const firstPauseMs = 250;
const maxPauseMs = 30_000;
const giveUpAfterMs = 3_600_000;

export interface WriteRetryOptions {
  readonly clock: Clock;
  /** Ends the attempts to repeat a write. */
  readonly windowEnd: AbortSignal | undefined;
  readonly storage: RetryStorage;
}

/** What is written to. Both reject with a `StorageError`. */
export interface RetryStorage {
  /** Runs a change as soon as others do not write. */
  change(act: () => void): Promise<void>;
  /** Resolves once all that was written durably survives a power failure. */
  flush(): Promise<void>;
}

/**
 * Runs writes in order, each at once if it can be. When storage fails, it repeats them with growing pauses, for an
 * hour or until the window ends. A write that can never succeed is dropped, and those behind it go on.
 */
export class WriteRetryQueue {
  readonly #options: WriteRetryOptions;
  readonly #waiting: (() => void)[] = [];
  #retrying: Promise<boolean> | undefined;
  #refused = Promise.withResolvers<void>();
  #isRefused = false;
  /** Whether a write was dropped since the attempts began. */
  #hasDropped = false;

  constructor(options: WriteRetryOptions) {
    this.#options = options;
  }

  /** @throws what `action` throws, but no `StorageError`; it is not repeated, and later writes go on */
  write(action: () => void): void {
    this.#waiting.push(action);
    if (this.#retrying) return;
    try {
      this.#writeAll();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#hasDropped ||= !mayPass(error);
      if (!passesSoon(error)) this.#refuse();
      this.#retry();
    }
  }

  /** Resolves once all is written and durable, or as soon as storage refuses it for now. Never rejects. */
  async tried(): Promise<void> {
    await Promise.race([this.#retry(), this.#refused.promise]);
  }

  /** Present once storage refused a write; resolves with whether everything was written. */
  get delayed(): Promise<boolean> | undefined {
    return this.#isRefused ? this.#retrying : undefined;
  }

  #retry(): Promise<boolean> {
    this.#retrying ??= this.#keepTrying();
    return this.#retrying;
  }

  async #keepTrying(): Promise<boolean> {
    const { clock, windowEnd } = this.#options;
    let ms = firstPauseMs;
    if (!this.#isRefused && (await this.#isWritten())) return this.#end();
    // Pauses are counted, not the clock: no time to write passes while the machine sleeps.
    for (let paused = 0; paused < giveUpAfterMs; ms = Math.min(ms * 2, maxPauseMs)) {
      this.#refuse();
      paused += ms;
      await pause(clock, ms, windowEnd);
      if (await this.#isWritten()) return this.#end();
      if (windowEnd?.aborted) return false;
    }
    return false;
  }

  async #isWritten(): Promise<boolean> {
    const { storage } = this.#options;
    do {
      const { length } = this.#waiting;
      try {
        await storage.change(() => this.#writeAll());
        await storage.flush();
      } catch (error) {
        if (mayPass(error)) return false;
        this.#hasDropped = true;
        // It failed before any of them ran.
        if (this.#waiting.length === length) this.#waiting.shift();
      }
    } while (this.#waiting.length > 0);
    return true;
  }

  #writeAll(): void {
    for (let action = this.#waiting.shift(); action; action = this.#waiting.shift()) {
      try {
        action();
      } catch (error) {
        if (mayPass(error)) this.#waiting.unshift(action);
        throw error;
      }
    }
  }

  #refuse(): void {
    this.#isRefused = true;
    this.#refused.resolve();
  }

  /** @returns whether everything was written */
  #end(): boolean {
    const hasDropped = this.#hasDropped;
    this.#hasDropped = false;
    this.#retrying = undefined;
    this.#refused = Promise.withResolvers();
    this.#isRefused = false;
    return !hasDropped;
  }
}

/** Others write, or repair the file. */
function passesSoon({ kind }: StorageError): boolean {
  return kind === 'busy' || kind === 'damaged';
}
