import { Emitter } from '../../base/emitter.ts';
import type { Change, Revisions } from '../../storage/revisions.ts';
import type { Database } from '../../storage/sharedDatabase.ts';
import type { LedgerList } from './ledgerList.ts';
import { type ChangedTasks, changesKept, type LedgerReader } from './ledgerReader.ts';

/** All changes of the ledger. Each reaches the listeners once it is committed. */
export class LedgerChanges {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #revisions: Revisions;
  readonly #list: LedgerList;
  readonly #emitter = new Emitter<string | undefined>();
  /** Fires after this window wrote. Without a key any task may have changed. */
  readonly onDidChange = this.#emitter.event;
  #includesOtherTasks = false;
  #hasWrittenDurably = false;

  constructor(database: Database, reader: LedgerReader, revisions: Revisions, list: LedgerList) {
    this.#database = database;
    this.#reader = reader;
    this.#revisions = revisions;
    this.#list = list;
  }

  /** Changes one task in one transaction. */
  write<Result>(key: string, change: () => Result): Result {
    return this.#publish(key, this.#revisions.write(this.#alone(change), this.#stamp(key)));
  }

  /** Changes any tasks in one transaction. */
  writeAll(change: () => void): void {
    this.#publish(undefined, this.#revisions.write(this.#alone(change), this.#stamp(undefined)));
  }

  /** Like `write`, and the change survives a power failure. */
  writeDurably<Result>(key: string, change: () => Result): Result {
    this.#hasWrittenDurably = true;
    return this.#publish(key, this.#revisions.writeDurably(this.#alone(change), this.#stamp(key)));
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

  /** The tasks that other windows, or this one at the same time, have changed since the last call. */
  changesOfOthers(): ChangedTasks {
    const since = this.#revisions.changesOfOthersSince();
    return since === undefined ? [] : this.#reader.changedSince(since);
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

  /** Stores which task a revision changed, and forgets the oldest revision. */
  #stamp(begunFor: string | undefined): (revision: number) => void {
    return (revision) => {
      const key = this.#includesOtherTasks ? null : (begunFor ?? null);
      this.#database.run('INSERT OR REPLACE INTO changes VALUES (?, ?)', revision, key);
      this.#database.run('DELETE FROM changes WHERE revision <= ?', revision - changesKept);
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
