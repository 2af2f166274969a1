import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { beginWriting, pragma } from './sqlite/connection.ts';
import { versionOf } from './sqlite/migrate.ts';

/** As many bytes as SQLite would let a log grow by itself: a thousand pages. */
const maxLogBytes = 4 * 1024 * 1024;

/** Who never waits leaves it to others to check a longer log, which takes as long as reading it, in bytes. */
export const maxLogChecked = 512 * 1024;

/** Whether the log beside a database is to be checked in another thread. */
export function isLogToCheck(path: string): boolean {
  return logBytes(path) > maxLogChecked;
}

/** Whether the log beside a database is due to be emptied. */
export function isLogLong(path: string): boolean {
  return logBytes(path) > maxLogBytes;
}

/**
 * Flushes the log of an open database to the disk, in a thread of its own. What others moved into the file meanwhile
 * they flushed there.
 *
 * @throws an error of the file system
 */
export async function flushLog(path: string): Promise<void> {
  // SQLite has no lock on this file that closing it would end.
  const log = await open(`${path}-wal`, 'r+');
  try {
    await log.sync();
  } finally {
    await log.close();
  }
}

/**
 * Moves what is in the log into the file, and shortens the log to nothing while nobody reads or writes.
 *
 * @returns whether the log holds nothing of before
 */
export function emptyLog(path: string, connection: DatabaseSync): boolean {
  pragma(connection, 'wal_checkpoint(PASSIVE)');
  const timeoutMs = Number(pragma(connection, 'busy_timeout'));
  connection.exec('PRAGMA busy_timeout = 0');
  try {
    pragma(connection, 'wal_checkpoint(TRUNCATE)');
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
  const isEmpty = logBytes(path) === 0;
  if (isEmpty) beginLog(connection);
  return isEmpty;
}

/** The first write into an empty log waits until the disk has its beginning. */
function beginLog(connection: DatabaseSync): void {
  beginWriting(connection, false);
  connection.exec(`PRAGMA user_version = ${versionOf(connection)}`);
  connection.exec('COMMIT');
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
