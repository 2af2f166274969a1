import { DatabaseSync } from 'node:sqlite';

/** Long, because the holder of a lock may be repairing a large file. */
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

/** Matches SQLITE_BUSY and its extended codes. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
