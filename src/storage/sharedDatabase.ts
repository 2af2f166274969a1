import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { Emitter } from '../base/emitter.ts';
import { errorCode } from '../base/errors.ts';
import { checkPages } from './check.ts';
import { emptyLog, flushLog } from './log.ts';
import type { Salvaged } from './salvage/salvage.ts';
import { beginWriting, inMemory } from './sqlite/connection.ts';
import {
  asStorageError,
  type ReadOnlyCause,
  StorageError,
  type StorageErrorKind,
  withStorageErrors,
} from './sqlite/storageError.ts';

/** A row as the values of its columns, in the order of the query. */
export type Values = readonly SQLOutputValue[];

export interface DatabaseHealth {
  /** The new path of the broken file that this database replaced. */
  readonly setAside?: string;
  /** What was saved of the broken file. */
  readonly salvaged?: Salvaged;
  /** Present while the database can only be read. */
  readonly readOnly?: ReadOnlyCause;
}

export interface Opened {
  readonly connection: DatabaseSync;
  readonly health: DatabaseHealth;
}

/** How a database is opened again. */
export interface Reopener {
  /**
   * Opens what is at the path now.
   *
   * @returns undefined as long as it cannot be written
   */
  reopen(): Opened | undefined;
  /**
   * Replaces a damaged file, unless another process has replaced it already.
   *
   * @param inode the inode of the damaged file
   * @param release closes it, where open files cannot be renamed
   */
  repair(inode: number, release: () => void): Opened;
  /**
   * Opens what has replaced a damaged file.
   *
   * @returns undefined as long as nothing has
   */
  reopenReplaced(inode: number): Opened | undefined;
}

/** A file that breaks more often than this lies on a failing disk. */
const maxRepairs = 10;

/**
 * An open database. All methods are synchronous and throw `StorageError` only. SQL text is constant, since
 * each statement is prepared once; values are parameters. A call that finds damage repairs the file and runs
 * once more, so a change may run twice, the first time without effect.
 */
export class Database {
  readonly path: string;
  readonly #reopener: Reopener;
  readonly #neverWaits: boolean;
  readonly #statements = new Map<string, StatementSync>();
  readonly #bareStatements = new Map<string, StatementSync>();
  readonly #didReplace = new Emitter();
  /** Fires when another file has replaced the open one: rows that were read before may be different. */
  readonly onDidReplace = this.#didReplace.event;
  readonly #didFindDamage = new Emitter();
  /** Fires when another thread is to call `repair`, because this one never waits. Until then calls fail as `damaged`. */
  readonly onDidFindDamage = this.#didFindDamage.event;
  #opened: Opened;
  #inode: number;
  #isBusy = false;
  #repairs = 0;
  /** Whether something that is to survive a power failure was written and not flushed. */
  #isToFlush = false;
  #flushing: Promise<void> | undefined;

