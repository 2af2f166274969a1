import { randomUUID } from 'node:crypto';
import { Throttle } from '../../base/throttle.ts';
import type { StorageError } from '../../storage/database.ts';
import type { ChatEvent } from '../../wire/chatEvent.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { Conversation } from '../conversation.ts';
import type { ConversationRecord, PartRecord, RequestRecord } from '../record.ts';
import type { Image } from '../reply.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { keptParts } from '../store/keptParts.ts';
import type { Answer, Prompt, Turn } from '../turn.ts';
import { KeepQueue } from './keepQueue.ts';
import { promptParts, recordsFrom } from './messageRecords.ts';
import { askedRecord, endedRecord } from './requestRecord.ts';

/** How often what arrives is written, in milliseconds: this much of a reply is lost at most. */
const appendMs = 800;

/** How long a draft may be newer on screen than on disk, in milliseconds. */
const draftMs = 1000;

/** What is kept of a chat beside its messages. */
export type ChatFacts = Pick<
  ConversationRecord,
  'workspace' | 'gateway' | 'gatewayName' | 'model' | 'format' | 'parameters'
>;

export interface KeeperOptions {
  /** Opens the store, or returns the open one. @throws {StorageError} */
  readonly store: () => Promise<ConversationStore>;
  /** What the chat is asked with now. */
  readonly facts: () => ChatFacts;
  /** Called when the chat cannot be kept for now, and with nothing once it is kept again. */
  readonly onProblem: (problem: StorageError | undefined) => void;
  /** Called with an error that is not the disk's. */
  readonly onError: (error: unknown) => void;
  /** Called once all was written that could be, and nothing more comes. */
  readonly onClosed: () => void;
}

/** What is in the store already. */
export interface KeptBefore {
  readonly id: string;
  /** The ids of its messages. */
  readonly messages: ReadonlySet<string>;
  /** The ids of those that were filled in for the screen. */
  readonly filled: ReadonlySet<string>;
}

/**
 * Keeps a conversation in the store as it grows: a question before it is sent, a reply as it comes. Nothing of it
 * throws: what the store refuses waits in memory, in order, until the store takes it.
 */
export class ConversationKeeper {
  readonly id: string;
  readonly #conversation: Conversation;
  readonly #options: KeeperOptions;
  readonly #queue: KeepQueue;
  readonly #kept: Set<string>;
  readonly #filled: ReadonlySet<string>;
  #isCreated: boolean;
  /** What was asked for each answer that arrives. */
  readonly #asked = new Map<string, RequestRecord>();
  /** What arrived since the last write, by answer. */
  readonly #arrived = new Map<string, ChatEvent[]>();
  readonly #append = new Throttle(() => this.#writeArrived(), appendMs);
  readonly #draft = new Throttle(() => this.#writeDraft(), draftMs);
  #unsent: Prompt = { text: '', images: [] };

  constructor(conversation: Conversation, options: KeeperOptions, before?: KeptBefore) {
    this.id = before?.id ?? randomUUID();
    this.#conversation = conversation;
    this.#options = options;
    this.#queue = new KeepQueue(options);
    this.#kept = new Set(before?.messages);
    this.#filled = before?.filled ?? new Set();
    this.#isCreated = before !== undefined;
  }

  /** Why the chat cannot be kept for now. */
  get problem(): StorageError | undefined {
    return this.#queue.problem;
  }

