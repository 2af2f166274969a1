import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { connectToRead, pragma } from './connection.ts';
import { StorageError } from './storageError.ts';

/** Milliseconds after which a database is looked through again: that reads all of it, 50 MB in 35 ms. */
const CHECKED_FOR = 24 * 3_600_000;

/**
 * Whether there is nothing to open. SQLite would take that for a new database, and a single byte too, and delete a
 * log beside it.
 */
export function isEmpty(path: string): boolean {
  return sizeOf(path) <= 1;
}

/**
 * Looks at the file without changing anything: whether it is a database, and all of it there.
 *
 * @throws {StorageError} of kind `damaged`
 */
export function checkFile(path: string): void {
  const connection = connectToRead(path);
  try {
    // SQLite notices missing pages by itself, but for a part of the last one. The log may hold the rest.
    if (sizeOf(path) % Number(pragma(connection, 'page_size')) === 0 || sizeOf(`${path}-wal`) > 0) return;
  } finally {
    connection.close();
  }
  throw new StorageError('damaged', 'The end of the database is missing.');
}

/**
 * Looks the whole database through, unless that was done within a day.
 *
 * @throws {StorageError} of kind `damaged`
 */
export function checkDaily(connection: DatabaseSync, now: number): void {
  connection.exec(
    'CREATE TABLE IF NOT EXISTS storageCheck (one INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT',
  );
  const last = connection.prepare('SELECT at FROM storageCheck').get()?.at;
  // A time to come is one of a clock that was wrong.
  if (typeof last === 'number' && last <= now && now - last < CHECKED_FOR) return;
  const finding = pragma(connection, 'quick_check(1)');
  if (finding !== 'ok') throw new StorageError('damaged', `The database is damaged: ${String(finding)}`);
  connection.prepare('INSERT OR REPLACE INTO storageCheck VALUES (1, ?)').run(now);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
