import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { Emitter } from '../base/emitter.ts';
import { errorCode } from '../base/errors.ts';
import { checkPages } from './checkDatabase.ts';
import type { Salvaged } from './salvage/salvage.ts';
import { beginWriting, inMemory } from './sqlite/connection.ts';
import {
  type ReadOnlyCause,
  StorageError,
  type StorageErrorKind,
  toStorageError,
  withStorageErrors,
} from './sqlite/storageError.ts';
import { emptyLog, flushLog } from './writeAheadLog.ts';

/** A row as the values of its columns, in the order of the query. */
export type Values = readonly SQLOutputValue[];

export interface DatabaseHealth {
  /** The new path of the damaged file that this database replaced. */
  readonly setAside?: string;
  /** The numbers of saved and lost rows of the damaged file. */
  readonly salvaged?: Salvaged;
  /** Why the database can only be read; absent if it can be written. */
  readonly readOnly?: ReadOnlyCause;
}

/** An open connection, and the health of its file. */
export interface OpenedFile {
  readonly connection: DatabaseSync;
  readonly health: DatabaseHealth;
}

/** Functions to reopen a database. */
export interface Reopener {
  /**
   * Opens the file that is now at the path.
   *
   * @returns undefined while it cannot be written
   */
  reopen(): OpenedFile | undefined;
  /**
   * Replaces a damaged file, unless another process has replaced it already.
   *
   * @param inode the inode of the damaged file
   * @param release closes the damaged file, on systems that cannot rename open files
   */
  repair(inode: number, release: () => void): OpenedFile;
  /**
   * Opens the file that has replaced a damaged file.
   *
   * @returns undefined while the damaged file is not replaced
   */
  reopenReplaced(inode: number): OpenedFile | undefined;
}

/** If more repairs are necessary, the disk probably fails. */
const maxRepairs = 10;

/**
 * An open database. The methods are synchronous, except `flush`, and throw only `StorageError`. SQL text must be
 * constant, because each statement is prepared once; values are parameters. A call that finds damage repairs the
 * file and runs again. So a change may run twice, the first time without effect.
 */
export class Database {
  readonly path: string;
  readonly #reopener: Reopener;
  readonly #isNonBlocking: boolean;
  readonly #statements = new Map<string, StatementSync>();
  readonly #arrayStatements = new Map<string, StatementSync>();
  readonly #didReplace = new Emitter();
  /** Fires when another file has replaced the open one. Rows that were read before may be different. */
  readonly onDidReplace = this.#didReplace.event;
  readonly #didFindDamage = new Emitter();
  /**
   * Fires if another thread must call `repair`, because this thread must not be blocked. Until the repair, calls
   * fail as `damaged`.
   */
  readonly onDidFindDamage = this.#didFindDamage.event;
  #opened: OpenedFile;
  #inode: number;
  #isBusy = false;
  #repairs = 0;
  /** Whether there are durable writes that are not flushed yet. */
  #shouldFlush = false;
  #flushing: Promise<void> | undefined;

  /** @param isNonBlocking see `DatabaseOptions` */
  constructor(path: string, opened: OpenedFile, reopener: Reopener, isNonBlocking = false) {
    this.path = path;
    this.#opened = opened;
    this.#reopener = reopener;
    this.#isNonBlocking = isNonBlocking;
    this.#inode = this.#readInode() ?? 0;
  }

  get setAside(): string | undefined {
    return this.#opened.health.setAside;
  }

  get salvaged(): Salvaged | undefined {
    return this.#opened.health.salvaged;
  }

  get readOnly(): DatabaseHealth['readOnly'] {
    return this.#opened.health.readOnly;
  }

  /** The inode of the open file. */
  get inode(): number {
    return this.#inode;
  }

  /** The first row of a query; undefined if there is none. */
  get<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.read(
      () => runQuery(this.#prepare(sql), (statement) => statement.get(...values)) as Row | undefined,
    );
  }

