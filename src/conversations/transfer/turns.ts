import { setTimeout } from 'node:timers/promises';

const workMs = 10;
const restMs = 10;

/**
 * Shares the file of conversations with the windows. SQLite's lock knows no queue: whoever waits for it looks now and
 * then whether it is free, so it must be free for a while.
 */
export class Turns {
  #since = performance.now();

  /** Waits longer than the lock was held, after a transaction that is one of many. */
  async rest(): Promise<void> {
    await setTimeout(restMs);
    this.#since = performance.now();
  }

  /** Waits, once there was work for a while. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < workMs) return;
    await this.rest();
  }
}
