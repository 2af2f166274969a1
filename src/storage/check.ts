import { readFileSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { readWal } from './salvage/wal.ts';
import { connectToRead, pragma } from './sqlite/connection.ts';
import { StorageError } from './sqlite/storageError.ts';

/**
 * Up to this many pages the indexes are compared with their tables at each opening, which takes some
 * milliseconds.
 */
const maxPagesCompared = 4_000;

/**
 * Whether there is nothing to open. SQLite takes an empty file, or one of a single byte, for a new database
 * and deletes the log beside it.
 */
export function isEmpty(path: string): boolean {
  return sizeOf(path) <= 1;
}

/**
 * Checks that the file is a whole database. Changes nothing.
 *
 * @param maxLogBytes a longer log is not checked
 * @param timeoutMs how long it waits for a lock of another process
 */
export function checkFile(path: string, maxLogBytes: number, timeoutMs: number): void {
  if (sizeOf(`${path}-wal`) <= maxLogBytes) checkWal(path);
  const connection = connectToRead(path, timeoutMs);
  try {
    // SQLite notices missing pages by itself, but for a part of the last one. The log may hold the rest.
    if (sizeOf(path) % Number(pragma(connection, 'page_size')) === 0 || sizeOf(`${path}-wal`) > 0) return;
  } finally {
    connection.close();
  }
  throw new StorageError('damaged', 'The end of the database is missing.');
}

/**
 * Checks the pages of the whole database; of one with more pages than so many those of the schema alone, which also
 * shows damage to some fields of the header.
 */
export function checkPages(connection: DatabaseSync, maxPages = Number.POSITIVE_INFINITY): void {
  const pages = Number(pragma(connection, 'page_count'));
  const whole = pages <= maxPagesCompared ? 'integrity_check(1)' : 'quick_check(1)';
  const finding = pragma(connection, pages <= maxPages ? whole : 'integrity_check(sqlite_schema)');
  if (finding !== 'ok') throw new StorageError('damaged', `The database is damaged: ${String(finding)}`);
}

const maxWalReads = 10;

/**
 * SQLite reads the log up to a damaged frame and overwrites what follows it. Another process may write the log while
 * this one reads it, so only what a second reading finds unchanged is damaged.
 */
function checkWal(path: string): void {
  const log = `${path}-wal`;
  if (sizeOf(log) === 0) return;
  let bytes = readFileSync(log);
  for (let reads = 1; reads < maxWalReads; reads++) {
    const reading = readWal(bytes);
    if (!reading?.isDamaged) return;
    const again = readFileSync(log);
    if (again.subarray(0, reading.end).equals(bytes.subarray(0, reading.end))) {
      throw new StorageError('damaged', 'The log of the database is damaged.');
    }
    bytes = again;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