  all<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.read(() => runQuery(this.#prepare(sql), (statement) => statement.all(...values)) as Row[]);
  }

  /** Like `all`, but returns each row as an array. This is several times faster for thousands of rows. */
  values(sql: string, ...values: readonly SQLInputValue[]): readonly Values[] {
    return this.read(
      () =>
        runQuery(this.#prepare(sql, true), (statement) => statement.all(...values)) as unknown as Values[],
    );
  }

  /**
   * Runs one statement.
   *
   * @returns the number of changed rows
   */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return this.read(() => Number(this.#prepare(sql).run(...values).changes));
  }

  /**
   * Runs `act`, which may read rows or throw a `StorageError` of kind `damaged`. After damage, repairs the file
   * and runs `act` again.
   */
  read<Result>(act: () => Result): Result {
    // This call is part of a larger one, which repairs the file and runs again.
    if (this.#isBusy) return withStorageErrors(act);
    return this.#withRepair(() => withStorageErrors(act));
  }

  /**
   * Runs `change` as one transaction, exclusively among all connections. If it throws, the transaction is rolled
   * back. The change survives the end of the process, but may be lost in a power failure.
   */
  write<Result>(change: () => Result): Result {
    return this.#withRepair(() => withStorageErrors(() => this.#runTransaction(change)));
  }

  /**
   * Like `write`, but the change also survives a power failure. In a non-blocking database, it does so only after
   * `flush`.
   */
  writeDurably<Result>(change: () => Result): Result {
    if (this.#isNonBlocking) {
      const result = this.write(change);
      this.#shouldFlush = true;
      return result;
    }
    return this.#withRepair(() =>
      withStorageErrors(() => {
        const { connection } = this.#opened;
        connection.exec('PRAGMA synchronous = FULL');
        try {
          return this.#runTransaction(change);
        } finally {
          connection.exec('PRAGMA synchronous = NORMAL');
        }
      }),
    );
  }

  /**
   * Resolves when all durable writes survive a power failure. Does not block this thread.
   *
   * @throws {StorageError}
   */
  async flush(): Promise<void> {
    if (this.#shouldFlush) {
      this.#shouldFlush = false;
      this.#flushing = flushLog(this.path).catch((error) => {
        // Ignore the error if this database was closed: the last connection flushes the log into the file and
        // deletes it.
        if (!this.#opened.connection.isOpen) return;
        this.#shouldFlush = true;
        throw toStorageError(error);
      });
    }
    await this.#flushing;
  }

  /**
   * Moves the log into the file, as far as other connections allow. Blocks until the disk has finished.
   *
   * @returns whether the log is now empty
   */
  emptyLog(): boolean {
    return this.readOnly === undefined && this.read(() => emptyLog(this.path, this.#opened.connection));
  }

  /** Checks all pages of the file, which takes as long as reading the file. Repairs a damaged file. */
  check(): void {
    this.read(() => checkPages(this.#opened.connection));
  }

  /**
   * Replaces the file with a new one that contains the rows that can be saved, if its inode is still this one. Takes
   * as long as copying the file.
   */
  repair(inode: number): void {
    if (this.#inode === inode && this.#canRepair()) withStorageErrors(() => this.#repair());
  }

  /** Reopens the file if another process has replaced it. Writes do this by themselves. */
  reopenIfReplaced(): void {
    const inode = this.#readInode();
    if (this.readOnly !== undefined || inode === undefined || inode === this.#inode) return;
    this.read(() => this.#assertFileAtPath());
  }

  /**
   * Tries to open a read-only database for writing again.
   *
   * @returns whether it can be written now
   */
  reopenForWriting(): boolean {
    if (this.readOnly === undefined || this.readOnly === 'newer') return false;
    const opened = withStorageErrors(() => this.#reopener.reopen());
    if (opened) this.#replace(opened);
    return opened !== undefined;
  }

  /** Closes the file. Later calls throw a `StorageError`. */
  close(): void {
    this.#forgetStatements();
    if (this.#opened.connection.isOpen) this.#opened.connection.close();
  }

  #withRepair<Result>(act: () => Result): Result {
    this.#isBusy = true;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === 'damaged') || !this.#canRepair()) throw error;
      if (!withStorageErrors(() => this.#tryToRepair())) throw error;
      return act();
    } finally {
      this.#isBusy = false;
    }
  }

  #canRepair(): boolean {
    if (this.path === inMemory || this.readOnly !== undefined || this.#repairs >= maxRepairs) return false;
    // Do not repair a missing file. It may have been moved temporarily.
    return this.#readInode() !== undefined;
  }

  #tryToRepair(): boolean {
    // Windows cannot rename a file that is open here, so only this thread can repair it.
    if (!this.#isNonBlocking || process.platform === 'win32') this.#repair();
    else if (!this.#openReplaced()) {
      queueMicrotask(() => this.#didFindDamage.fire());
      return false;
    }
    return true;
  }

  #openReplaced(): boolean {
    const opened = this.#reopener.reopenReplaced(this.#inode);
    if (opened) this.#replace(opened);
    return opened !== undefined;
  }

  #repair(): void {
    this.#repairs++;
    this.#forgetStatements();
    this.#replace(this.#reopener.repair(this.#inode, () => this.#opened.connection.close()));
  }

  #replace(opened: OpenedFile): void {
    this.#forgetStatements();
    if (this.#opened.connection.isOpen) this.#opened.connection.close();
    this.#opened = opened;
    this.#inode = this.#readInode() ?? 0;
    queueMicrotask(() => this.#didReplace.fire());
  }

  #runTransaction<Result>(change: () => Result): Result {
    const { connection, health } = this.#opened;
    if (health.readOnly !== undefined) throw createReadOnlyError(health.readOnly);
    try {
      // Restoring the timeout may fail after the transaction has begun.
      beginWriting(connection, this.#isNonBlocking);
      // The check is reliable here, because a process that replaces the file holds its write lock.
      this.#assertFileAtPath();
      const result = change();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Checks that the open file is still at the path, because writes to a renamed or deleted file would be lost. */
  #assertFileAtPath(): void {
    if (this.path === inMemory || this.#readInode() === this.#inode) return;
    throw new StorageError('damaged', 'The database file was moved away or replaced while it was open.');
  }

  #readInode(): number | undefined {
    return this.path === inMemory ? 0 : statSync(this.path, { throwIfNoEntry: false })?.ino;
  }

  #forgetStatements(): void {
    this.#statements.clear();
    this.#arrayStatements.clear();
  }

  #prepare(sql: string, asArrays = false): StatementSync {
    const statements = asArrays ? this.#arrayStatements : this.#statements;
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = this.#opened.connection.prepare(sql);
    statement.setReturnArrays(asArrays);
    statements.set(sql, statement);
    return statement;
  }
}

/**
 * Runs a query. Node.js throws for integers above 2^53, so this function rounds them: one such integer must not
 * prevent reading the other rows.
 */
function runQuery<Found>(statement: StatementSync, query: (statement: StatementSync) => Found): Found {
  try {
    return query(statement);
  } catch (error) {
    if (errorCode(error) !== 'ERR_OUT_OF_RANGE') throw error;
  }
  statement.setReadBigInts(true);
  try {
    const found = query(statement);
    for (const row of [found ?? []].flat() as Record<string, SQLOutputValue>[]) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === 'bigint') row[name] = Number(value);
      }
    }
    return found;
  } finally {
    statement.setReadBigInts(false);
  }
}

function createReadOnlyError(readOnly: ReadOnlyCause): StorageError {
  return new StorageError(kindsByCause[readOnly], `The database is read-only: ${readOnly}.`, {
    readOnly,
  });
}

const kindsByCause: Readonly<Record<ReadOnlyCause, StorageErrorKind>> = {
  newer: 'read-only',
  full: 'full',
  'over-quota': 'full',
  'read-only-disk': 'read-only',
  unwritable: 'read-only',
  'disk-error': 'io',
};
