const batchMs = 100;

/** Tells a burst of changes once: a thousand tasks change several times a second. */
export class ChangeBatch {
  readonly #tell: (key: string | undefined) => void;
  readonly #keys = new Set<string | undefined>();
  #pending: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** @param tell called with the key of the only task that changed, or with nothing when any may have */
  constructor(tell: (key: string | undefined) => void) {
    this.#tell = tell;
  }

  add(key: string | undefined): void {
    if (this.#isDisposed) return;
    this.#keys.add(key);
    this.#pending ??= setTimeout(() => {
      const [first, ...others] = this.#keys;
      this.#keys.clear();
      this.#pending = undefined;
      this.#tell(others.length === 0 ? first : undefined);
    }, batchMs);
  }

  /** Nothing is told any more. */
  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#pending);
  }
}
