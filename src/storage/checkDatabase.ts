import { accessSync, closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../base/errors.ts';
import { readWal } from './salvage/readWal.ts';
import { connectToRead, readFileSize, readPragma } from './sqlite/connection.ts';
import { StorageError, type WriteProblem } from './sqlite/storageError.ts';

/** In a file with more pages, comparing the indexes with their tables takes too long. */
const maxPagesCompared = 4_000;

/**
 * Whether the file is missing or empty. SQLite treats a file of at most one byte as a new database and deletes the
 * log next to it.
 */
export function isEmptyFile(path: string): boolean {
  return readFileSize(path) <= 1;
}

/**
 * Checks that the file is a complete database. Does not change it.
 *
 * @param maxLogBytes a longer log is not checked
 * @param timeoutMs how long it waits for a lock of another process
 * @throws {StorageError} of kind `damaged` if it is not complete, or of another kind if it cannot be read
 */
export function checkFile(path: string, maxLogBytes: number, timeoutMs: number): void {
  if (readFileSize(`${path}-wal`) <= maxLogBytes) checkWal(path);
  const connection = connectToRead(path, timeoutMs);
  try {
    // SQLite detects missing pages by itself, except a missing part of the last page. The log may contain the
    // rest.
    if (
      readFileSize(path) % Number(readPragma(connection, 'page_size')) === 0 ||
      readFileSize(`${path}-wal`) > 0
    )
      return;
  } finally {
    connection.close();
  }
  throw new StorageError('damaged', 'The end of the database is missing.');
}

/**
 * Checks all pages of a database. If there are more than `maxPages`, checks only the pages of the schema, which
 * also detects damage to some header fields.
 *
 * @throws {StorageError} of kind `damaged`, or an error of SQLite
 */
export function checkPages(connection: DatabaseSync, maxPages = Number.POSITIVE_INFINITY): void {
  const pages = Number(readPragma(connection, 'page_count'));
  const fullCheck = pages <= maxPagesCompared ? 'integrity_check(1)' : 'quick_check(1)';
  const finding = readPragma(connection, pages <= maxPages ? fullCheck : 'integrity_check(sqlite_schema)');
  if (finding !== 'ok') throw new StorageError('damaged', `The database is damaged: ${String(finding)}`);
}

const maxWalReads = 10;

/**
 * Checks the log, because SQLite reads it only up to a damaged frame and overwrites the rest. Another process may
 * write the log during the check, so damage counts only if a second reading finds the same bytes.
 */
function checkWal(path: string): void {
  const log = `${path}-wal`;
  if (readFileSize(log) === 0) return;
  let bytes = readFileSync(log);
  for (let reads = 1; reads < maxWalReads; reads++) {
    const wal = readWal(bytes);
    if (!wal?.isDamaged) return;
    const secondReading = readFileSync(log);
    if (secondReading.subarray(0, wal.end).equals(bytes.subarray(0, wal.end))) {
      throw new StorageError('damaged', 'The log of the database is damaged.');
    }
    bytes = secondReading;
  }
}

/** A little more than the space that SQLite needs before it can write. */
const probeBytes = Buffer.alloc(128 * 1024);

const writeProblems: Readonly<Record<string, WriteProblem>> = {
  ENOSPC: 'full',
  EDQUOT: 'over-quota',
  EROFS: 'read-only-disk',
  EIO: 'disk-error',
};

/**
 * Finds out why a database cannot be written. SQLite does not report the cause, so this function writes a test file
 * next to the database.
 *
 * @returns undefined if writing is possible now
 */
export function findWriteProblem(path: string): WriteProblem | undefined {
  const probe = `${path}.probe-${process.pid}`;
  try {
    const descriptor = openSync(probe, 'wx', 0o600);
    try {
      writeSync(descriptor, probeBytes);
    } finally {
      closeSync(descriptor);
      rmSync(probe, { force: true });
    }
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return writeProblems[errorCode(error) ?? ''] ?? 'unwritable';
  }
}
