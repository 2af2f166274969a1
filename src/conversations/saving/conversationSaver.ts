import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import { Throttle } from '../../base/throttle.ts';
import { retryAfterRepair, retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { isRetryable, type StorageError } from '../../storage/sqlite/storageError.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import { createChatRequestRecord, finishRequestRecord } from '../conversation/chatRequestRecord.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ChatRequestRecord } from '../conversation/conversationRecord.ts';
import { isUnbilled } from '../conversation/joinedResult.ts';
import type { ConversationReply, ReplyResult, Turn, UnsentPrompt } from '../conversation/turn.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { storeReplies, storeReplyParts } from '../store/replyParts.ts';
import { ChatWriteQueue } from './chatWriteQueue.ts';
import { DraftSaver } from './draftSaver.ts';
import { createMessageRecords } from './messageRecords.ts';
import { addPlaceholderReplies, findRemovalRoot, listRealRoots } from './placeholderReplies.ts';
import type { SaverOptions, StoredConversationState } from './saverOptions.ts';
import { type ExternalChanges, readExternalChanges } from './storedMessages.ts';
import { findReplyPosition, findStoredParent, finishReply } from './storeReply.ts';

/** The interval of writes while a reply arrives, in milliseconds. At most this much of a reply is lost. */
const appendIntervalMs = 800;

/** Returns false if the store lacks messages that the write needs. They are written before the write runs again. */
type ChatWrite = (store: ConversationStore) => boolean | Promise<boolean>;

/**
 * Stores a conversation as it grows: a question before its request is sent, a reply while it arrives. Its
 * methods do not throw: a write that the store refuses waits in memory, in order, until the store accepts it.
 * Messages that the store lost, because a write failed or the chat was purged, are written again from memory.
 */
export class ConversationSaver {
  readonly id: string;
  readonly #conversation: Conversation;
  readonly #options: SaverOptions;
  readonly #clock: Clock;
  readonly #queue: ChatWriteQueue;
  readonly #storedIds: Set<string>;
  readonly #placeholderIds: Set<string>;
  /** The ids of the messages whose own write is still queued. */
  readonly #queuedIds = new Set<string>();
  /** Whether the store still contains all messages that were written before. */
  #isComplete: boolean;
  /** The request of each reply that arrives. */
  readonly #openRequests = new Map<string, ChatRequestRecord>();
  /** The events since the last write, by reply. */
  readonly #pendingEvents = new Map<string, ChatEvent[]>();
  readonly #appendThrottle: Throttle;
  readonly #draftSaver: DraftSaver;

