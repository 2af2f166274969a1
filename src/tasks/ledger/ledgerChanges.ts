import { Emitter } from '../../base/emitter.ts';
import type { Change, Revisions } from '../../storage/revisions.ts';
import type { LedgerList } from './ledgerList.ts';

/** All changes of the ledger. Each reaches the listeners once it is committed. */
export class LedgerChanges {
  readonly #revisions: Revisions;
  readonly #list: LedgerList;
  readonly #emitter = new Emitter<string | undefined>();
  /** Fires after this window wrote. Without a key any task may have changed. */
  readonly onDidChange = this.#emitter.event;
  #includesOtherTasks = false;
  #hasWrittenDurably = false;

  constructor(revisions: Revisions, list: LedgerList) {
    this.#revisions = revisions;
    this.#list = list;
  }

  /** Changes one task in one transaction. */
  write<Result>(key: string, change: () => Result): Result {
    return this.#publish(key, this.#revisions.write(this.#alone(change)));
  }

  /** Changes any tasks in one transaction. */
  writeAll(change: () => void): void {
    this.#publish(undefined, this.#revisions.write(this.#alone(change)));
  }

  /** Like `write`, and the change survives a power failure. */
  writeDurably<Result>(key: string, change: () => Result): Result {
    this.#hasWrittenDurably = true;
    return this.#publish(key, this.#revisions.writeDurably(this.#alone(change)));
  }

  /** Runs `change`, and tells whether any of it was to be durable. */
  watched<Result>(change: () => Result): { readonly result: Result; readonly isDurable: boolean } {
    this.#hasWrittenDurably = false;
    const result = change();
    return { result, isDurable: this.#hasWrittenDurably };
  }

  /** Marks the current change as one of other tasks too. */
  includeOtherTasks(): void {
    this.#includesOtherTasks = true;
  }

  /** Whether another window has written since the last call. */
  hasChangesOfOthers(): boolean {
    return this.#revisions.hasChangesOfOthers();
  }

  /** Called when another file has replaced the database. */
  reset(): void {
    this.#list.forget();
    this.#revisions.reset();
    this.#emitter.fire(undefined);
  }

  /** A change of one task, unless it marks itself as one of others too. */
  #alone<Result>(change: () => Result): () => Result {
    return () => {
      this.#includesOtherTasks = false;
      return change();
    };
  }

  #publish<Result>(begunFor: string | undefined, { result, revision }: Change<Result>): Result {
    if (revision === undefined) return result;
    const key = this.#includesOtherTasks ? undefined : begunFor;
    this.#list.outdate(key, revision);
    this.#emitter.fire(key);
    return result;
  }
}
