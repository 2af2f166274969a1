import type { Disposable } from './emitter.ts';

/** Runs an action once for a burst of calls, with a delay after the first one. */
export class Throttle implements Disposable {
  readonly #run: () => void;
  readonly #delayMs: () => number;
  readonly #after: ScheduleCallback;
  #cancel: (() => void) | undefined;
  #isDisposed = false;

  /**
   * @param delayMs milliseconds between the first call of a burst and the run
   * @param after schedules a callback; by default with the system clock
   */
  constructor(run: () => void, delayMs: number | (() => number), after = scheduleWithTimer) {
    this.#run = run;
    this.#after = after;
    this.#delayMs = typeof delayMs === 'number' ? () => delayMs : delayMs;
  }

  schedule(): void {
    if (!this.#isDisposed) this.#cancel ??= this.#after(this.#delayMs(), () => this.flush());
  }

  /** Runs now, and cancels the scheduled run. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.#isDisposed) this.#run();
  }

  /** Cancels the scheduled run, and prevents further ones. */
  dispose(): void {
    this.#isDisposed = true;
    this.#cancel?.();
  }
}

/** Schedules one callback, and returns a function that cancels it. */
type ScheduleCallback = (ms: number, callback: () => void) => () => void;

function scheduleWithTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
