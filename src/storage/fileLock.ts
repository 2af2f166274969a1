import { DatabaseSync } from 'node:sqlite';

/** The holder of a lock may be repairing a large file. */
const lockTimeoutMs = 30_000;

/**
 * Runs `act` while no other process runs one for the same path. The lock is a transaction of SQLite on an
 * empty file beside it: it ends with the process that holds it.
 *
 * @throws an error of SQLite when another process holds the lock for longer than `timeoutMs`
 */
export function withFileLock<Result>(path: string, act: () => Result, timeoutMs = lockTimeoutMs): Result {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: timeoutMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return act();
  } finally {
    lock.close();
  }
}

/**
 * Takes a lock that no other process has, for as long as this process runs or until `release`.
 *
 * @returns undefined when another process holds it
 */
export function holdFileLock(path: string): { release(): void } | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA busy_timeout = 0');
    lock.exec('BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** SQLITE_BUSY, with whatever it adds in the higher bits. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
