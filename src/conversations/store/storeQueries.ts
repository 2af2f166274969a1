import type { Database, WriteContext } from '../../storage/database.ts';
import type {
  ConversationRecord,
  ConversationWithMessages,
  MessageRecord,
} from '../conversation/conversationRecord.ts';
import { type MessageNode, readHead, readPathIds, readPathKeys, readTree } from './branches.ts';
import { findConversationKey, readConversation } from './conversationRows.ts';
import { findLastDeleted } from './deletion.ts';
import {
  type FilterValues,
  type ListCursor,
  type ListedConversation,
  type ListFilter,
  type ListPage,
  readDeleted,
  readFilterValues,
  readList,
} from './listing.ts';
import { findMessageKey, readMessageRows } from './messageRows.ts';
import { readConversationWithMessages } from './wholeConversations.ts';

/** The read-only methods of the store. */
export class StoreQueries {
  readonly database: Database;
  readonly #context: WriteContext;

  constructor(context: WriteContext) {
    this.database = context.database;
    this.#context = context;
  }

  get(conversation: string): ConversationRecord | undefined {
    return readConversation(this.#context, conversation);
  }

  /** Reads all messages without their texts, in insertion order: parents first, siblings in order. */
  readTree(conversation: string): readonly MessageNode[] {
    return this.#read(conversation, (key) => readTree(this.#context, key));
  }

  /**
   * Reads the messages from the root to the head, which requests contain. An arriving message has the content
   * appended so far, without pictures. `extra` is omitted.
   *
   * @param to the end of the path, by default the head
   */
  readPath(conversation: string, to?: string): readonly MessageRecord[] {
    return this.#read(conversation, (key) => {
      const end = to === undefined ? readHead(this.#context, key) : findMessageKey(this.#context, key, to);
      return end === undefined ? [] : readMessageRows(this.#context, readPathKeys(this.#context, end));
    });
  }

  /**
   * Finds the ids of the last deletion by `deleteMessages` that can be restored: one message, or several messages
   * that were deleted at the same time.
   */
  findLastDeleted(conversation: string): readonly string[] {
    return this.#read(conversation, (key) => findLastDeleted(this.#context, key));
  }

  /**
   * Reads the ids of the messages from the root to a message, without their texts; an empty list if there is no
   * such message.
   */
  readPathIds(conversation: string, to: string): readonly string[] {
    return this.#read(conversation, (key) => {
      const end = findMessageKey(this.#context, key, to);
      return end === undefined ? [] : readPathIds(this.#context, end);
    });
  }

  /** Reads messages of a conversation without their `extra`, in insertion order. Missing messages are skipped. */
  readMessages(conversation: string, ids: readonly string[]): readonly MessageRecord[] {
    return this.#read(conversation, (key) => {
      const keys = ids.flatMap((id) => findMessageKey(this.#context, key, id) ?? []);
      return readMessageRows(this.#context, keys);
    });
  }

  /** Reads one page of conversations, the most recently changed conversation first. */
  list(filter: ListFilter = {}, limit = 100, after?: ListCursor): ListPage {
    return this.database.read(() => readList(this.#context, filter, limit, after));
  }

  /** Reads conversations that are deleted and not purged yet, the most recently deleted conversation first. */
  listDeleted(limit: number): readonly ListedConversation[] {
    return this.database.read(() => readDeleted(this.#context, limit));
  }

  readFilterValues(): FilterValues {
    return this.database.read(() => readFilterValues(this.#context));
  }

  /**
   * Lists the ids of all conversations with messages, including archived conversations. The oldest is first, so
   * that the order is the same in every store.
   */
  listIds(): readonly string[] {
    const rows = this.database.values(
      'SELECT id FROM conversations WHERE deletedAt IS NULL AND head IS NOT NULL ORDER BY createdAt, id',
    );
    return rows.map(([id]) => String(id));
  }

  /** Reads a conversation with all its messages, for an export; undefined if there is no such conversation. */
  getWithMessages(conversation: string): ConversationWithMessages | undefined {
    return this.database.read(() => readConversationWithMessages(this.#context, conversation));
  }

  /** @returns an empty list if there is no such conversation */
  #read<Item>(conversation: string, read: (key: number) => readonly Item[]): readonly Item[] {
    return this.database.read(() => {
      const key = findConversationKey(this.#context, conversation);
      return key === undefined ? [] : read(key);
    });
  }
}
