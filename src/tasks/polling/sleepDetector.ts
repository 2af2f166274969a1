import type { Clock } from '../../base/node/clock.ts';

/**
 * Detects a sleep of the machine by a regular tick. A sleep, or a stopped process, is a gap between two
 * ticks. A change of the wall clock is none (F82).
 */
export class SleepDetector {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #uptime: number;
  #monotonic: number;
  #awakeMs = 0;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#uptime = clock.uptime();
    this.#monotonic = clock.monotonic();
  }

  /** @returns whether this is the first tick after a sleep */
  tick(): boolean {
    const uptime = this.#clock.uptime();
    const monotonic = this.#clock.monotonic();
    const passed = monotonic - this.#monotonic;
    const longest = 2 * this.#tickMs;
    const slept = Math.max(passed, uptime - this.#uptime) > longest;
    this.#awakeMs += Math.min(passed, longest);
    this.#uptime = uptime;
    this.#monotonic = monotonic;
    return slept;
  }

  /** Milliseconds awake, up to the last tick. */
  get awakeMs(): number {
    return this.#awakeMs;
  }
}
