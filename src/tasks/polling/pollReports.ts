import { StorageError } from '../../storage/database.ts';
import type { WatchEvent } from './watchEvent.ts';

/** Reports the poller's events, and storage that fails beside its work. */
export class PollReports {
  readonly #listeners = new Set<(event: WatchEvent) => void>();
  #storageFails = false;

  /** @returns a function that ends the subscription */
  listen(listener: (event: WatchEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: WatchEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /**
   * Runs what can be repeated later.
   *
   * @returns undefined when storage failed
   */
  attempt<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.storageFailed(error);
      return undefined;
    }
  }

  storageWorks(): void {
    this.#storageFails = false;
  }

  storageFailed(error: StorageError): void {
    if (this.#storageFails) return;
    this.#storageFails = true;
    this.tell({ type: 'storage-failed', error });
  }
}
