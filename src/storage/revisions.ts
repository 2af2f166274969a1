import type { Database } from './sharedDatabase.ts';
import { StorageError } from './sqlite/storageError.ts';

/** The result of a write, and the revision of its changes. */
export interface RevisedResult<Result> {
  readonly result: Result;
  /** Absent if the transaction did not change any rows. */
  readonly revision?: number;
}

/**
 * Numbers the changes of a database, so that windows detect the changes of other windows. The only row of the table
 * `revision` contains the last number: `one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL`.
 */
export class Revisions {
  readonly #database: Database;
  /** This window has read all changes up to this revision. */
  #lastSeen: number;

  constructor(database: Database) {
    this.#database = database;
    this.#lastSeen = this.readLast();
  }

  /**
   * Like `Database.write`.
   *
   * @param stamp stores the revision of the changed rows, in the same transaction
   */
  write<Result>(change: () => Result, stamp?: (revision: number) => void): RevisedResult<Result> {
    return this.#noteRevision(this.#database.write(() => this.#withRevision(change, stamp)));
  }

  /** Like `write`, but the change also survives a power failure. */
  writeDurably<Result>(change: () => Result, stamp?: (revision: number) => void): RevisedResult<Result> {
    return this.#noteRevision(this.#database.writeDurably(() => this.#withRevision(change, stamp)));
  }

  /** The revision of the last change by any window. */
  readLast(): number {
    return this.#database.read(() => {
      const n = this.#database.get<{ n: unknown }>('SELECT n FROM revision')?.n;
      if (typeof n === 'number') return n;
      throw new StorageError('damaged', 'The number of the last change is missing.');
    });
  }

  /**
   * Checks whether another window has written since the last call.
   *
   * @returns the revision before the changes; -1 if anything may have changed; undefined if there are no changes
   */
  findChangesOfOthers(): number | undefined {
    const revision = this.readLast();
    const lastSeen = this.#lastSeen;
    this.#lastSeen = revision;
    return revision === lastSeen ? undefined : lastSeen;
  }

  /** Called after another file has replaced the database, because anything may have changed. */
  reset(): void {
    this.#lastSeen = -1;
  }

  #withRevision<Result>(change: () => Result, stamp?: (revision: number) => void): RevisedResult<Result> {
    const before = this.#countChangedRows();
    const result = change();
    if (this.#countChangedRows() === before) return { result };
    const revision = this.#advance();
    stamp?.(revision);
    return { result, revision };
  }

  #noteRevision<Result>(change: RevisedResult<Result>): RevisedResult<Result> {
    // A gap means that another window wrote in between. `findChangesOfOthers` will report this.
    if (change.revision === this.#lastSeen + 1) this.#lastSeen = change.revision;
    return change;
  }

  #countChangedRows(): number {
    return this.#database.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }

  #advance(): number {
    const next = this.readLast() + 1;
    this.#database.run('UPDATE revision SET n = ?', next);
    return next;
  }
}
