import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';

const batchMs = 100;

/** Reports many changes at once, since a thousand tasks change several times a second. */
export class ChangeBatch implements Disposable {
  readonly #tell: (key: string | undefined) => void;
  readonly #keys = new Set<string | undefined>();
  readonly #throttle = new Throttle(() => this.#report(), batchMs);

  /** @param tell called with the key if one task changed, and without a key if several did */
  constructor(tell: (key: string | undefined) => void) {
    this.#tell = tell;
  }

  add(key: string | undefined): void {
    this.#keys.add(key);
    this.#throttle.schedule();
  }

  /** Reports nothing after this. */
  dispose(): void {
    this.#throttle.dispose();
  }

  #report(): void {
    const [first, ...others] = this.#keys;
    this.#keys.clear();
    this.#tell(others.length === 0 ? first : undefined);
  }
}
