import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/node/clock.ts';

/** How often to look whether the machine has another network. */
const tickMs = 5_000;
const firstPauseMs = 5_000;
const longestPauseMs = 120_000;

interface OutageChecksOptions {
  readonly clock: Clock;
  /** Sends one request that costs nothing. Never rejects. */
  readonly check: () => Promise<unknown>;
  /** Whether somebody looks at the window. */
  readonly isWatched: () => boolean;
  /** Changes with the machine's networks; by default the addresses of its interfaces. */
  readonly network?: () => string;
}

/**
 * Checks now and then whether a gateway can be reached again, ever less often. Only while the window is
 * watched, and at once when the machine gets another network.
 */
export class OutageChecks {
  readonly #options: OutageChecksOptions;
  readonly #network: () => string;
  #pauseMs = firstPauseMs;
  #nextAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastNetwork = '';
  #checking = false;
  #stopTimer: (() => void) | undefined;
  #stopDoubt: (() => void) | undefined;

  constructor(options: OutageChecksOptions) {
    this.#options = options;
    this.#network = options.network ?? networkAddresses;
  }

  /** Begins to check, unless it does already. */
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
    this.#stopDoubt?.();
    this.#stopDoubt = undefined;
  }

  /** A connection broke: checks once, soon. Connections that break one after another make few checks. */
  doubt(): void {
    if (this.#stopTimer || this.#stopDoubt || this.#checking) return;
    const { clock } = this.#options;
    const dueMs = Math.max(0, this.#lastAt + firstPauseMs - clock.monotonic());
    this.#stopDoubt = clock.after(dueMs, () => {
      this.#stopDoubt = undefined;
      void this.#check();
    });
  }

  /** Checks at once, unless that was done just now: somebody looks at the window again. */
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
    if (this.#checking || !this.#options.isWatched()) return;
    const network = this.#network();
    if (network !== this.#lastNetwork) {
      this.#lastNetwork = network;
      this.#pauseMs = firstPauseMs;
    } else if (this.#options.clock.monotonic() < this.#nextAt) return;
    void this.#check();
  }

  async #check(): Promise<void> {
    this.#checking = true;
    await this.#options.check();
    this.#checking = false;
    this.#lastAt = this.#options.clock.monotonic();
    this.#nextAt = this.#lastAt + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }
}

function networkAddresses(): string {
  return JSON.stringify(
    Object.values(networkInterfaces()).map((all) => all?.map(({ address }) => address).sort()),
  );
}
