import type { Disposable } from './disposable.ts';

/** Calls `listener` with every value from now on, until the subscription is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Reports what happens, like the class of VS Code, in rooms that do without VS Code. */
export class Emitter<T = void> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // One function may subscribe several times.
    const own = (value: T) => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  /**
   * Calls all listeners. Never throws: an error of a listener becomes an uncaught one, so it stops neither the
   * others nor the caller.
   */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      // An earlier listener may have ended this one's subscription.
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
