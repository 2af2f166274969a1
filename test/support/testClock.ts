import type { Clock } from '../../src/base/node/clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when the test moves it. */
export class TestClock implements Clock {
  #wall = Date.UTC(2026, 8, 20, 10);
  #monotonic = 1_000;
  #uptime = 50_000;
  /** By time. */
  #timers: Timer[] = [];

  now(): number {
    return Math.round(this.#wall);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  uptime(): number {
    return this.#uptime;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + ms, callback };
    this.#timers.splice(this.#timers.findLastIndex(({ at }) => at <= timer.at) + 1, 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  /** The number of running timers. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Advances the time, timer by timer, and runs all the work that each timer starts. */
  async advance(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await settled();
    for (let next = this.#timers[0]; next && next.at <= until; next = this.#timers[0]) {
      this.#timers.shift();
      this.#pass(Math.max(0, next.at - this.#monotonic));
      next.callback();
      await settled();
    }
    this.#pass(until - this.#monotonic);
  }

  /** Moves the wall clock forward or back. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** A period in which no code runs. On some systems the monotonic clock stops during it. */
  async sleep(ms: number, monotonic: 'stops' | 'goes on'): Promise<void> {
    this.#wall += ms;
    this.#uptime += ms;
    if (monotonic === 'goes on') this.#monotonic += ms;
    await this.advance(0);
  }

  #pass(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    this.#uptime += ms;
  }
}

/** Resolves when all work that needs no further time is done. */
export async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

/** The shared time as seen by one window: its timers wait while it is frozen, and end with it. */
export class WindowClock implements Clock {
  readonly #common: Clock;
  #frozenUntil = 0;
  #dead = false;

  constructor(common: Clock) {
    this.#common = common;
  }

  now(): number {
    return this.#common.now();
  }

  monotonic(): number {
    return this.#common.monotonic();
  }

  uptime(): number {
    return this.#common.uptime();
  }

  after(ms: number, callback: () => void): () => void {
    if (this.#dead) return () => {};
    let callOff = this.#common.after(ms, () => {
      const frozen = this.#frozenUntil - this.#common.monotonic();
      if (frozen > 0) callOff = this.after(frozen, callback);
      else if (!this.#dead) callback();
    });
    return () => callOff();
  }

  freeze(ms: number): void {
    this.#frozenUntil = this.#common.monotonic() + ms;
  }

  thaw(): void {
    this.#frozenUntil = 0;
  }

  die(): void {
    this.#dead = true;
  }
}

/** Waits for work that pauses by `clock`. */
export async function through(clock: TestClock, ending: Promise<void>): Promise<void> {
  let over = false;
  const watched = ending.finally(() => {
    over = true;
  });
  while (!over) await clock.advance(clock.timers > 0 ? 1_000 : 0);
  await watched;
}

/** Waits until a condition holds, without advancing the time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settled();
}
