import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import { Throttle } from '../../base/throttle.ts';
import { mayPass, type StorageError } from '../../storage/sqlite/storageError.ts';
import { onceRepaired, whenFree } from '../../storage/whenFree.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { madeNothing } from '../conversation/joinedResult.ts';
import type { RequestRecord } from '../conversation/record.ts';
import { askedRecord, endedRecord } from '../conversation/requestRecord.ts';
import type { Answer, ReplyResult, Turn, UnsentPrompt } from '../conversation/turn.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { keptParts, keptReplies } from '../store/keptParts.ts';
import { DraftKeeper } from './draftKeeper.ts';
import { finishReply } from './finishReply.ts';
import { fillGaps, outermost, outermostReal } from './gaps.ts';
import type { KeeperOptions, KeptBefore } from './keeperOptions.ts';
import { KeepQueue } from './keepQueue.ts';
import { recordsFrom } from './messageRecords.ts';
import { placeOf, storedBelow } from './place.ts';
import { type Elsewhere, readElsewhere } from './storedMessages.ts';

/** How often what arrives is written, in milliseconds: this much of a reply is lost at most. */
const appendMs = 800;

/**
 * Keeps a conversation in the store as it grows: a question before it is sent, a reply as it comes. Nothing of it
 * throws: what the store refuses waits in memory, in order, until the store takes it. What is missing there, because
 * a write failed or the chat was deleted for good, is written again from memory.
 */
export class ConversationKeeper {
  readonly id: string;
  readonly #conversation: Conversation;
  readonly #options: KeeperOptions;
  readonly #clock: Clock;
  readonly #queue: KeepQueue;
  readonly #kept: Set<string>;
  readonly #filled: Set<string>;
  /** The ids of the messages whose own write comes yet. */
  readonly #waiting = new Set<string>();
  /** Whether the store has all that was written before. */
  #isComplete: boolean;
  /** What was asked for each answer that arrives. */
  readonly #asked = new Map<string, RequestRecord>();
  /** What arrived since the last write, by answer. */
  readonly #arrived = new Map<string, ChatEvent[]>();
  readonly #append: Throttle;
  readonly #draft: DraftKeeper;

