import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Salvaged } from './broken/salvage.ts';
import { IN_MEMORY } from './connection.ts';
import type { Obstacle } from './obstacle.ts';
import { guarded, StorageError, type StorageErrorKind } from './storageError.ts';

/** A row: the values of its columns, in the order of the query. */
export type Values = readonly SQLOutputValue[];

export interface Standing {
  /** Where a broken file went whose place this database took. */
  readonly setAside?: string;
  /** What could be saved of it. */
  readonly salvaged?: Salvaged;
  /** Why it can only be read: a later version wrote it, or nothing can be written where it lies. */
  readonly readOnly?: 'newer' | Obstacle;
}

export interface Opened {
  readonly connection: DatabaseSync;
  readonly standing: Standing;
}

/** How a database is opened again. */
export interface Reopening {
  /** What is at the path now; undefined as long as nothing can be written there. */
  afresh(): Opened | undefined;
  /**
   * What takes the place of a file that turned out to be damaged, if no other process has replaced it.
   *
   * @param inode of the damaged file
   * @param letGo closes it, where files that are open cannot be moved
   */
  mended(inode: number, letGo: () => void): Opened;
}

/** A file that is damaged again and again lies on a disk that is. */
const MOST_MENDED = 10;

/**
 * An open database. Everything is synchronous; what goes wrong is a `StorageError`. Statements are prepared
 * once: their text is constant, values are parameters. Whatever comes upon damage mends the file and is done again,
 * so that a change may be made twice of which the first is undone.
 */
export class Database {
  readonly path: string;
  readonly #reopening: Reopening;
  readonly #statements = new Map<string, StatementSync>();
  readonly #bareStatements = new Map<string, StatementSync>();
  readonly #listeners = new Set<() => void>();
  #opened: Opened;
  #inode: number;
  #isBusy = false;
  #mended = 0;

  constructor(path: string, opened: Opened, reopening: Reopening) {
    this.path = path;
    this.#opened = opened;
    this.#reopening = reopening;
    this.#inode = this.#inodeAtPath() ?? 0;
  }

  get setAside(): string | undefined {
    return this.#opened.standing.setAside;
  }

  get salvaged(): Salvaged | undefined {
    return this.#opened.standing.salvaged;
  }

  get readOnly(): Standing['readOnly'] {
    return this.#opened.standing.readOnly;
  }

  /** Told when another file took the place of the one that was open: all that was read may be otherwise now. */
  onDidReplace(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.read(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.read(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** As `all`, each row as the bare values of its columns: several times as fast where there are thousands. */
  values(sql: string, ...values: readonly SQLInputValue[]): readonly Values[] {
    return this.read(() => this.#statement(sql, true).all(...values) as unknown as Values[]);
  }

  /** Runs one statement and says how many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return this.read(() => Number(this.#statement(sql).run(...values).changes));
  }

  /** Does what may come upon damage, or find it and throw a `StorageError` of that kind: after mending once more. */
  read<Result>(act: () => Result): Result {
    // Within a transaction all of that is done again.
    if (this.#isBusy) return guarded(act);
    return this.#mending(() => guarded(act));
  }

  /**
   * Runs `change` as one transaction, alone among all connections: all of it happens, or, when anything is
   * thrown, nothing. Survives the end of the process; the loss of power may undo the last ones.
   */
  write<Result>(change: () => Result): Result {
    return this.#mending(() => guarded(() => this.#transaction(change)));
  }

  /** As `write`, and when it returns it is on the disk. */
  durably<Result>(change: () => Result): Result {
    return this.#mending(() =>
      guarded(() => {
        const { connection } = this.#opened;
        connection.exec('PRAGMA synchronous = FULL');
        try {
          return this.#transaction(change);
        } finally {
          connection.exec('PRAGMA synchronous = NORMAL');
        }
      }),
    );
  }

  /** Whether it can be written now that it may not have been. */
  becameWritable(): boolean {
    if (this.readOnly === undefined || this.readOnly === 'newer') return false;
    const opened = guarded(() => this.#reopening.afresh());
    if (opened) this.#replace(opened);
    return opened !== undefined;
  }

  close(): void {
    this.#forgetStatements();
    if (this.#opened.connection.isOpen) this.#opened.connection.close();
  }

  #mending<Result>(act: () => Result): Result {
    this.#isBusy = true;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === 'damaged') || !this.#canMend()) throw error;
      guarded(() => this.#mend());
      return act();
    } finally {
      this.#isBusy = false;
    }
  }

  #canMend(): boolean {
    if (this.path === IN_MEMORY || this.readOnly !== undefined || this.#mended >= MOST_MENDED) return false;
    // What is gone altogether was taken away by somebody, and may come back.
    return this.#inodeAtPath() !== undefined;
  }

  #mend(): void {
    this.#mended++;
    this.#forgetStatements();
    this.#replace(this.#reopening.mended(this.#inode, () => this.#opened.connection.close()));
  }

  #replace(opened: Opened): void {
    this.#forgetStatements();
    if (this.#opened.connection.isOpen) this.#opened.connection.close();
    this.#opened = opened;
    this.#inode = this.#inodeAtPath() ?? 0;
    for (const listener of this.#listeners) queueMicrotask(listener);
  }

  #transaction<Result>(change: () => Result): Result {
    const { connection, standing } = this.#opened;
    if (standing.readOnly !== undefined) throw cannotWrite(standing.readOnly);
    connection.exec('BEGIN IMMEDIATE');
    try {
      // Whoever sets the file aside keeps everybody from writing until it is done.
      this.#assertInPlace();
      const result = change();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      // Some failures, such as a full disk, have rolled back already.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** What is written into a file that was moved away or deleted under us would be lost. */
  #assertInPlace(): void {
    if (this.path === IN_MEMORY || this.#inodeAtPath() === this.#inode) return;
    throw new StorageError('damaged', 'The database file was moved away or replaced while it was open.');
  }

  #inodeAtPath(): number | undefined {
    return this.path === IN_MEMORY ? 0 : statSync(this.path, { throwIfNoEntry: false })?.ino;
  }

  #forgetStatements(): void {
    this.#statements.clear();
    this.#bareStatements.clear();
  }

  #statement(sql: string, bare = false): StatementSync {
    const statements = bare ? this.#bareStatements : this.#statements;
    const known = statements.get(sql);
    if (known) return known;
    const statement = this.#opened.connection.prepare(sql);
    statement.setReturnArrays(bare);
    statements.set(sql, statement);
    return statement;
  }
}

function cannotWrite(why: NonNullable<Standing['readOnly']>): StorageError {
  return new StorageError(kindsOfObstacle[why], `The database can only be read: ${why}.`);
}

const kindsOfObstacle: Readonly<Record<NonNullable<Standing['readOnly']>, StorageErrorKind>> = {
  newer: 'read-only',
  full: 'full',
  'over-quota': 'full',
  'read-only-disk': 'read-only',
  unwritable: 'read-only',
  'disk-error': 'io',
};
