import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite/storageError.ts';

/** Long, because another process may hold the lock while it repairs a large file. */
const lockTimeoutMs = 30_000;

/** SQLite writes a first page into the empty file, and a killed process would leave a journal for it. */
const withoutJournalFile = 'PRAGMA journal_mode = MEMORY';

/**
 * Runs `act` exclusively among all processes that use this path. The lock is a transaction of SQLite on an empty
 * file next to it, so it ends with its process.
 *
 * @throws an error of SQLite, if another process holds the lock for longer than `timeoutMs`
 */
export function withFileLock<Result>(path: string, act: () => Result, timeoutMs = lockTimeoutMs): Result {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: timeoutMs });
  try {
    lock.exec(withoutJournalFile);
    lock.exec('BEGIN EXCLUSIVE');
    return act();
  } finally {
    lock.close();
  }
}

/**
 * Takes a lock until `release` or until this process ends.
 *
 * @param path the lock file; `withFileLock` locks the file with the suffix `.lock`
 * @returns undefined if another process holds the lock
 */
export function tryToLockFile(path: string): { release(): void } | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA busy_timeout = 0');
    lock.exec(withoutJournalFile);
    lock.exec('BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
