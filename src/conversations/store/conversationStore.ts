import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Event } from '../../base/emitter.ts';
import { type Database, openDatabase, type WriteContext } from '../../storage/database.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { isRetryable } from '../../storage/sqlite/storageError.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { ConversationWithMessages, MessageRecord } from '../conversation/conversationRecord.ts';
import {
  type ArrivingReply,
  appendEvents,
  type FinishedReply,
  readArrivedChoices,
  readArrivingInOtherWindows,
  storeFinish,
  storeStopped,
} from './arrivingReplies.ts';
import { Attachments } from './attachments.ts';
import { showBranch, storeHead } from './branches.ts';
import {
  findConversationKey,
  insertConversation,
  type NewConversation,
  storeCompared,
} from './conversationRows.ts';
import { deleteBranch, purgeSome, undeleteBranch } from './deletion.ts';
import { Drafts } from './drafts.ts';
import { findMessageKey, findMessagePosition } from './messageRows.ts';
import {
  type Edit,
  insertEdit,
  insertQuestion,
  type NewMessageIds,
  type NewQuestion,
} from './newMessages.ts';
import { readLastChunkKey } from './replyChunks.ts';
import { type ChangedConversations, StoreChanges } from './storeChanges.ts';
import { type ImportResult, importAccepted, importConversation } from './storeImported.ts';
import { StoreQueries } from './storeQueries.ts';
import { storeMigrations, storeSalvage } from './storeSchema.ts';
import { UsageLedger } from './usageLedger.ts';
import { copyPath } from './wholeConversations.ts';

interface StoreOptions {
  /** The database file. Attachments are in a folder next to it. */
  readonly file: string;
  /** A random name of this window, which is new at each start. */
  readonly window: string;
  readonly now?: () => number;
  /** As in `DatabaseOptions`. */
  readonly isNonBlocking?: boolean;
}

/** A larger file is not checked when it is opened, because this would block a window for too long. */
const maxPagesChecked = 500;

/**
 * Opens the store. Only a small file is checked completely; the worker checks a large one once a day.
 *
 * @throws {StorageError} if it cannot be opened
 */
