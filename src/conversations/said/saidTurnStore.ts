import { type Database, openDatabase } from '../../storage/database.ts';
import type { StoredTurn } from './saidTurn.ts';

const migrations = [
  `CREATE TABLE said_turn (
    id TEXT PRIMARY KEY,
    said_at INTEGER NOT NULL,
    length INTEGER NOT NULL,
    turn TEXT NOT NULL
  ) STRICT;
  CREATE INDEX said_turn_by_time ON said_turn (said_at)`,
];

/** Agents seldom go on with what is older. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** The most that is kept, in UTF-16 units of all turns. */
export const maxStoredLength = 64 * 1024 * 1024;

/**
 * The file with what models said before they called tools, which several windows share. Its methods wait for the disk
 * and for other windows: they are for a worker.
 */
export class SaidTurnStore {
  readonly #file: string;
  readonly #maxLength: number;
  #database: Database | undefined;

  constructor(file: string, maxLength = maxStoredLength) {
    this.#file = file;
    this.#maxLength = maxLength;
  }

  /**
   * Keeps a turn, and forgets the oldest ones where all of them are too long.
   *
   * @param now in milliseconds since 1970
   * @throws {StorageError}
   */
  keep({ id, turn }: StoredTurn, now: number): void {
    const database = this.#opened();
    database.reopenForWriting();
    database.write(() => {
      database.run(
        'INSERT OR REPLACE INTO said_turn (id, said_at, length, turn) VALUES (?, ?, ?, ?)',
        ...[id, now, turn.length, turn],
      );
      database.run('DELETE FROM said_turn WHERE said_at < ?', now - maxAgeMs);
      const { length } = database.get<{ length: number }>('SELECT sum(length) AS length FROM said_turn') ?? {
        length: 0,
      };
      // With room for some more, so that this is seldom done.
      if (length > this.#maxLength) this.#forget(database, length - this.#maxLength * 0.9);
    });
  }

  /** Those of these turns that are kept. */
  find(ids: readonly string[]): readonly StoredTurn[] {
    return this.#opened().all<StoredTurn & object>(
      'SELECT id, turn FROM said_turn WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #forget(database: Database, excess: number): void {
    database.run(
      `DELETE FROM said_turn WHERE id IN (
         SELECT id FROM (
           SELECT id, sum(length) OVER (ORDER BY said_at, rowid) - length AS before FROM said_turn
         ) WHERE before < ?
       )`,
      excess,
    );
  }

  #opened(): Database {
    this.#database ??= openDatabase({ path: this.#file, migrations });
    return this.#database;
  }
}
