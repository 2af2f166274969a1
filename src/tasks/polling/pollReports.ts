import { Emitter } from '../../base/emitter.ts';
import { StorageError } from '../../storage/database.ts';
import type { WatchEvent } from './watchEvent.ts';

/** Reports the poller's events, and storage that fails beside its work. */
export class PollReports {
  readonly #emitter = new Emitter<WatchEvent>();
  readonly onEvent = this.#emitter.event;
  #storageFails = false;

  tell(event: WatchEvent): void {
    this.#emitter.fire(event);
  }

  /**
   * Runs what can be repeated later.
   *
   * @returns undefined when storage failed
   */
  async attempt<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await act();
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
