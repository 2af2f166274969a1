import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, parseJson } from '../base/json.ts';
import { type Database, openDatabase, StorageError } from '../storage/database.ts';
import type { RequestContent } from './requestContent.ts';
import type { RequestFigures } from './requestRecord.ts';

/** A failed request as it is kept. */
export interface KeptFailure {
  readonly figures: RequestFigures;
  readonly content?: RequestContent | undefined;
}

export const maxKept = 500;

const migrations = [
  `CREATE TABLE failure (
    id TEXT PRIMARY KEY,
    requested_at INTEGER NOT NULL,
    figures TEXT NOT NULL,
    content TEXT
  ) STRICT;
  CREATE INDEX failure_by_time ON failure (requested_at)`,
];

const clearTries = 20;
const clearPauseMs = 100;

/**
 * The file of failed requests, which several windows share. Its methods wait for the disk and for other windows: they
 * are for a worker.
 */
export class FailureStore {
  readonly #file: string;
  #database: Database | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Keeps a failure, and no more than the last 500.
   *
   * @throws {StorageError} also where the file can only be read
   */
  keep({ figures, content }: KeptFailure): void {
    const database = this.#opened();
    database.reopenForWriting();
    database.write(() => {
      database.run(
        'INSERT OR REPLACE INTO failure (id, requested_at, figures, content) VALUES (?, ?, ?, ?)',
        ...[
          figures.id,
          figures.requestedAt,
          JSON.stringify(figures),
          content ? JSON.stringify(content) : null,
        ],
      );
      database.run(
        `DELETE FROM failure WHERE id NOT IN
           (SELECT id FROM failure ORDER BY requested_at DESC, rowid DESC LIMIT ?)`,
        maxKept,
      );
    });
  }

  /** All that are kept, newest first. */
  list(): readonly RequestFigures[] {
    return this.#opened()
      .all<{ figures: string }>('SELECT figures FROM failure ORDER BY requested_at DESC, rowid DESC')
      .flatMap(({ figures }) => read<RequestFigures>(figures) ?? []);
  }

  /** @returns undefined for a failure that is not kept any more */
  get(id: string): KeptFailure | undefined {
    const row = this.#opened().get<{ figures: string; content: string | null }>(
      'SELECT figures, content FROM failure WHERE id = ?',
      id,
    );
    const figures = row && read<RequestFigures>(row.figures);
    return figures && { figures, content: read<RequestContent>(row.content ?? '') };
  }

  /**
   * Erases all, in the file, in its log, and in copies of it.
   *
   * @param pause waits so many milliseconds while another window reads
   * @throws {StorageError} as `busy` while another window reads, after 2 s: then nothing is listed any more, but the
   * log may still hold what was kept
   */
  async clear(pause: (ms: number) => Promise<unknown>): Promise<void> {
    const database = this.#opened();
    database.reopenForWriting();
    database.write(() => database.run('DELETE FROM failure'));
    removeCopies(this.#file);
    // Deleted rows stay in free pages, until the file is written anew.
    database.run('VACUUM');
    for (let tries = 0; !database.emptyLog(); tries++) {
      if (tries === clearTries) throw new StorageError('busy', 'The log is being read.');
      await pause(clearPauseMs);
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #opened(): Database {
    this.#database ??= openDatabase({ path: this.#file, migrations });
    return this.#database;
  }
}

/** @returns undefined for a text that damage has changed */
function read<Value>(text: string): Value | undefined {
  const value = parseJson(text);
  return isObject(value) ? (value as Value) : undefined;
}

/** Copies of damaged files, and of those of earlier versions, lie beside the file under its name. */
function removeCopies(file: string): void {
  const folder = dirname(file);
  const copies = readdirSync(folder).filter(
    (name) => /^(?:corrupt|backup)-/.test(name) && name.includes(`-${basename(file)}`),
  );
  for (const name of copies) rmSync(join(folder, name), { force: true });
}
