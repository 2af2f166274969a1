import type { Database } from '../../storage/database.ts';
import type { ConversationRecord, MessageRecord, WholeConversation } from '../conversation/record.ts';
import { headOf, pathTo, readPathIds, readTree, type TreeNode } from './branches.ts';
import { conversationKey, readConversation } from './conversationRows.ts';
import { lastDeleted } from './deletion.ts';
import {
  type ListChoices,
  type ListCursor,
  type ListedConversation,
  type ListFilter,
  type ListPage,
  readDeleted,
  readList,
  readListChoices,
} from './listing.ts';
import { messageKey, readMessages } from './messageRows.ts';
import type { StoreChanges } from './storeChanges.ts';
import type { StoreContext } from './storeContext.ts';
import { readWhole } from './transfer.ts';

/** What the store knows: the half of it that changes nothing. */
export class StoreQueries {
  readonly database: Database;
  readonly #context: StoreContext;
  readonly #changes: StoreChanges;

  constructor(context: StoreContext, changes: StoreChanges) {
    this.database = context.database;
    this.#context = context;
    this.#changes = changes;
  }

  get(conversation: string): ConversationRecord | undefined {
    return readConversation(this.#context, conversation);
  }

  /** All messages without their texts, in the order in which they were added: parents first, siblings in order. */
  tree(conversation: string): readonly TreeNode[] {
    return this.#read(conversation, (key) => readTree(this.#context, key)) ?? [];
  }

  /**
   * The messages from the root to the head, which are what is sent. One that arrives has what was appended so
   * far, without pictures. None has its `extra`.
   *
   * @param to another end of the path than the head
   */
  path(conversation: string, to?: string): readonly MessageRecord[] {
    return (
      this.#read(conversation, (key) => {
        const end = to === undefined ? headOf(this.#context, key) : messageKey(this.#context, key, to);
        return end === undefined ? [] : readMessages(this.#context, pathTo(this.#context, end));
      }) ?? []
    );
  }

  /** What `deleteMessages` deleted last and `undeleteMessages` can bring back: the message, or several of one moment. */
  lastDeleted(conversation: string): readonly string[] {
    return this.#read(conversation, (key) => lastDeleted(this.#context, key)) ?? [];
  }

  /** The ids of the messages from the root to a message, without reading texts; empty when there is no such message. */
  pathIds(conversation: string, to: string): readonly string[] {
    return (
      this.#read(conversation, (key) => {
        const end = messageKey(this.#context, key, to);
        return end === undefined ? [] : readPathIds(this.#context, end);
      }) ?? []
    );
  }

  /** Some messages of a conversation without their `extra`, in the order in which they were added; without those that are gone. */
  messages(conversation: string, ids: readonly string[]): readonly MessageRecord[] {
    return (
      this.#read(conversation, (key) =>
        readMessages(
          this.#context,
          ids.flatMap((id) => messageKey(this.#context, key, id) ?? []),
        ),
      ) ?? []
    );
  }

  /** One page of conversations, the last one that changed first. */
  list(filter: ListFilter = {}, limit = 100, after?: ListCursor): ListPage {
    return this.database.read(() => readList(this.#context, filter, limit, after));
  }

  /** Conversations that are deleted and not purged yet, the last one that was deleted first. */
  deleted(limit: number): readonly ListedConversation[] {
    return this.database.read(() => readDeleted(this.#context, limit));
  }

  listChoices(): ListChoices {
    return this.database.read(() => readListChoices(this.#context));
  }

  /** The ids of all conversations with messages, archived ones too, oldest first: the same order in every store. */
  ids(): readonly string[] {
    const rows = this.database.values(
      'SELECT id FROM conversations WHERE deletedAt IS NULL AND head IS NOT NULL ORDER BY createdAt, id',
    );
    return rows.map(([id]) => String(id));
  }

  /** A conversation with all its messages, for an export; undefined when there is none. */
  whole(conversation: string): WholeConversation | undefined {
    return this.database.read(() => readWhole(this.#context, conversation));
  }

  /** Grows with every change by any window. */
  revision(): number {
    return this.#changes.revision();
  }

  /** The conversations that changed after a revision, by their ids. */
  changedSince(revision: number): readonly string[] {
    return this.#changes.changedSince(revision);
  }

  #read<Result>(conversation: string, read: (key: number) => Result): Result | undefined {
    return this.database.read(() => {
      const key = conversationKey(this.#context, conversation);
      return key === undefined ? undefined : read(key);
    });
  }
}
