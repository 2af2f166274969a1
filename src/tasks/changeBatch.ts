const batchMs = 100;

/** Reports many changes at once, since a thousand tasks change several times a second. */
export class ChangeBatch {
  readonly #tell: (key: string | undefined) => void;
  readonly #keys = new Set<string | undefined>();
  #pending: NodeJS.Timeout | undefined;
  #isDisposed = false;

  /** @param tell called with the key if one task changed, and without a key if several did */
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

  /** Reports nothing after this. */
  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#pending);
  }
}