  /**
   * Keeps a question and the place of its answer; durable once it resolves, unless there is a `problem` then.
   *
   * @param replaced the turn in whose place it is asked
   */
  asked(turn: Turn, replaced?: string): Promise<void> {
    const { id, questionId } = turn;
    const facts = this.#options.facts();
    const request = askedRecord(turn.question, facts, Date.now());
    this.#asked.set(id, request);
    return this.#write(async (store) => {
      if (replaced !== undefined && this.#kept.has(replaced)) store.deleteMessages(this.id, replaced);
      const isNew = !this.#kept.has(questionId) && questionId === this.#conversation.above(id);
      const question = isNew && {
        id: questionId,
        parts: await promptParts(turn.question, store.attachments),
      };
      const parent = this.#keptAbove(question ? questionId : id);
      const { workspace: _, ...settings } = facts;
      store.ask(this.id, {
        ...(parent !== undefined && { parent }),
        ...(question && { question }),
        answers: [{ id, request }],
        settings,
      });
      this.#kept.add(id);
      if (question) this.#kept.add(questionId);
    }, questionId);
  }

  /** Keeps what arrived of an answer, soon. */
  arrived(id: string, events: readonly ChatEvent[]): void {
    const waiting = this.#arrived.get(id) ?? [];
    this.#arrived.set(id, waiting);
    for (const event of events) waiting.push(event);
    this.#append.schedule();
  }

  /** Keeps a whole answer and how it ended; durable once it resolves. */
  ended(answer: Answer): Promise<void> {
    const { id, result, asked } = answer;
    const request = this.#asked.get(id) ?? askedRecord(asked, {}, Date.now());
    this.#asked.delete(id);
    this.#arrived.delete(id);
    if (!result) return Promise.resolve();
    const { outcome } = result;
    const madeNothing = 'error' in outcome && effectOf(outcome.error).nothingMade;
    return this.#write(async (store) => {
      const choices: (readonly PartRecord[])[] = [];
      for (const reply of answer.replies) choices.push(await keptParts(reply, store.attachments));
      store.finish(this.id, id, { choices, request: endedRecord(request, result), madeNothing });
    });
  }

  /** Keeps an answer as the user edited it. */
  edited({ id, replies }: Answer, editOf: string): Promise<void> {
    return this.#write(async (store) => {
      const [reply] = replies;
      const parts = reply ? await keptParts(reply, store.attachments) : [];
      store.edit(this.id, editOf, { id, parts });
      this.#kept.add(id);
    });
  }

  /** Keeps which branch is shown. */
  shown(message: string): void {
    void this.#write((store) => store.show(this.id, message));
  }

  /** Keeps what is typed and not sent, soon. */
  drafted(unsent: Prompt): void {
    this.#unsent = unsent;
    this.#draft.schedule();
  }

  /** Writes at once what waits to be written. */
  async flush(): Promise<void> {
    this.#append.flush();
    this.#draft.flush();
    await this.#queue.add(() => undefined);
  }

  /** Writes what is left, once. */
  async close(): Promise<void> {
    this.#append.flush();
    this.#draft.flush();
    this.#append.dispose();
    this.#draft.dispose();
    await this.#queue.close();
    this.#options.onClosed();
  }

  #writeArrived(): void {
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    for (const [id, events] of arrived) {
      void this.#write((store) => {
        if (this.#asked.has(id)) store.append(this.id, id, events);
      });
    }
  }

  #writeDraft(): void {
    const unsent = this.#unsent;
    void this.#write(async (store) => {
      const attachments = await keptPictures(unsent.images, store);
      store.drafts.write({ text: unsent.text, attachments }, this.id);
    });
  }

  /** @param asked the question that `write` keeps itself */
  #write(write: (store: ConversationStore) => unknown, asked?: string): Promise<void> {
    const before = this.#isCreated ? [] : this.#conversation.messages.map(({ id }) => id);
    const known = new Set(before.filter((id) => id !== asked));
    return this.#queue.add(async () => {
      const store = await this.#options.store();
      if (!this.#isCreated) await this.#create(store, known);
      this.#isCreated = true;
      await write(store);
    });
  }

  /** Keeps what a fork, or a chat of before, begins with. */
  async #create(store: ConversationStore, known: ReadonlySet<string>): Promise<void> {
    const now = Date.now();
    const all = await recordsFrom(this.#conversation, this.#filled, store.attachments, now);
    const messages = all.filter(({ id }) => known.has(id));
    const record = { id: this.id, title: '', createdAt: now, changedAt: now, ...this.#options.facts() };
    if (messages.length === 0) store.create(record);
    else store.import({ conversation: { ...record, head: messages.at(-1)?.id ?? '' }, messages });
    for (const { id } of messages) this.#kept.add(id);
  }

  /** The nearest message above one that is in the store: what was filled in for the screen is not. */
  #keptAbove(id: string): string | undefined {
    let above = this.#conversation.above(id);
    while (above !== undefined && !this.#kept.has(above)) above = this.#conversation.above(above);
    return above;
  }
}

/** Keeps the pictures of a draft. @returns their hashes */
async function keptPictures(images: readonly Image[], { attachments }: ConversationStore) {
  return Promise.all(images.map(({ data }) => attachments.keep(Buffer.from(data, 'base64'))));
}
