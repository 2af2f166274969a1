import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { asStorageError, StorageError } from './storageError.ts';

/** How long a write waits for another process's write, in milliseconds. */
export const BUSY_TIMEOUT = 5_000;

export const IN_MEMORY = ':memory:';

/** A row: the values of its columns, in the order of the query. */
export type Values = readonly SQLOutputValue[];

export interface Standing {
  /** Where a broken file went whose place this database took. */
  readonly setAside?: string;
  /** Why it can only be read: a later version wrote it, or nothing can be written where it lies. */
  readonly readOnly?: 'newer' | 'unwritable';
}

/**
 * An open database. Everything is synchronous; what goes wrong is a `StorageError`. Statements are prepared
 * once: their text is constant, values are parameters.
 */
export class Database implements Standing {
  readonly path: string;
  readonly setAside?: string;
  readonly readOnly?: 'newer' | 'unwritable';
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #bareStatements = new Map<string, StatementSync>();
  readonly #inode: number;

  constructor(connection: DatabaseSync, path: string, standing: Standing = {}) {
    this.path = path;
    this.#connection = connection;
    this.#inode = path === IN_MEMORY ? 0 : statSync(path).ino;
    if (standing.setAside !== undefined) this.setAside = standing.setAside;
    if (standing.readOnly !== undefined) this.readOnly = standing.readOnly;
  }

  get<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return guarded(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return guarded(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** As `all`, each row as the bare values of its columns: several times as fast where there are thousands. */
  values(sql: string, ...values: readonly SQLInputValue[]): readonly Values[] {
    return guarded(() => this.#statement(sql, true).all(...values) as unknown as Values[]);
  }

  /** Runs one statement and says how many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return guarded(() => Number(this.#statement(sql).run(...values).changes));
  }

  /**
   * Runs `change` as one transaction, alone among all connections: all of it happens, or, when anything is
   * thrown, nothing. Survives the end of the process; the loss of power may undo the last ones.
   */
  write<Result>(change: () => Result): Result {
    return guarded(() => this.#transaction(change));
  }

  /** As `write`, and when it returns it is on the disk. */
  durably<Result>(change: () => Result): Result {
    return guarded(() => {
      this.#connection.exec('PRAGMA synchronous = FULL');
      try {
        return this.#transaction(change);
      } finally {
        this.#connection.exec('PRAGMA synchronous = NORMAL');
      }
    });
  }

  close(): void {
    this.#statements.clear();
    this.#bareStatements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #transaction<Result>(change: () => Result): Result {
    this.#assertInPlace();
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const result = change();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      // Some failures, such as a full disk, have rolled back already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** What is written into a file that was moved away or deleted under us would be lost. */
  #assertInPlace(): void {
    if (this.path === IN_MEMORY) return;
    if (statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new StorageError('damaged', 'The database file was moved away or replaced while it was open.');
  }

  #statement(sql: string, bare = false): StatementSync {
    const statements = bare ? this.#bareStatements : this.#statements;
    const known = statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    statement.setReturnArrays(bare);
    statements.set(sql, statement);
    return statement;
  }
}

/**
 * Opens a connection as all of ours are. Foreign keys are not enforced yet: migrations rebuild tables. Only SQLite
 * ever opens a database file: whoever else in this process closed it would end the locks SQLite has on it
 * (https://sqlite.org/howtocorrupt.html).
 */
export function connect(path: string): DatabaseSync {
  return checked(new DatabaseSync(path, { enableForeignKeyConstraints: false }), (connection) => {
    connection.exec('PRAGMA journal_mode = WAL');
    // The disk's own cache is flushed too where the system leaves that to us (macOS).
    connection.exec('PRAGMA fullfsync = ON');
    connection.exec('PRAGMA synchronous = NORMAL');
  });
}

/** Opens a connection that leaves the file, and the log beside it, as they are. */
export function connectToRead(path: string): DatabaseSync {
  try {
    return checked(new DatabaseSync(path, { readOnly: true }), readSomething);
  } catch (error) {
    const failure = asStorageError(error);
    if (!(failure instanceof StorageError && failure.kind === 'read-only')) throw failure;
    // SQLite needs a file beside the database, unless it is told that nobody at all can write.
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return checked(new DatabaseSync(url, { readOnly: true }), readSomething);
  }
}

export function pragma(connection: DatabaseSync, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function readSomething(connection: DatabaseSync): void {
  pragma(connection, 'schema_version');
}

function checked(connection: DatabaseSync, prepare: (connection: DatabaseSync) => void): DatabaseSync {
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function guarded<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw asStorageError(error);
  }
}
