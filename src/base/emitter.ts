/** Ends a subscription or a timer, or frees a resource. */
export interface Disposable {
  dispose(): void;
}

/** Calls `listener` with every later value, until the subscription is disposed. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Like VS Code's `EventEmitter`, for code that does not depend on VS Code. */
export class Emitter<T = void> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // A new function for each subscription, because one listener may subscribe several times.
    const subscriber = (value: T) => listener(value);
    this.#listeners.add(subscriber);
    return { dispose: () => void this.#listeners.delete(subscriber) };
  };

  /**
   * Calls all listeners. Never throws: an error of a listener becomes an uncaught error, so the other listeners and
   * the caller continue.
   */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      // An earlier listener may have disposed this subscription.
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
