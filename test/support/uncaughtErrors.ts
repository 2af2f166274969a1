const events = ['uncaughtException', 'unhandledRejection'] as const;

/** Collects the errors that nothing catches, until `end`, in place of the test runner. */
export class UncaughtErrors {
  readonly #errors: unknown[] = [];
  readonly #collect = (error: unknown): void => void this.#errors.push(error);
  readonly #restore: (() => void)[] = [];

  constructor() {
    for (const event of events) {
      const others = process.listeners(event as 'uncaughtException');
      process.removeAllListeners(event);
      process.on(event, this.#collect);
      this.#restore.push(() => {
        process.removeListener(event, this.#collect);
        for (const other of others) process.on(event as 'uncaughtException', other);
      });
    }
  }

  /** Returns the errors so far. */
  async end(): Promise<readonly unknown[]> {
    // Node.js reports rejections after the current work.
    await new Promise(setImmediate);
    for (const restore of this.#restore.splice(0)) restore();
    return this.#errors;
  }
}

/** Waits for the next uncaught exception, which does not fail the test. */
export function waitForUncaught(): Promise<unknown> {
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  return new Promise((resolve) => {
    process.once('uncaughtException', (error) => {
      for (const listener of others) process.on('uncaughtException', listener);
      resolve(error);
    });
  });
}
