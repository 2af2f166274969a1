import { existsSync } from 'node:fs';
import { Database } from '../../storage/sharedDatabase.ts';
import { connectToRead } from '../../storage/sqlite/connection.ts';
import { StorageError, withStorageErrors } from '../../storage/sqlite/storageError.ts';
import type { MessageRecord, PartRecord } from '../conversation/conversationRecord.ts';
import { readMessageRows } from '../store/messageRows.ts';

/** A conversation that changed. */
export interface ChangedConversation {
  readonly key: number;
  readonly id: string;
  readonly title: string;
  /** The beginning of the first question, which replaces an empty title. */
  readonly beginning: string;
  readonly workspace: string | null;
  readonly changedAt: number;
  readonly deletedAt: number | null;
  readonly revision: number;
}

/** A message without its texts. */
export interface MessageInfo {
  readonly key: number;
  readonly id: string;
  readonly role: MessageRecord['role'];
  readonly state: MessageRecord['state'];
  readonly createdAt: number;
  readonly model: string | null;
}

/** Reads the store's file for the index, without changing it. */
export class StoreReader {
  readonly #database: Database;

  /** @throws {StorageError} if the file cannot be read */
  constructor(file: string) {
    this.#database = withStorageErrors(() => {
      const opened = { connection: connectToRead(file), health: { readOnly: 'unwritable' } as const };
      return new Database(file, opened, {
        reopen: () => undefined,
        repair: refuseRepair,
        reopenReplaced: refuseRepair,
      });
    });
  }

  static exists(file: string): boolean {
    return existsSync(file);
  }

  /**
   * Reads the revision of the last change. In a recovered store, the stored number may be smaller than a
   * conversation's revision.
   */
  readRevision(): number {
    const sql = 'SELECT max(n, coalesce((SELECT max(revision) FROM conversations), 0)) AS n FROM revision';
    return this.#database.get<{ n: number }>(sql)?.n ?? 0;
  }

  /** Reads the next conversations after a position, in the order of their changes. */
  readChangedAfter(revision: number, key: number, limit: number): readonly ChangedConversation[] {
    return this.#database.all<ChangedConversation>(
      `SELECT key, id, title, beginning, workspace, changedAt, deletedAt, revision FROM conversations
       WHERE (revision, key) > (?, ?) ORDER BY revision, key LIMIT ?`,
      revision,
      key,
      limit,
    );
  }

  /** Counts the conversations up to a position, and all of them. */
  readProgress(revision: number, key: number): { readonly indexed: number; readonly total: number } {
    const sql = `SELECT count(*) AS total, count(*) FILTER (WHERE (revision, key) <= (?, ?)) AS indexed FROM conversations`;
    return (
      this.#database.get<{ indexed: number; total: number }>(sql, revision, key) ?? { indexed: 0, total: 0 }
    );
  }

  /** Reads the ids of all conversations that are not deleted. */
  readIds(): ReadonlySet<string> {
    const rows = this.#database.values('SELECT id FROM conversations WHERE deletedAt IS NULL');
    return new Set(rows.map(([id]) => String(id)));
  }

  /** Counts the conversations that are not deleted. */
  countConversations(): number {
    const sql = 'SELECT count(*) AS n FROM conversations WHERE deletedAt IS NULL';
    return this.#database.get<{ n: number }>(sql)?.n ?? 0;
  }

  /** Reads the messages of a conversation that are not deleted, without their texts. */
  readMessages(conversation: number): readonly MessageInfo[] {
    return this.#database.all<MessageInfo>(
      `SELECT key, id, role, state, createdAt, model FROM messages
       WHERE conversation = ? AND deletedAt IS NULL ORDER BY key`,
      conversation,
    );
  }

  /** Reads messages with their texts. */
  readRecords(keys: readonly number[]): readonly MessageRecord[] {
    return readMessageRows({ database: this.#database, window: '', now: Date.now }, keys);
  }

  close(): void {
    this.#database.close();
  }
}

function refuseRepair(): never {
  throw new StorageError('damaged', 'A database that is only read cannot be repaired.');
}

/** The searchable texts of a message. */
interface MessageTexts {
  /** The texts, citations and file names of all choices. */
  readonly text: string;
  /** Reasoning, and the arguments and results of tool calls. */
  readonly reasoning: string;
  readonly hasImage: boolean;
}

export function readTexts({ choices }: MessageRecord): MessageTexts {
  const parts = choices.flat();
  const joinTexts = (listTexts: (part: PartRecord) => readonly string[]) =>
    parts.flatMap(listTexts).join('\n');
  return {
    text: joinTexts(listMessageTexts),
    reasoning: joinTexts(listReasoningTexts),
    hasImage: parts.some(({ type }) => type === 'image'),
  };
}

function listMessageTexts(part: PartRecord): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [part.text];
    case 'citation':
      return [part.title ?? '', part.url ?? ''];
    case 'image':
    case 'file':
      return 'name' in part && part.name !== undefined ? [part.name] : [];
    default:
      return [];
  }
}

function listReasoningTexts(part: PartRecord): readonly string[] {
  switch (part.type) {
    case 'reasoning':
      return [part.text];
    case 'toolCall':
      return [part.name, part.arguments];
    case 'toolResult':
      return [part.name, part.text];
    default:
      return [];
  }
}
