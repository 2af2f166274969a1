import type { Disposable } from './disposable.ts';

/** Runs an action once for a burst of calls, a while after the first of them. */
export class Throttle implements Disposable {
  readonly #run: () => void;
  readonly #delayMs: () => number;
  readonly #after: AfterMs;
  #callOff: (() => void) | undefined;
  #isDisposed = false;

  /**
   * @param delayMs milliseconds between the first call of a burst and the run
   * @param after calls back after so many milliseconds, by the clock of the system where it is absent
   */
  constructor(run: () => void, delayMs: number | (() => number), after = afterMs) {
    this.#run = run;
    this.#after = after;
    this.#delayMs = typeof delayMs === 'number' ? () => delayMs : delayMs;
  }

  schedule(): void {
    if (!this.#isDisposed) this.#callOff ??= this.#after(this.#delayMs(), () => this.flush());
  }

  /** Runs now, and not once more for the calls of before. */
  flush(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (!this.#isDisposed) this.#run();
  }

  /** Runs nothing any more, whatever is scheduled. */
  dispose(): void {
    this.#isDisposed = true;
    this.#callOff?.();
  }
}

/** Calls back once. @returns what calls it off */
type AfterMs = (ms: number, callback: () => void) => () => void;

function afterMs(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
