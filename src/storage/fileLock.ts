import { DatabaseSync } from 'node:sqlite';
import { busyTimeoutMs } from './connection.ts';

/**
 * Runs `act` while no other process runs one for the same path. The lock is a transaction of SQLite on an
 * empty file beside it: it ends with the process that holds it.
 *
 * @throws an error of SQLite when another process holds the lock for over 5 s
 */
export function withFileLock<Result>(path: string, act: () => Result): Result {
  const lock = new DatabaseSync(`${path}.lock`);
  try {
    lock.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    lock.exec('BEGIN EXCLUSIVE');
    return act();
  } finally {
    lock.close();
  }
}
