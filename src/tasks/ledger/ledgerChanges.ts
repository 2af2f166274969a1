import { Emitter } from '../../base/emitter.ts';
import type { Database } from '../../storage/database.ts';
import type { LedgerList } from './ledgerList.ts';
import type { LedgerReader } from './ledgerReader.ts';

interface Change<Result> {
  readonly result: Result;
  /** Absent when the transaction changed nothing. */
  readonly revision?: number;
}

/**
 * All changes of the ledger. Each gets a revision, by which windows notice each other's changes, and reaches
 * the listeners once it is committed.
 */
export class LedgerChanges {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #list: LedgerList;
  readonly #emitter = new Emitter<string | undefined>();
  /** Fires after this window wrote. Without a key any task may have changed. */
  readonly onDidChange = this.#emitter.event;
  /** This window knows all changes up to this revision. */
  #known: number;
  #includesOtherTasks = false;

  constructor(database: Database, reader: LedgerReader, list: LedgerList) {
    this.#database = database;
    this.#reader = reader;
    this.#list = list;
    this.#known = reader.revision();
  }

  /** Changes one task in one transaction. */
  write<Result>(key: string, change: () => Result): Result {
    return this.#publish(
      key,
      this.#database.write(() => this.#withRevision(change)),
    );
  }

  /** Changes any tasks in one transaction. */
  writeAll(change: () => void): void {
    this.#publish(
      undefined,
      this.#database.write(() => this.#withRevision(change)),
    );
  }

  /** Like `write`, and the change survives a power failure. */
  writeDurably<Result>(key: string, change: () => Result): Result {
    return this.#publish(
      key,
      this.#database.writeDurably(() => this.#withRevision(change)),
    );
  }

  /** Marks the current change as one of other tasks too. */
  includeOtherTasks(): void {
    this.#includesOtherTasks = true;
  }

  /** Whether another window has written since the last call. */
  hasChangesOfOthers(): boolean {
    const revision = this.#reader.revision();
    if (revision === this.#known) return false;
    this.#known = revision;
    return true;
  }

  /** Called when another file has replaced the database. */
  reset(): void {
    this.#list.forget();
    this.#known = -1;
    this.#emitter.fire(undefined);
  }

  #withRevision<Result>(change: () => Result): Change<Result> {
    this.#includesOtherTasks = false;
    const before = this.#rowsChanged();
    const result = change();
    return this.#rowsChanged() === before ? { result } : { result, revision: this.#nextRevision() };
  }

  #publish<Result>(begunFor: string | undefined, { result, revision }: Change<Result>): Result {
    if (revision === undefined) return result;
    // A gap means that another window wrote meanwhile, which `hasChangesOfOthers` has yet to tell.
    if (revision === this.#known + 1) this.#known = revision;
    const key = this.#includesOtherTasks ? undefined : begunFor;
    this.#list.outdate(key, revision);
    this.#emitter.fire(key);
    return result;
  }

  #rowsChanged(): number {
    return this.#database.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }

  #nextRevision(): number {
    const next = this.#reader.revision() + 1;
    this.#database.run('UPDATE revision SET n = ?', next);
    return next;
  }
}
