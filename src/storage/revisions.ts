import type { Database } from './sharedDatabase.ts';
import { StorageError } from './storageError.ts';

export interface Change<Result> {
  readonly result: Result;
  /** Absent when the transaction changed nothing. */
  readonly revision?: number;
}

/**
 * Gives each change of a database a revision, by which windows notice each other's changes. The table
 * `revision` holds the last one in its only row: `one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL`.
 */
export class Revisions {
  readonly #database: Database;
  /** This window knows all changes up to this revision. */
  #known: number;

  constructor(database: Database) {
    this.#database = database;
    this.#known = this.last();
  }

  /** Like `write` of the database. */
  write<Result>(change: () => Result): Change<Result> {
    return this.#learn(this.#database.write(() => this.#withRevision(change)));
  }

  /** Like `writeDurably` of the database. */
  writeDurably<Result>(change: () => Result): Change<Result> {
    return this.#learn(this.#database.writeDurably(() => this.#withRevision(change)));
  }

  /** The revision of the last change by any window. */
  last(): number {
    return this.#database.read(() => {
      const n = this.#database.get<{ n: unknown }>('SELECT n FROM revision')?.n;
      if (typeof n === 'number') return n;
      throw new StorageError('damaged', 'The number of the last change is gone.');
    });
  }

  /** Whether another window has written since the last call. */
  hasChangesOfOthers(): boolean {
    const revision = this.last();
    if (revision === this.#known) return false;
    this.#known = revision;
    return true;
  }

  /** Called when another file has replaced the database: anything may have changed. */
  reset(): void {
    this.#known = -1;
  }

  #withRevision<Result>(change: () => Result): Change<Result> {
    const before = this.#rowsChanged();
    const result = change();
    return this.#rowsChanged() === before ? { result } : { result, revision: this.#next() };
  }

  #learn<Result>(change: Change<Result>): Change<Result> {
    // A gap means that another window wrote meanwhile, which `hasChangesOfOthers` has yet to tell.
    if (change.revision === this.#known + 1) this.#known = change.revision;
    return change;
  }

  #rowsChanged(): number {
    return this.#database.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }

  #next(): number {
    const next = this.last() + 1;
    this.#database.run('UPDATE revision SET n = ?', next);
    return next;
  }
}
