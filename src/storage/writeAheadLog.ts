import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { beginWriting, readFileSize, readPragma } from './sqlite/connection.ts';
import { readVersion } from './sqlite/migrate.ts';

/** The size to which SQLite lets a log grow by default, in bytes: about a thousand pages. */
const maxLogBytes = 4 * 1024 * 1024;

/** In bytes. A thread that must not be blocked does not check a longer log, because a check reads the whole log. */
export const maxCheckedLogBytes = 512 * 1024;

/** Whether the log of a database must be checked in another thread. */
export function isLogTooLongToCheck(path: string): boolean {
  return readFileSize(`${path}-wal`) > maxCheckedLogBytes;
}

/** Whether the log of a database should be emptied. */
export function isLogLong(path: string): boolean {
  return readFileSize(`${path}-wal`) > maxLogBytes;
}

/**
 * Flushes the log of an open database to the disk, in another thread. Other connections flush the pages that they
 * move into the file at the same time.
 *
 * @throws an error of the file system
 */
export async function flushLog(path: string): Promise<void> {
  // Closing this file is safe: SQLite does not hold locks on it.
  const log = await open(`${path}-wal`, 'r+');
  try {
    await log.sync();
  } finally {
    await log.close();
  }
}

/**
 * Moves the content of the log into the file, and truncates the log if no connection reads or writes.
 *
 * @returns whether the log was emptied
 */
export function emptyLog(path: string, connection: DatabaseSync): boolean {
  readPragma(connection, 'wal_checkpoint(PASSIVE)');
  const timeoutMs = Number(readPragma(connection, 'busy_timeout'));
  connection.exec('PRAGMA busy_timeout = 0');
  try {
    readPragma(connection, 'wal_checkpoint(TRUNCATE)');
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
  const isEmpty = readFileSize(`${path}-wal`) === 0;
  if (isEmpty) beginLog(connection);
  return isEmpty;
}

/** Writes the beginning of an empty log now, because the first write into it waits for the disk. */
function beginLog(connection: DatabaseSync): void {
  beginWriting(connection, false);
  connection.exec(`PRAGMA user_version = ${readVersion(connection)}`);
  connection.exec('COMMIT');
}