  /** @param neverWaits as in `DatabaseOptions` */
  constructor(path: string, opened: Opened, reopener: Reopener, neverWaits = false) {
    this.path = path;
    this.#opened = opened;
    this.#reopener = reopener;
    this.#neverWaits = neverWaits;
    this.#inode = this.#inodeAtPath() ?? 0;
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

  /** The first row of a query; undefined when there is none. */
  get<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.read(() => read(this.#statement(sql), (each) => each.get(...values)) as Row | undefined);
  }

  all<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.read(() => read(this.#statement(sql), (each) => each.all(...values)) as Row[]);
  }

  /** Like `all`, with each row as an array: several times as fast for thousands of rows. */
  values(sql: string, ...values: readonly SQLInputValue[]): readonly Values[] {
    return this.read(
      () => read(this.#statement(sql, true), (each) => each.all(...values)) as unknown as Values[],
    );
  }

  /**
   * Runs one statement.
   *
   * @returns how many rows it changed
   */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return this.read(() => Number(this.#statement(sql).run(...values).changes));
  }

  /**
   * Runs `act`, which may read rows or throw a `StorageError` of kind `damaged`. After damage it repairs the
   * file and runs `act` once more.
   */
  read<Result>(act: () => Result): Result {
    // The transaction around this call repairs and repeats all of it.
    if (this.#isBusy) return withStorageErrors(act);
    return this.#withRepair(() => withStorageErrors(act));
  }

  /**
   * Runs `change` as one transaction, exclusively among all connections. When it throws, nothing is changed.
   * The change survives the end of the process, but perhaps not a power failure.
   */
  write<Result>(change: () => Result): Result {
    return this.#withRepair(() => withStorageErrors(() => this.#transaction(change)));
  }

  /** Like `write`, and the change survives a power failure; in a database that never waits once it is flushed. */
  writeDurably<Result>(change: () => Result): Result {
    if (this.#neverWaits) {
      const result = this.write(change);
      this.#isToFlush = true;
      return result;
    }
    return this.#withRepair(() =>
      withStorageErrors(() => {
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

  /**
   * Resolves once all that was written durably survives a power failure. This thread goes on meanwhile.
   *
   * @throws {StorageError}
   */
  async flush(): Promise<void> {
    if (this.#isToFlush) {
      this.#isToFlush = false;
      this.#flushing = flushLog(this.path).catch((error) => {
        // Whoever closes a database last flushes its log into the file, and deletes it.
        if (!this.#opened.connection.isOpen) return;
        this.#isToFlush = true;
        throw asStorageError(error);
      });
    }
    await this.#flushing;
  }

  /**
   * Empties the log into the file, as far as others allow now. It takes as long as the disk does.
   *
   * @returns whether the log holds nothing of before
   */
  emptyLog(): boolean {
    return this.readOnly === undefined && this.read(() => emptyLog(this.path, this.#opened.connection));
  }

  /** Checks the pages of the whole file, which takes as long as reading it, and repairs it when it is damaged. */
  check(): void {
    this.read(() => checkPages(this.#opened.connection));
  }

  /** Replaces the file by what can be saved of it, if its inode is still this one. It takes as long as copying it. */
  repair(inode: number): void {
    if (this.#inode === inode && this.#canRepair()) withStorageErrors(() => this.#repair());
  }

  /** Opens the file anew when another process has replaced it. Writing does so by itself. */
  followReplaced(): void {
    const inode = this.#inodeAtPath();
    if (this.readOnly !== undefined || inode === undefined || inode === this.#inode) return;
    this.read(() => this.#assertInPlace());
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
      if (!withStorageErrors(() => this.#isRepaired())) throw error;
      return act();
    } finally {
      this.#isBusy = false;
    }
  }

  #canRepair(): boolean {
    if (this.path === inMemory || this.readOnly !== undefined || this.#repairs >= maxRepairs) return false;
    // A file that is missing was moved by somebody, who may bring it back.
    return this.#inodeAtPath() !== undefined;
  }

  #isRepaired(): boolean {
    // Windows renames no file that is open here, so this thread alone can repair it.
    if (!this.#neverWaits || process.platform === 'win32') this.#repair();
    else if (!this.#isReplaced()) {
      queueMicrotask(() => this.#didFindDamage.fire());
      return false;
    }
    return true;
  }

  #isReplaced(): boolean {
    const opened = this.#reopener.reopenReplaced(this.#inode);
    if (opened) this.#replace(opened);
    return opened !== undefined;
  }

  #repair(): void {
    this.#repairs++;
    this.#forgetStatements();
    this.#replace(this.#reopener.repair(this.#inode, () => this.#opened.connection.close()));
  }

  #replace(opened: Opened): void {
    this.#forgetStatements();
    if (this.#opened.connection.isOpen) this.#opened.connection.close();
    this.#opened = opened;
    this.#inode = this.#inodeAtPath() ?? 0;
    queueMicrotask(() => this.#didReplace.fire());
  }

  #transaction<Result>(change: () => Result): Result {
    const { connection, health } = this.#opened;
    if (health.readOnly !== undefined) throw cannotWrite(health.readOnly);
    beginWriting(connection, this.#neverWaits);
    try {
      // The check is reliable here: whoever replaces the file holds its write lock.
      this.#assertInPlace();
      const result = change();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back already after some failures, such as a full disk.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Writes to a file that was renamed or deleted would be lost. */
  #assertInPlace(): void {
    if (this.path === inMemory || this.#inodeAtPath() === this.#inode) return;
    throw new StorageError('damaged', 'The database file was moved away or replaced while it was open.');
  }

  #inodeAtPath(): number | undefined {
    return this.path === inMemory ? 0 : statSync(this.path, { throwIfNoEntry: false })?.ino;
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

/** Node.js refuses to read integers above 2^53, one of which must not hide all other rows: it is rounded. */
function read<Found>(statement: StatementSync, find: (statement: StatementSync) => Found): Found {
  try {
    return find(statement);
  } catch (error) {
    if (errorCode(error) !== 'ERR_OUT_OF_RANGE') throw error;
  }
  statement.setReadBigInts(true);
  try {
    const found = find(statement);
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

function cannotWrite(readOnly: ReadOnlyCause): StorageError {
  return new StorageError(kindsOfProblem[readOnly], `The database can only be read: ${readOnly}.`, {
    readOnly,
  });
}

const kindsOfProblem: Readonly<Record<ReadOnlyCause, StorageErrorKind>> = {
  newer: 'read-only',
  full: 'full',
  'over-quota': 'full',
  'read-only-disk': 'read-only',
  unwritable: 'read-only',
  'disk-error': 'io',
};
