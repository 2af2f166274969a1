import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Event } from '../../base/emitter.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import { mayPass } from '../../storage/sqlite/storageError.ts';
import { whenFree } from '../../storage/whenFree.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { MessageRecord, WholeConversation } from '../conversation/record.ts';
import {
  type Arriving,
  appendEvents,
  arrivedChoices,
  arrivingElsewhere,
  type Finish,
  storeFinish,
  storeStopped,
} from './arriving.ts';
import { type Asked, type Asking, type Edit, insertAsking, insertEdited } from './asking.ts';
import { Attachments } from './attachments.ts';
import { showBranch, storeHead } from './branches.ts';
import { lastChunk } from './chunks.ts';
import {
  type ConversationSettings,
  conversationKey,
  insertConversation,
  type NewConversation,
  storeCompared,
  storeSettings,
} from './conversationRows.ts';
import { deleteBranch, purgeSome, undeleteBranch } from './deletion.ts';
import { Drafts } from './drafts.ts';
import { type Imported, importAllowed, importWhole } from './importing.ts';
import { messageKey } from './messageRows.ts';
import { type ChangedConversations, StoreChanges } from './storeChanges.ts';
import type { StoreContext } from './storeContext.ts';
import { StoreQueries } from './storeQueries.ts';
import { storeMigrations, storeSalvage } from './storeSchema.ts';
import { copyPath } from './transfer.ts';
import { UsageLedger } from './usage.ts';

export interface StoreOptions {
  /** The file. Attachments lie in a folder beside it. */
  readonly file: string;
  /** A random name of this window, new at each start. */
  readonly window: string;
  readonly now?: () => number;
  /** As in `DatabaseOptions`. */
  readonly neverWaits?: boolean;
}

/** More would take longer to check than a window may stand still. */
const maxPagesChecked = 500;

/**
 * Opens the store. Only a small file is checked as a whole; a large one is checked by the worker, once a day.
 *
 * @throws {StorageError} when it cannot be opened
 */
export function openConversationStore(options: StoreOptions): ConversationStore {
  const { file, window, now = Date.now, neverWaits = false } = options;
  const database = openDatabase({
    ...{ path: file, migrations: storeMigrations, plan: storeSalvage, maxPagesChecked, now, neverWaits },
  });
  return new ConversationStore(database, join(dirname(file), 'attachments'), { window, now });
}

/**
 * Owns the conversations. Several windows use the same file at once: what all of them ask is kept, and the head
 * that was set last counts. A message that is done never changes; every change is a sibling. A write survives
 * the end of the process, and one that is called durable survives a power failure, once the call returns, or once
 * `flush` resolves where the store never waits: there a synchronous call fails as `busy` while others write. Calls about
 * an unknown conversation or message change nothing.
 *
 * @throws {StorageError} from every method, after which nothing has changed
 */
export class ConversationStore extends StoreQueries {
  readonly attachments: Attachments;
  readonly drafts: Drafts;
  readonly usage: UsageLedger;
  /** The name of this window. */
  readonly window: string;
  readonly #context: StoreContext;
  readonly #changes: StoreChanges;

  /** @param attachments the folder of attachments */
  constructor(
    database: Database,
    attachments: string,
    { window, now }: { readonly window: string; readonly now: () => number },
  ) {
    const context = { database, window, now };
    const changes = new StoreChanges(database);
    super(context, changes);
    this.#context = context;
    this.#changes = changes;
    this.attachments = new Attachments(context, attachments);
    this.drafts = new Drafts(context, changes);
    this.usage = new UsageLedger(context);
    this.window = window;
  }

  // Asking

  /** Makes a conversation without messages, which no list shows before it has a draft. @returns its id */
  create(made: NewConversation = {}): string {
    const { now } = this.#context;
    const { id = randomUUID(), title = '', createdAt = now(), ...rest } = made;
    this.#changes.write((touch) => {
      touch(insertConversation(this.#context, { ...rest, id, title, createdAt, changedAt: createdAt }));
    });
    return id;
  }

  /**
   * Stores a question and the answers that will arrive, before their requests are sent; durable. A further
   * answer, and one that continues another, come without a question. The first answer becomes the head. A
   * deleted conversation comes back.
   *
   * @returns undefined when the conversation, or the message below which this stands, is gone for good: then
   *   nothing may be sent
   */
  ask(conversation: string, asking: Asking): Asked | undefined {
    return this.#changeDurably(conversation, (key) => insertAsking(this.#context, key, asking));
  }

  /**
   * Stores an answer as the user edited it, as a sibling that is done, and makes it the head; durable.
   *
   * @returns the id of the new message; undefined when there is no such message
   */
  edit(conversation: string, message: string, edit: Edit): string | undefined {
    return this.#changeDurably(conversation, (key) => insertEdited(this.#context, key, message, edit));
  }

