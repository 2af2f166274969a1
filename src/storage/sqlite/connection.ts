import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StorageError, toStorageError } from './storageError.ts';

/** In bytes. A longer log shrinks to this size when it restarts, because opening the database reads all of it. */
const maxIdleLogBytes = 8 * 1024 * 1024;

/** How long a connection waits for another process's lock, in milliseconds. */
export const busyTimeoutMs = 5_000;

/**
 * The lock timeout for a thread that must not be blocked, in milliseconds. A reader waits only in rare cases, such
 * as the recovery of a log after a crash. But some network file systems refuse every lock, which SQLite treats as a
 * lock of another process.
 */
export const briefTimeoutMs = 50;

export const inMemory = ':memory:';

/**
 * Opens a connection for reading and writing. Foreign keys are off until the migrations are done, because
 * migrations rebuild tables. Open a database file in use only through SQLite: closing it otherwise ends SQLite's
 * locks (https://sqlite.org/howtocorrupt.html).
 *
 * @throws an error of SQLite; `toStorageError` returns its kind
 */
export function connect(path: string, timeoutMs = busyTimeoutMs): DatabaseSync {
  const options = { enableForeignKeyConstraints: false, timeout: timeoutMs };
  return prepareOrClose(new DatabaseSync(path, options), (connection) => {
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA journal_size_limit = ${maxIdleLogBytes}`);
    // Without this, macOS does not flush the disk's own cache.
    connection.exec('PRAGMA fullfsync = ON');
    connection.exec('PRAGMA synchronous = NORMAL');
  });
}

/**
 * Opens a connection that does not change the file or its log. If the folder cannot be written, it reads a copy.
 *
 * @throws {StorageError} if the file cannot be read
 */
export function connectToRead(path: string, timeoutMs = busyTimeoutMs): DatabaseSync {
  const options = { readOnly: true, timeout: timeoutMs };
  try {
    return prepareOrClose(new DatabaseSync(path, options), assertReadable);
  } catch (error) {
    const failure = toStorageError(error);
    if (!isUnwritable(failure)) throw failure;
    // SQLite needs a shared-memory file next to the database to read its log.
    const copy = readFileSize(`${path}-wal`) > 0 ? connectToCopy(path, prepareCopy) : undefined;
    if (copy) return copy;
    // Without a log, SQLite does not need such a file for an immutable database.
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return prepareOrClose(new DatabaseSync(url, options), assertReadable);
  }
}

/**
 * Begins a transaction that writes.
 *
 * @param isNonBlocking whether to fail at once while another connection writes
 */
export function beginWriting(connection: DatabaseSync, isNonBlocking: boolean): void {
  if (isNonBlocking) connection.exec('PRAGMA busy_timeout = 0');
  try {
    connection.exec('BEGIN IMMEDIATE');
  } finally {
    if (isNonBlocking) connection.exec(`PRAGMA busy_timeout = ${briefTimeoutMs}`);
  }
}

/** Whether the failure prevents writing but not reading. */
export function isUnwritable(failure: unknown): failure is StorageError {
  if (!(failure instanceof StorageError)) return false;
  return failure.kind === 'read-only' || failure.kind === 'full' || failure.kind === 'io';
}

/** The first value that a pragma returns; undefined if it does not return a value. */
export function readPragma(connection: DatabaseSync, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function assertReadable(connection: DatabaseSync): void {
  readPragma(connection, 'schema_version');
}

function prepareCopy(connection: DatabaseSync): void {
  assertReadable(connection);
  connection.exec('PRAGMA query_only = ON');
}

function prepareOrClose(connection: DatabaseSync, prepare: (connection: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Folders for copies. The second one is in memory on Linux. */
const copyFolders = [tmpdir(), '/dev/shm'];

const copyPrefix = 'model-gateway-copy-';
const maxCopyingMs = 3_600_000;

/** The size of a file in bytes; 0 if it does not exist. */
export function readFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Connects to a copy of a database and its log, for an original that cannot be written. Only this user can read
 * the copy. It is deleted when the connection opens, or at the end of the process if open files cannot be deleted.
 *
 * @param prepare changes the copy before it is deleted
 * @returns undefined if no folder has enough space, or `prepare` fails
 */
export function connectToCopy(
  path: string,
  prepare: (connection: DatabaseSync) => void,
): DatabaseSync | undefined {
  for (const parent of copyFolders) {
    let folder: string | undefined;
    try {
      removeAbandonedCopies(parent);
      folder = mkdtempSync(join(parent, copyPrefix));
      const copy = join(folder, 'copy.db');
      copyFileSync(path, copy);
      if (readFileSize(`${path}-wal`) > 0) copyFileSync(`${path}-wal`, `${copy}-wal`);
      return prepareOrClose(new DatabaseSync(copy), prepare);
    } catch {
      // The next folder may have enough space.
    } finally {
      if (folder !== undefined) removeCopy(folder);
    }
  }
  return undefined;
}

/** Deletes copies of processes that died before they could delete them. */
function removeAbandonedCopies(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(copyPrefix))) {
    const folder = join(parent, name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > maxCopyingMs) rmSync(folder, { recursive: true });
    } catch {
      // The copy belongs to another user or is in use.
    }
  }
}

function removeCopy(folder: string): void {
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    remove();
  } catch {
    process.once('exit', remove);
  }
}