export function openConversationStore(options: StoreOptions): ConversationStore {
  const { file, window, now = Date.now, isNonBlocking = false } = options;
  const schema = { migrations: storeMigrations, plan: storeSalvage };
  const database = openDatabase({ path: file, ...schema, maxPagesChecked, now, isNonBlocking });
  try {
    return new ConversationStore(database, join(dirname(file), 'attachments'), { window, now });
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Stores the conversations. Several windows use the same file at the same time: the messages of all of them are
 * stored, and the head that was set last wins. A message does not change after it is done; every change adds a
 * sibling. A write survives the end of the process. A durable write survives a power failure once the call
 * returns. With `isNonBlocking`, it does so once `flush` resolves, and a synchronous call fails as `busy` while
 * others write. Calls with an unknown conversation or message change nothing.
 *
 * @throws {StorageError} from every method, without any change
 */
export class ConversationStore extends StoreQueries {
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly usage: UsageLedger;
  /** The name of this window. */
  readonly window: string;
  readonly #context: WriteContext;
  readonly #changes: StoreChanges;

  /** @param attachments the folder of attachments */
  constructor(database: Database, attachments: string, options: Omit<WriteContext, 'database'>) {
    const context = { database, ...options };
    const changes = new StoreChanges(database);
    super(context);
    this.#context = context;
    this.#changes = changes;
    this.attachments = new Attachments(context, attachments);
    this.drafts = new Drafts(context, changes);
    this.usage = new UsageLedger(context);
    this.window = context.window;
  }

  // Requests

  /** Creates a conversation without messages. Lists omit it until it has a draft. @returns its id */
  create(initial: NewConversation = {}): string {
    const { id = randomUUID(), title = '', createdAt = this.#context.now(), ...rest } = initial;
    this.#changes.write((touch) => {
      touch(insertConversation(this.#context, { ...rest, id, title, createdAt, changedAt: createdAt }));
    });
    return id;
  }

  /**
   * Durably stores a question and its pending replies, before their requests are sent. Without a question, it
   * stores another reply to an existing question, or a continuation. The first reply becomes the head. A deleted
   * conversation is restored.
   *
   * @returns undefined if the conversation or the parent message was purged: then no request may be sent
   */
  addQuestion(conversation: string, newQuestion: NewQuestion): NewMessageIds | undefined {
    return this.#changeDurably(conversation, (key) => insertQuestion(this.#context, key, newQuestion));
  }

  /**
   * Durably stores an edited reply as a sibling that is done, and makes it the head.
   *
   * @returns the id of the new message; undefined if there is no such message
   */
  edit(conversation: string, message: string, edit: Edit): string | undefined {
    return this.#changeDurably(conversation, (key) => insertEdit(this.#context, key, message, edit));
  }

  /**
   * Writes the events of a reply since the last call, about once a second. The cost depends only on these events.
   *
   * @returns whether this window receives the reply
   */
  append(conversation: string, message: string, events: readonly ChatEvent[]): boolean {
    return this.#change(conversation, (key) => appendEvents(this.#context, key, message, events)) ?? false;
  }

  /** Reads the appended content of a reply, even a deleted one. Stores its pictures as attachments. */
  async readArrived(conversation: string, message: string): Promise<MessageRecord['choices']> {
    const key = findConversationKey(this.#context, conversation);
    const position = key === undefined ? undefined : findMessagePosition(this.#context, key, message);
    return position ? readArrivedChoices(this.#context, this.attachments, position.key) : [];
  }

  /**
   * Durably replaces the appended content by the complete reply, and counts its usage. After that, the reply is
   * done, even if it failed or the user stopped it.
   *
   * @returns whether this window received the reply
   */
  finish(conversation: string, message: string, finish: FinishedReply): boolean {
    return (
      this.#changeDurably(conversation, (key) => storeFinish(this.#context, key, message, finish)) ?? false
    );
  }

  /**
   * Marks the replies of windows that ended as stopped, with the text so far. Their usage is unknown.
   *
   * @returns the ids of their conversations
   */
  async stopAbandonedReplies(isAlive: (window: string) => boolean): Promise<readonly string[]> {
    const conversations = new Set<string>();
    const errors: unknown[] = [];
    const abandoned = readArrivingInOtherWindows(this.#context).filter(({ owner }) => !isAlive(owner));
    for (const arriving of abandoned) {
      const stopped = await this.#stopReply(arriving).catch((error) => {
        if (isRetryable(error)) throw error;
        errors.push(error);
      });
      if (stopped !== undefined) conversations.add(stopped);
    }
    if (conversations.size > 0) this.#changes.fireExternal([...conversations]);
    if (errors.length > 0) throw errors[0];
    return [...conversations];
  }

  // Branches

  /** Makes exactly this message the head. @returns whether there is such a message */
  setHead(conversation: string, message: string): boolean {
    const isFound = this.#change(conversation, (key) => {
      const head = findMessageKey(this.#context, key, message);
      if (head !== undefined) storeHead(this.#context, key, head);
      return head !== undefined;
    });
    return isFound ?? false;
  }

  /**
   * Shows the branch of a message: the leaf that was last shown below it becomes the head.
   *
   * @returns whether there is such a message
   */
  show(conversation: string, message: string): boolean {
    return this.#change(conversation, (key) => showBranch(this.#context, key, message)) !== undefined;
  }

  /**
   * Shows the branches that end with these messages side by side, and makes one of them the head.
   *
   * @param ends empty to show only the head
   */
  compare(conversation: string, ends: readonly string[], head: string): void {
    this.#change(conversation, (key) => {
      const end = findMessageKey(this.#context, key, head);
      if (end !== undefined) storeHead(this.#context, key, end);
      storeCompared(this.#context, key, ends.length === 0 ? undefined : ends);
    });
  }

  /**
   * Deletes a message and all messages below it. They can be restored until they are purged. If the head is
   * deleted, the branch of the newest sibling is shown, or else the message above.
   *
   * @returns the number of deleted messages
   */
  deleteMessages(conversation: string, message: string): number {
    return this.#change(conversation, (key) => deleteBranch(this.#context, key, message)) ?? 0;
  }

  /**
   * Restores the messages that `deleteMessages` deleted with a message, and shows them. If the parent is
   * deleted, they are restored together with the parent.
   *
   * @returns whether the message is restored
   */
  undeleteMessages(conversation: string, message: string): boolean {
    return this.#change(conversation, (key) => undeleteBranch(this.#context, key, message)) ?? false;
  }

  /**
   * Durably copies a message and the messages above it into a new conversation, with the same message ids.
   *
   * @param title of the copy; by default the original's title
   * @returns the id of the new conversation; undefined if there is no such message, or one of them still arrives
   */
  fork(conversation: string, message: string, title?: string): string | undefined {
    return this.#changes.writeDurably((touch) => {
      const original = this.get(conversation);
      const key = findConversationKey(this.#context, conversation);
      const end = key === undefined ? undefined : findMessageKey(this.#context, key, message);
      const fork =
        original && end !== undefined
          ? copyPath(this.#context, { ...original, title: title ?? original.title }, end)
          : undefined;
      if (fork) touch(fork.key);
      return fork?.id;
    });
  }

  // Whole conversations

  /** @param title empty to derive it from the first question */
  rename(conversation: string, title: string): void {
    this.#setColumn(conversation, 'title', title);
  }

  /**
   * Sets the title of a conversation without a title.
   *
   * @returns whether it had no title
   */
  setTitleIfEmpty(conversation: string, title: string): boolean {
    const sql = `UPDATE conversations SET title = ? WHERE key = ? AND title = ''`;
    return (this.#change(conversation, (key) => this.database.run(sql, title, key)) ?? 0) > 0;
  }

  pin(conversation: string, isPinned: boolean): void {
    this.#setColumn(conversation, 'pinnedAt', isPinned ? this.#context.now() : null);
  }

  archive(conversation: string, isArchived: boolean): void {
    this.#setColumn(conversation, 'archivedAt', isArchived ? this.#context.now() : null);
  }

  /** Deletes a conversation. It can be restored until it is purged. */
  delete(conversation: string): void {
    this.#setColumn(conversation, 'deletedAt', this.#context.now());
  }

  undelete(conversation: string): void {
    this.#setColumn(conversation, 'deletedAt', null);
  }

  /**
   * Purges some of the messages and conversations that were deleted 30 days ago, and unused attachments. A worker
   * calls this until it returns false, with pauses so that windows can write.
   *
   * @returns whether there may be more
   */
  purge(): boolean {
    return this.#changes.write(() => purgeSome(this.#context, this.attachments, this.#context.now()));
  }

  // Import

  /**
   * Adds a conversation whose attachments are already stored. If a conversation with the same id or origin
   * exists, the missing messages are added to it. A new conversation is added completely or not at all.
   *
   * @param pause called regularly, so that other windows and this one can write
   */
  import(
    imported: ConversationWithMessages,
    pause: () => Promise<void> = setImmediate,
  ): Promise<ImportResult> {
    return importConversation({ context: this.#context, changes: this.#changes, pause }, imported);
  }

  /**
   * Like `import`, for a conversation of this store: a message with an existing id counts as the existing
   * message, even with other content.
   *
   * @param onRejected called for each message that the database rejects; the others are stored
   */
  async addMissing(imported: ConversationWithMessages, onRejected: (error: unknown) => void): Promise<void> {
    const into = { context: this.#context, changes: this.#changes, pause: setImmediate, hasOwnIds: true };
    await importAccepted(into, imported, onRejected);
  }

  // Several windows

  /** Fires after writes of this window, and for changes that `detectExternalChanges` found. */
  get onDidChange(): Event<ChangedConversations> {
    return this.#changes.onDidChange;
  }

  /** Like `onDidChange`, for writes of other windows, and writes on behalf of a window that ended. */
  get onDidChangeExternally(): Event<ChangedConversations> {
    return this.#changes.onDidChangeExternally;
  }

  /**
   * Fires `onDidChange` for changes of other windows since the last call. Purged conversations are not
   * reported. Conversations that this window changed may be reported again.
   *
   * @returns whether other windows changed anything
   */
  detectExternalChanges(): boolean {
    return this.#changes.detectExternalChanges();
  }

  /** Resolves once all durable writes survive a power failure. @throws {StorageError} */
  flush(): Promise<void> {
    return this.database.flush();
  }

  /** Also closes the database. */
  close(): void {
    this.database.close();
  }

  async #stopReply(arriving: ArrivingReply): Promise<string | undefined> {
    const last = readLastChunkKey(this.#context, arriving.key);
    const choices = await readArrivedChoices(this.#context, this.attachments, arriving.key);
    const stop = () =>
      this.#changes.write((touch) => {
        if (!storeStopped(this.#context, arriving, choices, last)) return undefined;
        touch(arriving.conversation);
        const sql = 'SELECT id FROM conversations WHERE key = ?';
        return this.database.get<{ id: string }>(sql, arriving.conversation)?.id;
      });
    return retryWhileBusy(stop);
  }

  #setColumn(conversation: string, column: string, value: string | number | null): void {
    this.#change(conversation, (key) =>
      this.database.run(`UPDATE conversations SET ${column} = ? WHERE key = ?`, value, key),
    );
  }

  #change<Result>(conversation: string, change: (key: number) => Result): Result | undefined {
    return this.#changes.write((touch) => this.#touchAndChange(conversation, change, touch));
  }

  #changeDurably<Result>(conversation: string, change: (key: number) => Result): Result | undefined {
    return this.#changes.writeDurably((touch) => this.#touchAndChange(conversation, change, touch));
  }

  #touchAndChange<Result>(
    conversation: string,
    change: (key: number) => Result,
    touch: (key: number) => void,
  ): Result | undefined {
    const key = findConversationKey(this.#context, conversation);
    if (key === undefined) return undefined;
    touch(key);
    return change(key);
  }
}
