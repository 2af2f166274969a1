import { type Database, openDatabase } from '../../storage/database.ts';
import type { StoredTurn } from './verbatimTurns.ts';

const migrations = [
  `CREATE TABLE verbatimTurns (
    id TEXT PRIMARY KEY,
    storedAt INTEGER NOT NULL,
    length INTEGER NOT NULL,
    turn TEXT NOT NULL
  ) STRICT;
  CREATE INDEX verbatim_turns_by_time ON verbatimTurns (storedAt)`,
];

/** Agents seldom continue older conversations. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** The maximum total size of all turns, in UTF-16 units. */
const maxStoredLength = 64 * 1024 * 1024;

/**
 * The file of verbatim turns, which several windows share. Its methods block while they wait for the disk and
 * for other windows, so only a worker should call them.
 */
export class VerbatimTurnStore {
  readonly #file: string;
  readonly #maxLength: number;
  #database: Database | undefined;

  constructor(file: string, maxLength = maxStoredLength) {
    this.#file = file;
    this.#maxLength = maxLength;
  }

  /**
   * Stores a turn, and deletes the oldest ones if the total size exceeds the limit.
   *
   * @param now in milliseconds since 1970
   * @throws {StorageError}
   */
  add({ id, turn }: StoredTurn, now: number): void {
    const database = this.#open();
    database.reopenForWriting();
    database.write(() => {
      database.run(
        'INSERT OR REPLACE INTO verbatimTurns (id, storedAt, length, turn) VALUES (?, ?, ?, ?)',
        id,
        now,
        turn.length,
        turn,
      );
      database.run('DELETE FROM verbatimTurns WHERE storedAt < ?', now - maxAgeMs);
      const sql = 'SELECT sum(length) AS length FROM verbatimTurns';
      const { length = 0 } = database.get<{ length: number }>(sql) ?? {};
      // Deletes more than necessary, so that deletions are rare.
      if (length > this.#maxLength) this.#deleteOldest(database, length - this.#maxLength * 0.9);
    });
  }

  /** Returns the stored turns with these ids. */
  find(ids: readonly string[]): readonly StoredTurn[] {
    return this.#open().all<StoredTurn & object>(
      'SELECT id, turn FROM verbatimTurns WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #deleteOldest(database: Database, excess: number): void {
    database.run(
      `DELETE FROM verbatimTurns WHERE id IN (
         SELECT id FROM (
           SELECT id, sum(length) OVER (ORDER BY storedAt, rowid) - length AS before FROM verbatimTurns
         ) WHERE before < ?
       )`,
      excess,
    );
  }

  #open(): Database {
    this.#database ??= openDatabase({ path: this.#file, migrations });
    return this.#database;
  }
}
