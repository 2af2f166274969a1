import { type Clock, pause } from '../base/node/clock.ts';
import { StorageError } from './storageError.ts';

const firstPauseMs = 250;
const maxPauseMs = 30_000;
const giveUpAfterMs = 3_600_000;

/**
 * Runs writes in order. When storage fails, it repeats them with growing pauses, for an hour or until the
 * window ends.
 */
export class WriteRetryQueue {
  readonly #clock: Clock;
  readonly #windowEnd: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  #retrying: Promise<boolean> | undefined;

  constructor(clock: Clock, windowEnd: AbortSignal | undefined) {
    this.#clock = clock;
    this.#windowEnd = windowEnd;
  }

  /** @throws what `action` throws, but no `StorageError`; it is not repeated, and later writes go on */
  write(action: () => void): void {
    this.#waiting.push(action);
    if (this.#retrying || this.#flush()) return;
    this.#retrying = this.#retry().catch(() => {
      // What waits behind the write that failed is written with the next one.
      this.#retrying = undefined;
      return false;
    });
  }

  /** Present once a write had to wait; resolves with whether everything was written. */
  get delayed(): Promise<boolean> | undefined {
    return this.#retrying;
  }

  #flush(): boolean {
    for (let action = this.#waiting.shift(); action; action = this.#waiting.shift()) {
      if (attempt(action)) continue;
      this.#waiting.unshift(action);
      return false;
    }
    return true;
  }

  async #retry(): Promise<boolean> {
    let ms = firstPauseMs;
    // Pauses are counted, not the clock: no time to write passes while the machine sleeps.
    for (let paused = 0; paused < giveUpAfterMs; ms = Math.min(ms * 2, maxPauseMs)) {
      paused += ms;
      await pause(this.#clock, ms, this.#windowEnd);
      if (this.#flush()) {
        this.#retrying = undefined;
        return true;
      }
      if (this.#windowEnd?.aborted) return false;
    }
    return false;
  }
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (error instanceof StorageError) return false;
    throw error;
  }
}
