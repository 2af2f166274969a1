import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { connectToCopy, hasLog } from './copy.ts';
import { asStorageError, StorageError } from './storageError.ts';

/** How long a write waits for another process's write, in milliseconds. */
export const BUSY_TIMEOUT = 5_000;

export const IN_MEMORY = ':memory:';

/**
 * Opens a connection as all of ours are. Foreign keys are not enforced yet: migrations rebuild tables. Only SQLite
 * opens a database file that is in use: whoever else in this process closed it would end the locks SQLite has on it
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
    if (!isUnwritable(failure)) throw failure;
    // SQLite needs a file beside the database for reading its log.
    const copy = hasLog(path)
      ? connectToCopy(path, (connection) => checked(connection, readCopy))
      : undefined;
    if (copy) return copy;
    // Without a log it needs none, once it is told that nobody at all can write.
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return checked(new DatabaseSync(url, { readOnly: true }), readSomething);
  }
}

/** Whether a failure tells that nothing can be written, which need not keep anybody from reading. */
export function isUnwritable(failure: unknown): boolean {
  if (!(failure instanceof StorageError)) return false;
  return failure.kind === 'read-only' || failure.kind === 'full' || failure.kind === 'io';
}

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
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
