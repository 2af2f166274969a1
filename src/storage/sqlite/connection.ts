import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { connectToCopy, hasWal } from './copy.ts';
import { asStorageError, StorageError } from './storageError.ts';

/** A log that grew longer shrinks to this when it begins anew, in bytes: whoever opens the database reads all of it. */
const maxIdleLogBytes = 8 * 1024 * 1024;

/** How long a connection waits for another process's lock, in milliseconds. */
export const busyTimeoutMs = 5_000;

/**
 * The same for a thread that must go on. A reader waits for others in rare moments only, such as the recovery of a log
 * after a crash; but some network file systems refuse every lock, which SQLite takes for a lock of another process.
 */
export const briefTimeoutMs = 50;

export const inMemory = ':memory:';

/**
 * Opens a connection for reading and writing. Foreign keys are off until the migrations are done, because
 * they rebuild tables. A database file in use is opened through SQLite only: closing it otherwise ends
 * SQLite's locks (https://sqlite.org/howtocorrupt.html).
 *
 * @throws an error of SQLite; `asStorageError` tells its kind
 */
export function connect(path: string, timeoutMs = busyTimeoutMs): DatabaseSync {
  const options = { enableForeignKeyConstraints: false, timeout: timeoutMs };
  return checked(new DatabaseSync(path, options), (connection) => {
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA journal_size_limit = ${maxIdleLogBytes}`);
    // macOS flushes the disk's own cache only when told to.
    connection.exec('PRAGMA fullfsync = ON');
    connection.exec('PRAGMA synchronous = NORMAL');
  });
}

/**
 * Opens a connection that changes neither the file nor the log beside it. Where the folder cannot be written
 * it reads a copy.
 *
 * @throws {StorageError} when the file cannot be read
 */
export function connectToRead(path: string, timeoutMs = busyTimeoutMs): DatabaseSync {
  const options = { readOnly: true, timeout: timeoutMs };
  try {
    return checked(new DatabaseSync(path, options), readSomething);
  } catch (error) {
    const failure = asStorageError(error);
    if (!isUnwritable(failure)) throw failure;
    // SQLite needs a shared-memory file beside the database to read its log.
    const copy = hasWal(path)
      ? connectToCopy(path, (connection) => checked(connection, readCopy))
      : undefined;
    if (copy) return copy;
    // Without a log SQLite needs no such file, when it is told that nobody can write.
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return checked(new DatabaseSync(url, options), readSomething);
  }
}

/**
 * Begins a transaction that writes.
 *
 * @param neverWaits fails at once while another connection writes
 */
export function beginWriting(connection: DatabaseSync, neverWaits: boolean): void {
  if (neverWaits) connection.exec('PRAGMA busy_timeout = 0');
  try {
    connection.exec('BEGIN IMMEDIATE');
  } finally {
    if (neverWaits) connection.exec(`PRAGMA busy_timeout = ${briefTimeoutMs}`);
  }
}

/** Whether the failure prevents writing but not reading. */
export function isUnwritable(failure: unknown): boolean {
  if (!(failure instanceof StorageError)) return false;
  return failure.kind === 'read-only' || failure.kind === 'full' || failure.kind === 'io';
}

/** The first value that a pragma returns; undefined when it returns none. */
export function pragma(connection: DatabaseSync, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function readSomething(connection: DatabaseSync): void {
  pragma(connection, 'schema_version');
}

function readCopy(connection: DatabaseSync): void {
  readSomething(connection);
  connection.exec('PRAGMA query_only = ON');
}

function checked(connection: DatabaseSync, prepare: (connection: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
