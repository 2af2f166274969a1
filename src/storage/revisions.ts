import type { Database } from './sharedDatabase.ts';
import { StorageError } from './sqlite/storageError.ts';

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

  /**
   * Like `write` of the database.
   *
   * @param stamp marks what changed with its revision, in the same transaction
   */
  write<Result>(change: () => Result, stamp?: (revision: number) => void): Change<Result> {
    return this.#learn(this.#database.write(() => this.#withRevision(change, stamp)));
  }

  /** Like `write`, and the change survives a power failure. */
  writeDurably<Result>(change: () => Result, stamp?: (revision: number) => void): Change<Result> {
    return this.#learn(this.#database.writeDurably(() => this.#withRevision(change, stamp)));
  }

  /** The revision of the last change by any window. */
  last(): number {
    return this.#database.read(() => {
      const n = this.#database.get<{ n: unknown }>('SELECT n FROM revision')?.n;
      if (typeof n === 'number') return n;
      throw new StorageError('damaged', 'The number of the last change is gone.');
    });
  }

  /**
   * Finds out whether another window has written since the last call.
   *
   * @returns the revision after which they wrote, -1 when anything may have changed; undefined when they did not
   */
  changesOfOthersSince(): number | undefined {
    const revision = this.last();
    const known = this.#known;
    this.#known = revision;
    return revision === known ? undefined : known;
  }

  /** Called when another file has replaced the database: anything may have changed. */
  reset(): void {
    this.#known = -1;
  }

  #withRevision<Result>(change: () => Result, stamp?: (revision: number) => void): Change<Result> {
    const before = this.#rowsChanged();
    const result = change();
    if (this.#rowsChanged() === before) return { result };
    const revision = this.#next();
    stamp?.(revision);
    return { result, revision };
  }

  #learn<Result>(change: Change<Result>): Change<Result> {
    // A gap means that another window wrote meanwhile, which `changesOfOthersSince` has yet to report.
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
