import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT } from './connection.ts';

/**
 * Does something to a database file while no other process does the same. The lock is one of SQLite's on an empty
 * file of its own: it is given up when its holder dies, and waited for.
 */
export function alone<Result>(path: string, act: () => Result): Result {
  const lock = new DatabaseSync(`${path}.lock`);
  try {
    lock.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    lock.exec('BEGIN EXCLUSIVE');
    return act();
  } finally {
    lock.close();
  }
}
