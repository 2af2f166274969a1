import type { Clock } from '../clock.ts';

/**
 * Tells sleep from waking by a regular tick. A machine that slept, a process that was stopped and a wall clock
 * that was put forward look alike: much more time between two ticks than there should be, by either clock.
 */
export class Wakefulness {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #wall: number;
  #monotonic: number;
  #awakeMs = 0;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
  }

  /** @returns whether this is the first tick after a sleep */
  tick(): boolean {
    const wall = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const passed = monotonic - this.#monotonic;
    const longest = 2 * this.#tickMs;
    const slept = Math.max(passed, wall - this.#wall) > longest;
    this.#awakeMs += Math.min(passed, longest);
    this.#wall = wall;
    this.#monotonic = monotonic;
    return slept;
  }

  /** Time spent awake, up to the last tick. */
  get awakeMs(): number {
    return this.#awakeMs;
  }
}
