import type { Disposable } from './disposable.ts';

/** Runs an action once for a burst of calls, a while after the first of them. */
export class Throttle implements Disposable {
  readonly #run: () => void;
  readonly #delayMs: () => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  /** @param delayMs milliseconds between the first call of a burst and the run */
  constructor(run: () => void, delayMs: number | (() => number)) {
    this.#run = run;
    this.#delayMs = typeof delayMs === 'number' ? () => delayMs : delayMs;
  }

  schedule(): void {
    if (!this.#isDisposed) this.#timer ??= setTimeout(() => this.flush(), this.#delayMs());
  }

  /** Runs now, and not once more for the calls of before. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isDisposed) this.#run();
  }

  /** Runs nothing any more, whatever is scheduled. */
  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}
