import { Emitter } from '../../base/emitter.ts';
import { StorageError } from '../../storage/database.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';

/** The events of the watcher, in addition to its writes to the ledger. */
export type WatchEvent =
  /** The task completed or failed. */
  | { readonly type: 'ended'; readonly key: string }
  /** The gateway no longer knows the task. */
  | { readonly type: 'missing'; readonly key: string }
  /** The time limit of the settings has ended the polling of the task. */
  | { readonly type: 'timed-out'; readonly key: string }
  /** The window that sent the request died before the reply. */
  | { readonly type: 'unknown'; readonly key: string }
  /** A search found the task at the gateway. */
  | { readonly type: 'found'; readonly key: string; readonly taskId: string }
  /** The gateway refuses the credential of an account. Its tasks wait for `resumeGateway`. Reported once. */
  | {
      readonly type: 'paused';
      readonly gateway: string;
      /** The name in the account's tasks. */
      readonly gatewayName: string;
      readonly error: GatewayError;
    }
  | { readonly type: 'resumed'; readonly gateway: string }
  /** The gateway requested a long pause, which ends at this time by the wall clock. */
  | {
      readonly type: 'rate-limited';
      readonly gateway: string;
      readonly until: number;
      readonly error: GatewayError;
    }
  /** This window begins or stops leading, and thus polling. */
  | { readonly type: 'leading'; readonly isLeader: boolean }
  /** The machine slept: old connections are dead. Reported before the next poll. */
  | { readonly type: 'woke' }
  /** A polled status could not be stored, so the task is polled again. Reported once until storage works again. */
  | { readonly type: 'storage-failed'; readonly error: unknown };

/** Reports the events of polling, and failures of storage. */
export class PollReports {
  readonly #emitter = new Emitter<WatchEvent>();
  readonly onEvent = this.#emitter.event;
  #isStorageFailing = false;

  report(event: WatchEvent): void {
    this.#emitter.fire(event);
  }

  /**
   * Runs an action that can be repeated later.
   *
   * @returns undefined if storage failed
   */
  async attempt<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.reportStorageFailure(error);
      return undefined;
    }
  }

  /** Ends a series of storage failures, so that the next failure is reported again. */
  recordStorageSuccess(): void {
    this.#isStorageFailing = false;
  }

  /** Reports only the first failure until storage works again. */
  reportStorageFailure(error: StorageError): void {
    if (this.#isStorageFailing) return;
    this.#isStorageFailing = true;
    this.report({ type: 'storage-failed', error });
  }
}