  constructor(conversation: Conversation, options: SaverOptions, stored?: StoredConversationState) {
    this.id = stored?.id ?? randomUUID();
    this.#conversation = conversation;
    this.#options = options;
    const { clock = systemClock } = options;
    this.#clock = clock;
    this.#queue = new ChatWriteQueue({ ...options, clock });
    this.#appendThrottle = new Throttle(
      () => this.#writePendingEvents(),
      appendIntervalMs,
      (ms, callback) => clock.after(ms, callback),
    );
    this.#storedIds = new Set(stored?.messages);
    this.#placeholderIds = new Set(stored?.placeholderIds);
    this.#isComplete = stored !== undefined;
    this.#draftSaver = new DraftSaver({
      id: this.id,
      clock,
      mayHaveStoredDraft: stored !== undefined,
      isChatStored: () => this.#storedIds.size > 0,
      write: (write) => void this.#write(write),
    });
  }

  /** The reason why the chat cannot be stored at the moment. */
  get problem(): StorageError | undefined {
    return this.#queue.problem;
  }

  /**
   * Stores questions and their pending replies. The write is durable when the promise resolves, unless `problem`
   * is set then. All replies are requested at the same time.
   *
   * @param replaced the id of a turn that one of the turns replaces
   */
  storeTurns(turns: readonly Turn[], replaced?: string): Promise<void> {
    const facts = this.#options.readFacts();
    const { workspace: _, ...settings } = facts;
    const requestedAt = this.#clock.now();
    const requests = turns.map(({ id, question }) => ({
      id,
      request: createChatRequestRecord(question, facts, requestedAt),
      position: findReplyPosition(this.#conversation, id),
    }));
    for (const { id, request } of requests) this.#openRequests.set(id, request);
    const writeComparison = this.#createComparisonWrite();
    return this.#writeNew(
      turns.flatMap(({ id, questionId }) => [questionId, id]),
      async (store) => {
        if (replaced !== undefined && this.#storedIds.has(replaced)) this.#deleteReplaced(replaced, store);
        for (const [question, group] of Map.groupBy(requests, ({ position }) => position.ancestors[0])) {
          const replies = group.filter(({ id }) => !this.#storedIds.has(id));
          const [first] = replies;
          if (!first) continue;
          const storedParent = await findStoredParent(first.position, this.#storedIds, store.attachments);
          if (!store.addQuestion(this.id, { ...storedParent, replies, settings })) return false;
          for (const { id } of replies) this.#storedIds.add(id);
          if (storedParent.question && question !== undefined) this.#storedIds.add(question);
        }
        writeComparison(store);
        return true;
      },
    );
  }

  /** Schedules a write of the received events of a reply. */
  storeEvents(id: string, events: readonly ChatEvent[]): void {
    const pending = this.#pendingEvents.get(id) ?? [];
    this.#pendingEvents.set(id, pending);
    for (const event of events) pending.push(event);
    this.#appendThrottle.schedule();
  }

  /** Stores a reply and its outcome durably. For a deleted reply, it only adds the usage. */
  storeResult(id: string, result: ReplyResult): Promise<void> {
    const reply = this.#conversation.reply(id);
    const openRequest =
      this.#openRequests.get(id) ?? (reply && createChatRequestRecord(reply.settings, {}, this.#clock.now()));
    if (!openRequest) return Promise.resolve();
    if (!reply) this.#writePendingEvents();
    this.#openRequests.delete(id);
    this.#pendingEvents.delete(id);
    const request = finishRequestRecord(openRequest, result);
    return this.#write(async (store) => {
      const choices = reply
        ? await storeReplies(reply.replies, store.attachments)
        : await store.readArrived(this.id, id);
      const finish = { choices, request, isUnbilled: isUnbilled(result) };
      const isFinished = await finishReply(store, this.#options.worker, {
        conversation: this.id,
        message: id,
        finish,
      });
      // The usage counts even if the reply was purged.
      if (!isFinished && !finish.isUnbilled) store.usage.add(this.id, id, request);
      return isFinished;
    });
  }

  /** Stores a reply that the user edited. */
  storeEdit({ id, replies, settings }: ConversationReply, editOf: string): Promise<void> {
    const request = createChatRequestRecord(settings, {}, this.#clock.now());
    // A continued reply is edited as a whole: the edited reply is a sibling of its first part.
    const siblingId = this.#conversation.turn(editOf)?.firstReplyId ?? editOf;
    const question = this.#placeholderIds.has(siblingId)
      ? this.#conversation.tree.parent(siblingId)
      : undefined;
    return this.#writeNew([id], async (store) => {
      if (this.#storedIds.has(id)) return true;
      const [reply] = replies;
      const parts = reply ? await storeReplyParts(reply, store.attachments) : [];
      const isStored = store.edit(this.id, siblingId, { id, parts, request, question }) !== undefined;
      if (isStored) this.#storedIds.add(id);
      return isStored;
    });
  }

  /** Stores which branch is shown. A placeholder is not stored, so the branch ends at a message above it. */
  storeShownBranch(message: string): void {
    const upwards = this.#placeholderIds.has(message) ? this.#conversation.tree.path.toReversed() : [];
    void this.#write((store) => {
      const shownEnd = upwards.find((id) => this.#storedIds.has(id));
      if (shownEnd === undefined) store.show(this.id, message);
      else store.setHead(this.id, shownEnd);
      return true;
    });
  }

  /**
   * Deletes a question or reply and all messages below it, here and in the store. A question whose only reply
   * is deleted remains without a reply.
   *
   * @returns the ids to pass to `undelete`, which restores all of them
   */
  delete(message: string): readonly string[] {
    const conversation = this.#conversation;
    const removalRoot = findRemovalRoot(conversation, message, this.#placeholderIds);
    const isMissing = (id: string) => this.#placeholderIds.has(id) && !this.#storedIds.has(id);
    const roots = listRealRoots(conversation, removalRoot, isMissing);
    const removed = conversation.remove(removalRoot);
    addPlaceholderReplies(conversation, this.#placeholderIds);
    const upwards = conversation.tree.path.toReversed();
    void this.#write((store) => {
      for (const root of roots) store.deleteMessages(this.id, root);
      const head = upwards.find((id) => this.#storedIds.has(id));
      if (head !== undefined) store.setHead(this.id, head);
      for (const id of removed) this.#storedIds.delete(id);
      return true;
    });
    return roots;
  }

  /**
   * Restores in the store the messages that `delete` deleted. After that, `readExternalChanges` finds them.
   *
   * @param roots the return value of `delete`; by default the latest deletion by any window, if it is recent
   * @returns the outermost ids of the restored messages
   * @throws {StorageError}
   */
  async undelete(roots?: readonly string[]): Promise<readonly string[]> {
    await this.#queue.add(() => undefined);
    // A message whose deletion is still queued cannot be restored, and would be deleted later.
    if (this.problem) throw this.problem;
    const store = await this.#options.openStore();
    const rootsToRestore = roots ?? store.findLastDeleted(this.id);
    const restored: string[] = [];
    for (const root of rootsToRestore) {
      const isRestored = await retryWhileBusy(() => store.undeleteMessages(this.id, root), this.#clock);
      if (isRestored) restored.push(root);
    }
    return restored;
  }

  /** Stores which branches are shown side by side. */
  storeComparison(): void {
    const writeComparison = this.#createComparisonWrite(true);
    void this.#write((store) => {
      writeComparison(store);
      return true;
    });
  }

  /** Schedules a write of the unsent draft. */
  storeDraft(draft: UnsentPrompt): void {
    this.#draftSaver.scheduleWrite(draft);
  }

  /** Reads the messages, deletions and parts of replies that are new to this window; undefined if none. */
  async readExternalChanges(): Promise<ExternalChanges | undefined> {
    // Messages that a replacement database file lacks were not deleted, and are written first.
    if (this.#storedIds.size > 0 && !this.#isComplete) await this.#write(() => true);
    if (this.#storedIds.size > 0 && !this.#isComplete) return undefined;
    await this.#queue.add(() => undefined);
    try {
      const store = await this.#options.openStore();
      const changes = await readExternalChanges(store, this.id, this.#conversation, this.#storedIds);
      // A selection in this window that is still queued is newer than the stored head.
      return changes && this.problem ? { ...changes, head: undefined } : changes;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  /** Applies the result of `readExternalChanges`. */
  applyExternalChanges(changes: ExternalChanges): void {
    const { messages, placeholderIds, head, deleted, stored, order, compared } = changes;
    this.#conversation.mergeChanges(messages, head, deleted, order, compared);
    for (const id of deleted) this.#storedIds.delete(id);
    for (const id of stored) this.#storedIds.add(id);
    for (const id of placeholderIds) this.#placeholderIds.add(id);
    addPlaceholderReplies(this.#conversation, this.#placeholderIds);
  }

  /** Reports to the chat that another window or tab changed it in the store. */
  notifyExternalChange(): void {
    this.#options.onExternalChange?.();
  }

  /** Writes the messages that a replaced database file lacks, and immediately retries refused writes. */
  handleReplacedFile(): void {
    this.#isComplete = false;
    this.#queue.retryNow();
    this.notifyExternalChange();
  }

  /** Performs all queued writes immediately. */
  async flush(): Promise<void> {
    this.#appendThrottle.flush();
    this.#draftSaver.flush();
    await this.#queue.add(() => undefined);
  }

  /** Releases the chat: remaining writes are done as soon as possible, as long as the window is open. */
  async release(): Promise<void> {
    this.#flushAndDispose();
    await this.#queue.drain();
    this.#options.onClosed();
  }

  /** Tries the remaining writes once. */
  async close(): Promise<void> {
    this.#flushAndDispose();
    await this.#queue.close();
    this.#options.onClosed();
  }

  #flushAndDispose(): void {
    this.#appendThrottle.flush();
    this.#draftSaver.flush();
    this.#appendThrottle.dispose();
    this.#draftSaver.dispose();
  }

  #writePendingEvents(): void {
    const pending = [...this.#pendingEvents];
    this.#pendingEvents.clear();
    for (const [id, events] of pending) {
      void this.#write((store) => {
        // After the end of a reply in this conversation, `storeResult` writes its whole content instead.
        const mustAppend = this.#openRequests.has(id) || !this.#conversation.reply(id);
        if (mustAppend) store.append(this.id, id, events);
        return true;
      });
    }
  }

  /** Writes new messages with `write`. Other writes do not add these messages until then. */
  async #writeNew(ids: readonly string[], write: ChatWrite): Promise<void> {
    const newIds = ids.filter((id) => !this.#storedIds.has(id));
    for (const id of newIds) this.#queuedIds.add(id);
    const onWritten = () => {
      for (const id of newIds) this.#queuedIds.delete(id);
    };
    await this.#write(write, onWritten);
  }

  /** @param onWritten called after the write, or once the write has failed permanently */
  #write(write: ChatWrite, onWritten = (): void => undefined): Promise<void> {
    let isAttempted = false;
    const runWrite = async () => {
      const store = await this.#options.openStore();
      if (!isAttempted) await this.#attempt(store, write, onWritten);
      isAttempted = true;
      await store.flush();
    };
    return this.#queue.add(() => retryAfterRepair(runWrite));
  }

  async #attempt(store: ConversationStore, write: ChatWrite, onWritten: () => void): Promise<void> {
    try {
      if (!this.#isComplete) await this.#writeMissingMessages(store);
      const isWritten = await write(store);
      onWritten();
      if (isWritten) return;
      await this.#writeMissingMessages(store);
      await write(store);
    } catch (error) {
      if (!isRetryable(error)) {
        this.#isComplete = false;
        onWritten();
      }
      throw error;
    }
  }

  /** Writes the messages that the store lacks, except arriving replies and messages with their own write. */
  async #writeMissingMessages(store: ConversationStore): Promise<void> {
    const now = this.#clock.now();
    const excluded = new Set([...this.#placeholderIds, ...this.#queuedIds]);
    const messages = await createMessageRecords(this.#conversation, excluded, store.attachments, now);
    const { tree, comparison } = this.#conversation;
    const conversation = {
      id: this.id,
      title: '',
      createdAt: now,
      changedAt: now,
      ...this.#options.readFacts(),
      ...(tree.head !== undefined && { head: tree.head }),
      ...(comparison.isShown && { compared: comparison.ends }),
    };
    await store.addMissing({ conversation, messages }, this.#options.onError);
    this.#storedIds.clear();
    for (const { id } of store.readTree(this.id)) if (tree.has(id)) this.#storedIds.add(id);
    this.#isComplete = true;
  }

  /**
   * Returns a function that writes which branches are shown side by side now.
   *
   * @param mayBeNone whether the function also writes that no branches are shown side by side
   */
  #createComparisonWrite(mayBeNone = false): (store: ConversationStore) => void {
    const { head } = this.#conversation.tree;
    const { ends } = this.#conversation.comparison;
    return (store) => {
      if (head !== undefined && (mayBeNone || ends.length > 0)) store.compare(this.id, ends, head);
    };
  }

  /** Deletes an empty reply, unless it arrives in another window, or has messages below it. */
  #deleteReplaced(reply: string, store: ConversationStore): void {
    const isInUse = store
      .readTree(this.id)
      .some(({ id, parent, state }) => parent === reply || (id === reply && state === 'arriving'));
    if (!isInUse) store.deleteMessages(this.id, reply);
    this.#storedIds.delete(reply);
  }
}