  /**
   * Writes what arrived of an answer since the last call. It costs what is new. Call it about once a second.
   *
   * @returns whether this window receives the answer
   */
  append(conversation: string, answer: string, events: readonly ChatEvent[]): boolean {
    return this.#change(conversation, (key) => appendEvents(this.#context, key, answer, events)) ?? false;
  }

  /** What was appended of an answer, also of one that was deleted meanwhile, with its pictures as attachments. */
  async arrived(conversation: string, answer: string): Promise<MessageRecord['choices']> {
    const sql = `SELECT messages.key FROM messages JOIN conversations ON conversations.key = messages.conversation
      WHERE conversations.id = ? AND messages.id = ?`;
    const key = this.database.get<{ key: number }>(sql, conversation, answer)?.key;
    return key === undefined ? [] : arrivedChoices(this.#context, this.attachments, key);
  }

  /**
   * Stores the whole answer in place of what was appended, and counts its usage; durable. It is done from then
   * on, also when it failed or was stopped by the user.
   *
   * @returns whether this window received the answer
   */
  finish(conversation: string, answer: string, finish: Finish): boolean {
    return (
      this.#changeDurably(conversation, (key) => storeFinish(this.#context, key, answer, finish)) ?? false
    );
  }

  /**
   * Marks answers whose window ended as stopped, with the text that was written; their usage counts as unknown.
   *
   * @returns the ids of their conversations
   */
  async recover(isAlive: (window: string) => boolean): Promise<readonly string[]> {
    const conversations = new Set<string>();
    const rejected: unknown[] = [];
    const dead = arrivingElsewhere(this.#context).filter(({ owner }) => !isAlive(owner));
    for (const arriving of dead) {
      const stopped = await this.#stop(arriving).catch((error) => {
        if (mayPass(error)) throw error;
        rejected.push(error);
      });
      if (stopped !== undefined) conversations.add(stopped);
    }
    if (conversations.size > 0) this.#changes.tellElsewhere([...conversations]);
    if (rejected.length > 0) throw rejected[0];
    return [...conversations];
  }

  // Branches

  /** Makes a message the head, exactly. @returns whether there is such a message */
  setHead(conversation: string, message: string): boolean {
    const set = this.#change(conversation, (key) => {
      const head = messageKey(this.#context, key, message);
      if (head !== undefined) storeHead(this.#context, key, head);
      return head !== undefined;
    });
    return set ?? false;
  }

  /**
   * Shows the branch of a message: the head becomes the leaf that was last shown below it.
   *
   * @returns whether there is such a message
   */
  show(conversation: string, message: string): boolean {
    return this.#change(conversation, (key) => showBranch(this.#context, key, message)) !== undefined;
  }

