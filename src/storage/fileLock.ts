import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite/storageError.ts';

/** Long, because another process may hold the lock while it repairs a large file. */
const lockTimeoutMs = 30_000;

/** SQLite writes a page into the empty lock file. Without this setting, a killed process would leave a journal file. */
const withoutJournalFile = 'PRAGMA journal_mode = MEMORY';

/**
 * Runs `act` while no other process runs a function under the lock of this path. The lock is an SQLite transaction on
 * an empty file next to the path, so it ends when its process ends.
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
 * Locks a file until `release` is called or this process ends.
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
