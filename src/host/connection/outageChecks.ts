import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/node/clock.ts';

/** The interval for comparing the machine's networks, in milliseconds. */
const tickMs = 5_000;
const firstPauseMs = 5_000;
const maxPauseMs = 120_000;

interface OutageChecksOptions {
  readonly clock: Clock;
  /** Sends one request that is free of charge. Never rejects. */
  readonly check: () => Promise<unknown>;
  /** Whether the user looks at the window. */
  readonly isWatched: () => boolean;
  /** Returns a text that changes with the machine's networks; by default the addresses of its interfaces. */
  readonly network?: () => string;
}

/**
 * Checks periodically whether a gateway can be reached again, with growing pauses. It checks only while the user
 * looks at the window, and at once when the machine gets another network.
 */
export class OutageChecks {
  readonly #options: OutageChecksOptions;
  readonly #network: () => string;
  #pauseMs = firstPauseMs;
  #nextAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastNetwork = '';
  #isChecking = false;
  #stopTimer: (() => void) | undefined;
  #stopSingleCheck: (() => void) | undefined;

  constructor(options: OutageChecksOptions) {
    this.#options = options;
    this.#network = options.network ?? readNetworkAddresses;
  }

  /** Starts the periodic checks, unless they run already. */
  start(): void {
    if (this.#stopTimer) return;
    this.#pauseMs = firstPauseMs;
    this.#lastAt = this.#options.clock.monotonic();
    this.#nextAt = this.#lastAt + firstPauseMs;
    this.#lastNetwork = this.#network();
    this.#wait();
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#stopSingleCheck?.();
    this.#stopSingleCheck = undefined;
  }

  /** Checks once, soon, after a connection broke. Sends at most one check in 5 seconds. */
  checkSoon(): void {
    if (this.#stopTimer || this.#stopSingleCheck || this.#isChecking) return;
    const { clock } = this.#options;
    const dueMs = Math.max(0, this.#lastAt + firstPauseMs - clock.monotonic());
    this.#stopSingleCheck = clock.after(dueMs, () => {
      this.#stopSingleCheck = undefined;
      void this.#check();
    });
  }

  /** Checks at once when the user looks at the window again, unless a check has just been made. */
  wake(): void {
    if (!this.#stopTimer) return;
    this.#nextAt = Math.min(this.#nextAt, this.#lastAt + firstPauseMs);
    this.#tick();
  }

  #wait(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#options.clock.after(tickMs, () => this.#tick());
  }

  #tick(): void {
    this.#wait();
    if (this.#isChecking || !this.#options.isWatched()) return;
    const network = this.#network();
    if (network !== this.#lastNetwork) {
      this.#lastNetwork = network;
      this.#pauseMs = firstPauseMs;
    } else if (this.#options.clock.monotonic() < this.#nextAt) return;
    void this.#check();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    await this.#options.check();
    this.#isChecking = false;
    this.#lastAt = this.#options.clock.monotonic();
    this.#nextAt = this.#lastAt + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }
}

function readNetworkAddresses(): string {
  return JSON.stringify(
    Object.values(networkInterfaces()).map((all) => all?.map(({ address }) => address).sort()),
  );
}