  /**
   * Shows the branches that end with these messages side by side, and makes one of them the head.
   *
   * @param ends empty to show the head alone
   */
  compare(conversation: string, ends: readonly string[], head: string): void {
    this.#change(conversation, (key) => {
      const end = messageKey(this.#context, key, head);
      if (end !== undefined) storeHead(this.#context, key, end);
      storeCompared(this.#context, key, ends.length === 0 ? undefined : ends);
    });
  }

  /**
   * Deletes a message and all below it, until it is undone or purged. When the head is among them, the branch
   * beside it is shown, else what is above it.
   *
   * @returns how many messages were deleted
   */
  deleteMessages(conversation: string, message: string): number {
    return this.#change(conversation, (key) => deleteBranch(this.#context, key, message)) ?? 0;
  }

  /**
   * Brings back what `deleteMessages` deleted with a message, and shows it. While its parent is deleted, it
   * waits for that to come back.
   *
   * @returns whether it is there again
   */
  undeleteMessages(conversation: string, message: string): boolean {
    return this.#change(conversation, (key) => undeleteBranch(this.#context, key, message)) ?? false;
  }

  /**
   * Copies a message and what is above it into a new conversation, with the same ids of messages; durable.
   *
   * @param title of the copy; without it that of the original
   * @returns the id of the new conversation; undefined when there is no such message, or while one arrives
   */
  fork(conversation: string, message: string, title?: string): string | undefined {
    return this.#changes.writeDurably((touch) => {
      const original = this.get(conversation);
      const key = conversationKey(this.#context, conversation);
      const end = key === undefined ? undefined : messageKey(this.#context, key, message);
      const fork =
        original && end !== undefined
          ? copyPath(this.#context, { ...original, title: title ?? original.title }, end)
          : undefined;
      if (fork) touch(fork.key);
      return fork?.id;
    });
  }

  // All of a conversation

  /** @param title empty to call it after its first question */
  rename(conversation: string, title: string): void {
    this.#set(conversation, 'title', title);
  }

  /**
   * Gives a title to a conversation that has none.
   *
   * @returns whether it had none
   */
  nameUnlessNamed(conversation: string, title: string): boolean {
    const sql = `UPDATE conversations SET title = ? WHERE key = ? AND title = ''`;
    return (this.#change(conversation, (key) => this.database.run(sql, title, key)) ?? 0) > 0;
  }

  pin(conversation: string, pinned: boolean): void {
    this.#set(conversation, 'pinnedAt', pinned ? this.#context.now() : null);
  }

  archive(conversation: string, archived: boolean): void {
    this.#set(conversation, 'archivedAt', archived ? this.#context.now() : null);
  }

  /** Deletes a conversation, until it is undone or purged. */
  delete(conversation: string): void {
    this.#set(conversation, 'deletedAt', this.#context.now());
  }

  undelete(conversation: string): void {
    this.#set(conversation, 'deletedAt', null);
  }

  /** Stores what the next question is asked with. What is absent is absent from then on. */
  configure(conversation: string, settings: ConversationSettings): void {
    this.#change(conversation, (key) => storeSettings(this.#context, key, settings));
  }

  /**
   * Deletes for good some of what was deleted 30 days ago, and attachments that nothing uses. Made for a worker:
   * call it until it returns false, with pauses in which windows can write.
   *
   * @returns whether there may be more
   */
  purge(): boolean {
    return this.#changes.write(() => purgeSome(this.#context, this.attachments, this.#context.now()));
  }

  // Taking along

  /**
   * Adds a conversation whose attachments are kept already; one that is there, by its id or its origin, gets the
   * messages that it lacks. A new one is added as a whole or not at all.
   *
   * @param pause called now and then, so that other windows and this one can go on
   */
  import(whole: WholeConversation, pause: () => Promise<void> = setImmediate): Promise<Imported> {
    return importWhole({ context: this.#context, changes: this.#changes, pause }, whole);
  }

  /**
   * As `import`, for a conversation of this store: a message of an id that is there is that message, whatever it says.
   *
   * @param onRejected called for each message that the database rejects; the others are stored
   */
  async complete(whole: WholeConversation, onRejected: (error: unknown) => void): Promise<void> {
    const into = { context: this.#context, changes: this.#changes, pause: setImmediate, knowsIds: true };
    await importAllowed(into, whole, onRejected);
  }

  // Several windows

  /** Fires after this window wrote, and for what `noticeOthers` found. */
  get onDidChange(): Event<ChangedConversations> {
    return this.#changes.onDidChange;
  }

  /** Like `onDidChange`, for what others wrote, or this window wrote in place of one that died. */
  get onDidChangeElsewhere(): Event<ChangedConversations> {
    return this.#changes.onDidChangeElsewhere;
  }

  /**
   * Fires `onDidChange` for what other windows changed since the last call. Conversations that are gone for good
   * are not named, and some may be named that this window changed.
   *
   * @returns whether others changed anything
   */
  noticeOthers(): boolean {
    return this.#changes.noticeOthers();
  }

  /** Resolves once all durable writes survive a power failure. @throws {StorageError} */
  flush(): Promise<void> {
    return this.database.flush();
  }

  /** Closes the database as well. */
  close(): void {
    this.database.close();
  }

  async #stop(arriving: Arriving): Promise<string | undefined> {
    const last = lastChunk(this.#context, arriving.key);
    const choices = await arrivedChoices(this.#context, this.attachments, arriving.key);
    const stop = () =>
      this.#changes.write((touch) => {
        if (!storeStopped(this.#context, arriving, choices, last)) return undefined;
        touch(arriving.conversation);
        const sql = 'SELECT id FROM conversations WHERE key = ?';
        return this.database.get<{ id: string }>(sql, arriving.conversation)?.id;
      });
    return whenFree(stop);
  }

  #set(conversation: string, column: string, value: string | number | null): void {
    this.#change(conversation, (key) =>
      this.database.run(`UPDATE conversations SET ${column} = ? WHERE key = ?`, value, key),
    );
  }

  #change<Result>(conversation: string, change: (key: number) => Result): Result | undefined {
    return this.#changes.write((touch) => this.#changed(conversation, change, touch));
  }

  #changeDurably<Result>(conversation: string, change: (key: number) => Result): Result | undefined {
    return this.#changes.writeDurably((touch) => this.#changed(conversation, change, touch));
  }

  #changed<Result>(
    conversation: string,
    change: (key: number) => Result,
    touch: (key: number) => void,
  ): Result | undefined {
    const key = conversationKey(this.#context, conversation);
    if (key === undefined) return undefined;
    touch(key);
    return change(key);
  }
}
