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
  /** Sorted by time. */
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
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /** The number of running timers. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Advances the time, timer by timer, and runs all the work that each timer starts. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await waitForWork();
    for (let next = this.#timers[0]; next && next.at <= end; next = this.#timers[0]) {
      this.#timers.shift();
      this.#move(Math.max(0, next.at - this.#monotonic));
      next.callback();
      await waitForWork();
    }
    this.#move(end - this.#monotonic);
  }

  /** Moves the wall clock forward or back. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Lets the machine sleep, so that no code runs. On some systems the monotonic clock stops meanwhile. */
  async sleep(ms: number, monotonic: 'stops' | 'goes on'): Promise<void> {
    this.#wall += ms;
    this.#uptime += ms;
    if (monotonic === 'goes on') this.#monotonic += ms;
    await this.advance(0);
  }

  #move(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    this.#uptime += ms;
  }
}

/** Waits until all work that needs no further time is done. */
export async function waitForWork(): Promise<void> {
  await new Promise(setImmediate);
}

/** The shared time as seen by one window: its timers wait while it is frozen, and end with it. */
export class WindowClock implements Clock {
  readonly #common: Clock;
  #frozenUntil = 0;
  #isDead = false;

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
    if (this.#isDead) return () => {};
    let cancel = this.#common.after(ms, () => {
      const frozen = this.#frozenUntil - this.#common.monotonic();
      if (frozen > 0) cancel = this.after(frozen, callback);
      else if (!this.#isDead) callback();
    });
    return () => cancel();
  }

  freeze(ms: number): void {
    this.#frozenUntil = this.#common.monotonic() + ms;
  }

  thaw(): void {
    this.#frozenUntil = 0;
  }

  die(): void {
    this.#isDead = true;
  }
}

/** Waits for work that pauses by `clock`. */
export async function waitByClock(clock: TestClock, work: Promise<void>): Promise<void> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(clock.timers > 0 ? 1_000 : 0);
  await watched;
}

/** Waits until a condition holds, without advancing the time. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await waitForWork();
}