  constructor(conversation: Conversation, options: KeeperOptions, before?: KeptBefore) {
    this.id = before?.id ?? randomUUID();
    this.#conversation = conversation;
    this.#options = options;
    const { clock = systemClock } = options;
    this.#clock = clock;
    this.#queue = new KeepQueue({ ...options, clock });
    this.#append = new Throttle(
      () => this.#writeArrived(),
      appendMs,
      (ms, callback) => clock.after(ms, callback),
    );
    this.#kept = new Set(before?.messages);
    this.#filled = new Set(before?.filled);
    this.#isComplete = before !== undefined;
    this.#draft = new DraftKeeper({
      ...{ id: this.id, clock, mayBeKept: before !== undefined },
      isChatKept: () => this.#kept.size > 0,
      write: (write) => void this.#write(write),
    });
  }

  /** Why the chat cannot be kept for now. */
  get problem(): StorageError | undefined {
    return this.#queue.problem;
  }

  /**
   * Keeps questions and the places of their answers, which are asked at once; durable once it resolves, unless
   * there is a `problem` then.
   *
   * @param replaced the turn in whose place one of them is asked
   */
  asked(turns: readonly Turn[], replaced?: string): Promise<void> {
    const facts = this.#options.facts();
    const { workspace: _, ...settings } = facts;
    const at = this.#clock.now();
    const requests = turns.map(({ id, question }) => {
      return { id, request: askedRecord(question, facts, at), place: placeOf(this.#conversation, id) };
    });
    for (const { id, request } of requests) this.#asked.set(id, request);
    const compared = this.#compared();
    return this.#writeNew(
      turns.flatMap(({ id, questionId }) => [questionId, id]),
      async (store) => {
        if (replaced !== undefined && this.#kept.has(replaced)) this.#replace(replaced, store);
        for (const [question, asked] of Map.groupBy(requests, ({ place }) => place.above[0])) {
          const answers = asked.filter(({ id }) => !this.#kept.has(id));
          const [first] = answers;
          if (!first) continue;
          const above = await storedBelow(first.place, this.#kept, store.attachments);
          if (!store.ask(this.id, { ...above, answers, settings })) return false;
          for (const { id } of answers) this.#kept.add(id);
          if (above.question && question !== undefined) this.#kept.add(question);
        }
        compared(store);
        return true;
      },
    );
  }

  /** Keeps what arrived of an answer, soon. */
  arrived(id: string, events: readonly ChatEvent[]): void {
    const waiting = this.#arrived.get(id) ?? [];
    this.#arrived.set(id, waiting);
    for (const event of events) waiting.push(event);
    this.#append.schedule();
  }

  /**
   * Keeps a whole answer and how it ended; durable once it resolves. One that was deleted meanwhile stays deleted, and
   * its usage counts.
   */
  ended(id: string, result: ReplyResult): Promise<void> {
    const answer = this.#conversation.answer(id);
    const asked = this.#asked.get(id) ?? (answer && askedRecord(answer.asked, {}, this.#clock.now()));
    if (!asked) return Promise.resolve();
    if (!answer) this.#writeArrived();
    this.#asked.delete(id);
    this.#arrived.delete(id);
    const request = endedRecord(asked, result);
    const isFree = madeNothing(result);
    return this.#write(async (store) => {
      const choices = answer
        ? await keptReplies(answer.replies, store.attachments)
        : await store.arrived(this.id, id);
      const finish = { choices, request, madeNothing: isFree };
      const isFinished = await finishReply(store, this.#options.worker, {
        conversation: this.id,
        answer: id,
        finish,
      });
      // Where it is gone for good, it was made nevertheless.
      if (!isFinished && !isFree) store.usage.add(this.id, id, request);
      return isFinished;
    });
  }

  /** Keeps an answer as the user edited it. */
  edited({ id, replies, asked }: Answer, editOf: string): Promise<void> {
    const request = askedRecord(asked, {}, this.#clock.now());
    // An answer that was continued is edited as a whole: beside its first part.
    const beside = this.#conversation.turn(editOf)?.answerId ?? editOf;
    const question = this.#filled.has(beside) ? this.#conversation.above(beside) : undefined;
    return this.#writeNew([id], async (store) => {
      if (this.#kept.has(id)) return true;
      const [reply] = replies;
      const parts = reply ? await keptParts(reply, store.attachments) : [];
      const isKept = store.edit(this.id, beside, { id, parts, request, question }) !== undefined;
      if (isKept) this.#kept.add(id);
      return isKept;
    });
  }

  /** Keeps which branch is shown. */
  shown(message: string): void {
    void this.#write((store) => {
      store.show(this.id, message);
      return true;
    });
  }

  /**
   * Deletes a question or answer with all that follows it, here and in the store. A question whose only answer goes
   * stays without one.
   *
   * @returns the ids by which `undelete` brings all of it back
   */
  delete(message: string): readonly string[] {
    const conversation = this.#conversation;
    const first = outermost(conversation, message, this.#filled);
    const roots = outermostReal(conversation, first, (id) => this.#filled.has(id) && !this.#kept.has(id));
    const removed = conversation.remove(first);
    fillGaps(conversation, this.#filled);
    const upwards = conversation.path.toReversed();
    void this.#write((store) => {
      for (const root of roots) store.deleteMessages(this.id, root);
      const head = upwards.find((id) => this.#kept.has(id));
      if (head !== undefined) store.setHead(this.id, head);
      for (const id of removed) this.#kept.delete(id);
      return true;
    });
    return roots;
  }

  /**
   * Brings back in the store what `delete` deleted, which `elsewhere` finds from then on.
   *
   * @param roots what `delete` returned; without it what was deleted last, in any window, and not long ago
   * @returns the ids of messages that are back, the outermost ones
   * @throws {StorageError}
   */
  async undelete(roots?: readonly string[]): Promise<readonly string[]> {
    await this.#queue.add(() => undefined);
    // What is not deleted there yet cannot come back, and would be deleted later.
    if (this.problem) throw this.problem;
    const store = await this.#options.store();
    const wanted = roots ?? store.lastDeleted(this.id);
    const back: string[] = [];
    for (const root of wanted) {
      const isBack = await whenFree(() => store.undeleteMessages(this.id, root), this.#clock);
      if (isBack) back.push(root);
    }
    return back;
  }

  /** Keeps which branches are shown side by side. */
  compared(): void {
    const compared = this.#compared(true);
    void this.#write((store) => {
      compared(store);
      return true;
    });
  }

  /** Keeps what is typed and not sent, soon. */
  drafted(unsent: UnsentPrompt): void {
    this.#draft.keep(unsent);
  }

  /** What the store has and this window does not know, or not to its end; undefined where that is nothing. */
  async elsewhere(): Promise<Elsewhere | undefined> {
    // What a file lacks that took the place of another was not deleted by anybody.
    if (this.#kept.size > 0 && !this.#isComplete) await this.#write(() => true);
    if (this.#kept.size > 0 && !this.#isComplete) return undefined;
    await this.#queue.add(() => undefined);
    try {
      const store = await this.#options.store();
      const found = await readElsewhere(store, this.id, this.#conversation, this.#kept);
      // What was chosen here comes later, as it waits to be written.
      return found && this.problem ? { ...found, head: undefined } : found;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  /** Takes over what `elsewhere` found. */
  takeOver({ messages, filled, head, gone, stored, order, compared }: Elsewhere): void {
    this.#conversation.takeOver(messages, head, gone, order, compared);
    for (const id of gone) this.#kept.delete(id);
    for (const id of stored) this.#kept.add(id);
    for (const id of filled) this.#filled.add(id);
    fillGaps(this.#conversation, this.#filled);
  }

  /** Calls back that somebody changed the chat in the store. */
  stored(): void {
    this.#options.onStored?.();
  }

  /** Writes what another file lacks that took the place of the store's, and at once what was refused. */
  replaced(): void {
    this.#isComplete = false;
    this.#queue.hurry();
    this.stored();
  }

  /** Writes at once what waits to be written. */
  async flush(): Promise<void> {
    this.#append.flush();
    this.#draft.flush();
    await this.#queue.add(() => undefined);
  }

  /** Lets the chat go: what is left is written as soon as it can be, as long as the window is open. */
  async release(): Promise<void> {
    this.#flushLast();
    await this.#queue.drained();
    this.#options.onClosed();
  }

  /** Writes what is left, once. */
  async close(): Promise<void> {
    this.#flushLast();
    await this.#queue.close();
    this.#options.onClosed();
  }

  #flushLast(): void {
    this.#append.flush();
    this.#draft.flush();
    this.#append.dispose();
    this.#draft.dispose();
  }

  #writeArrived(): void {
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    for (const [id, events] of arrived) {
      void this.#write((store) => {
        // The end of an answer is written with all that arrived, as long as it is known here.
        const isToCome = this.#asked.has(id) || !this.#conversation.answer(id);
        if (isToCome) store.append(this.id, id, events);
        return true;
      });
    }
  }

  /** Writes new messages, which nothing else writes before. */
  async #writeNew(
    ids: readonly string[],
    write: (store: ConversationStore) => Promise<boolean>,
  ): Promise<void> {
    const waiting = ids.filter((id) => !this.#kept.has(id));
    for (const id of waiting) this.#waiting.add(id);
    const written = () => {
      for (const id of waiting) this.#waiting.delete(id);
    };
    await this.#write(write, written);
  }

  /**
   * @param write returns false where the store lacks what it needs; then it runs once more with that
   * @param written called once it is written, or cannot be written as it is
   */
  #write(
    write: (store: ConversationStore) => boolean | Promise<boolean>,
    written = (): void => undefined,
  ): Promise<void> {
    let isOver = false;
    const keep = async () => {
      const store = await this.#options.store();
      if (!isOver) await this.#attempt(store, write, written);
      isOver = true;
      await store.flush();
    };
    return this.#queue.add(() => onceRepaired(keep));
  }

  async #attempt(
    store: ConversationStore,
    write: (store: ConversationStore) => boolean | Promise<boolean>,
    written: () => void,
  ): Promise<void> {
    try {
      if (!this.#isComplete) await this.#complete(store);
      const isWritten = await write(store);
      written();
      if (isWritten) return;
      await this.#complete(store);
      await write(store);
    } catch (error) {
      if (!mayPass(error)) {
        this.#isComplete = false;
        written();
      }
      throw error;
    }
  }

  /** Writes what the store lacks of the chat, but replies that arrive and what is written by itself. */
  async #complete(store: ConversationStore): Promise<void> {
    const now = this.#clock.now();
    const others = new Set([...this.#filled, ...this.#waiting]);
    const messages = await recordsFrom(this.#conversation, others, store.attachments, now);
    const { head, comparison } = this.#conversation;
    const conversation = {
      ...{ id: this.id, title: '', createdAt: now, changedAt: now, ...this.#options.facts() },
      ...(head !== undefined && { head }),
      ...(comparison.isShown && { compared: comparison.ends }),
    };
    await store.complete({ conversation, messages }, this.#options.onError);
    this.#kept.clear();
    for (const { id } of store.tree(this.id)) if (this.#conversation.has(id)) this.#kept.add(id);
    this.#isComplete = true;
  }

  /** Returns what writes which branches are shown side by side now. */
  #compared(isLeft = false): (store: ConversationStore) => void {
    const { head, comparison } = this.#conversation;
    const { ends } = comparison;
    return (store) => {
      if (head !== undefined && (isLeft || ends.length > 0)) store.compare(this.id, ends, head);
    };
  }

  /** Removes an empty answer, unless it arrives in another window, or that went on from it. */
  #replace(answer: string, store: ConversationStore): void {
    const isInUse = store
      .tree(this.id)
      .some(({ id, parent, state }) => parent === answer || (id === answer && state === 'arriving'));
    if (!isInUse) store.deleteMessages(this.id, answer);
    this.#kept.delete(answer);
  }
}
