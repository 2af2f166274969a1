import { existsSync } from 'node:fs';
import { Database } from '../../storage/sharedDatabase.ts';
import { connectToRead } from '../../storage/sqlite/connection.ts';
import { StorageError, withStorageErrors } from '../../storage/sqlite/storageError.ts';
import type { MessageRecord } from '../conversation/record.ts';
import { readMessages } from '../store/messageRows.ts';

/** A conversation that changed. */
export interface ChangedConversation {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  /** Of the first question, where it has no title. */
  readonly beginning: string;
  readonly workspace: string | null;
  readonly changedAt: number;
  readonly deletedAt: number | null;
  readonly revision: number;
}

/** A message without its text. */
export interface KnownMessage {
  readonly key: number;
  readonly id: string;
  readonly role: MessageRecord['role'];
  readonly state: MessageRecord['state'];
  readonly createdAt: number;
  readonly model: string | null;
}

/** Reads the store's file as it is, without changing it, to index it. */
export class StoreReader {
  readonly #database: Database;

  /** @throws {StorageError} when the file cannot be read */
  constructor(file: string) {
    this.#database = withStorageErrors(() => {
      const opened = { connection: connectToRead(file), health: { readOnly: 'unwritable' } as const };
      return new Database(file, opened, {
        reopen: () => undefined,
        repair: cannotRepair,
        reopenReplaced: cannotRepair,
      });
    });
  }

  /** Whether there is a store. */
  static isThere(file: string): boolean {
    return existsSync(file);
  }

  /** Of the last change. In a store that was saved from damage the number of it may be smaller than of conversations. */
  revision(): number {
    const sql = 'SELECT max(n, coalesce((SELECT max(revision) FROM conversations), 0)) AS n FROM revision';
    return this.#database.get<{ n: number }>(sql)?.n ?? 0;
  }

  /** Some of those that changed after another one changed, in the order in which they changed. */
  changedAfter(revision: number, key: number, limit: number): readonly ChangedConversation[] {
    return this.#database.all<ChangedConversation>(
      `SELECT key, id, title, beginning, workspace, changedAt, deletedAt, revision FROM conversations
       WHERE (revision, key) > (?, ?) ORDER BY revision, key LIMIT ?`,
      ...[revision, key, limit],
    );
  }

  /** How many there are that changed up to another one, and how many at all. */
  progress(revision: number, key: number): { readonly taken: number; readonly all: number } {
    const sql = `SELECT count(*) AS "all", count(*) FILTER (WHERE (revision, key) <= (?, ?)) AS taken FROM conversations`;
    return this.#database.get<{ taken: number; all: number }>(sql, revision, key) ?? { taken: 0, all: 0 };
  }

  /** The ids of all that are not deleted. */
  ids(): ReadonlySet<string> {
    const rows = this.#database.values('SELECT id FROM conversations WHERE deletedAt IS NULL');
    return new Set(rows.map(([id]) => String(id)));
  }

  count(): number {
    const sql = 'SELECT count(*) AS n FROM conversations WHERE deletedAt IS NULL';
    return this.#database.get<{ n: number }>(sql)?.n ?? 0;
  }

  /** Those that are not deleted. */
  messages(conversation: number): readonly KnownMessage[] {
    return this.#database.all<KnownMessage>(
      `SELECT key, id, role, state, createdAt, model FROM messages
       WHERE conversation = ? AND deletedAt IS NULL ORDER BY key`,
      conversation,
    );
  }

  /** With their texts. */
  records(keys: readonly number[]): readonly MessageRecord[] {
    return readMessages({ database: this.#database, window: '', now: Date.now }, keys);
  }

  close(): void {
    this.#database.close();
  }
}

function cannotRepair(): never {
  throw new StorageError('damaged', 'What is only read is not repaired.');
}
