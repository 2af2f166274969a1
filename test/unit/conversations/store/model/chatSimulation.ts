import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConversationStore } from '../../../../../src/conversations/store/conversationStore.ts';
import { readMessageRows } from '../../../../../src/conversations/store/messageRows.ts';
import { storeMigrations, storeSalvage } from '../../../../../src/conversations/store/storeSchema.ts';
import { openDatabase, StorageError } from '../../../../../src/storage/database.ts';
import {
  createRequest,
  createTextEvent,
  createTextParts,
  readMessageText,
} from '../../../../support/conversationStores.ts';
import { failWhenDead, WindowLife } from '../../../../support/windowLife.ts';
import { type Change, ChatModel } from './chatModel.ts';

interface ModelWindow {
  readonly name: string;
  readonly store: ConversationStore;
  readonly life: WindowLife;
}

const chatCount = 2;

/**
 * Windows on one file that die between any two writes, and a model of the content that they must have stored. A
 * failed write is either complete or has no effect; the file shows which.
 */
export class ChatSimulation {
  readonly #file: string;
  readonly #disk = { full: false };
  readonly #windows: ModelWindow[] = [];
  /** Never dies, and has room to write. */
  readonly #observer: ConversationStore;
  readonly #models = new Map<string, ChatModel>();
  #names = 0;

  /** @param template an empty store */
  constructor(file: string, template: string) {
    this.#file = file;
    copyFileSync(template, file);
    this.#observer = this.#openStore('observer');
    for (let nth = 0; nth < chatCount; nth++) {
      this.#models.set(this.#observer.create({ id: `chat ${nth}` }), new ChatModel());
    }
  }

  set diskIsFull(full: boolean) {
    this.#disk.full = full;
  }

  /** A new id, or a new text. */
  createName(): string {
    return `${++this.#names}`;
  }

  chat(nth: number): string {
    return [...this.#models.keys()][nth % this.#models.size] ?? '';
  }

  model(chat: string): ChatModel {
    return this.#models.get(chat) ?? new ChatModel();
  }

  /** Returns one of the living windows; opens one if there is none. */
  window(nth: number): ModelWindow {
    const living = this.#windows.filter(({ life }) => life.isAlive);
    return living[nth % Math.max(1, living.length)] ?? this.open();
  }

  open(): ModelWindow {
    const name = `window ${this.#windows.length}`;
    const store = this.#openStore(name);
    const life: WindowLife = new WindowLife(() => store.close());
    failWhenDead(store.database, life, this.#disk);
    const window = { name, store, life };
    this.#windows.push(window);
    return window;
  }

  isAlive(name: string): boolean {
    return this.#windows.some((window) => window.name === name && window.life.isAlive);
  }

  /** Lets a window change a chat, and compares the content of the file with the model. */
  change(nth: number, chat: string, change: Change): void {
    const { store } = this.window(nth);
    const before = this.model(chat);
    const after = before.after(change);
    const isDone = attempt(() => perform(store, chat, change));
    this.#models.set(chat, isDone || (!this.#disk.full && this.#matchesFile(chat, after)) ? after : before);
    this.check(chat);
  }

  /** Forks a chat at a message; the fork is an additional chat. */
  fork(nth: number, chat: string, message: string): void {
    const { store } = this.window(nth);
    const model = this.model(chat);
    const path = model.path(message);
    let fork: string | undefined;
    attempt(() => {
      fork = store.fork(chat, message);
    });
    const isPossible = path.every(
      ({ deletedWith, state }) => deletedWith === undefined && state !== 'arriving',
    );
    assert.ok(fork === undefined || (isPossible && path.length > 0));
    if (fork === undefined) return;
    const messages = path.map(({ owner: _, ...each }) => each);
    this.#models.set(fork, new ChatModel({ messages, head: message }));
    this.check(fork);
  }

  /** A window treats other windows as dead, even if some of them are not. */
  async recover(nth: number, isAlive: (window: string) => boolean): Promise<void> {
    const { store, name } = this.window(nth);
    const owners = [...this.#models.values()].flatMap(({ messages }) =>
      messages.map(({ owner }) => owner ?? name),
    );
    const dead = [...new Set(owners)].filter((owner) => owner !== name && !isAlive(owner));
    const isDone = await attemptAsync(() => store.stopAbandonedReplies(isAlive));
    for (const [chat, before] of this.#models) {
      const after = dead.reduce((model, owner) => model.after({ type: 'stop', owner }), before);
      // Each reply is written separately, and the window may have died between two of them.
      this.#models.set(chat, isDone ? after : this.#withStoppedReplies(chat, before, after));
      this.check(chat);
    }
  }

  /**
   * Ends all faults, and checks that all windows can store again and that the file has all required content, also for a
   * window that opens it now.
   */
  async checkStored(): Promise<void> {
    this.diskIsFull = false;
    for (const window of this.#windows) if (window.life.isAlive) this.#checkStoring(window);
    for (const { life } of this.#windows) if (life.isAlive) life.die();
    await this.recover(0, () => false);
    for (const [chat, model] of this.#models) {
      this.check(chat);
      assert.ok(model.messages.every(({ state }) => state !== 'arriving'));
    }
    const fresh = this.#openStore('fresh');
    try {
      assert.equal(
        fresh.database.get<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check,
        'ok',
      );
      assert.equal(fresh.database.setAside, undefined);
      const counted = [...this.#models.values()].reduce((sum, model) => sum + model.counted.size, 0);
      assert.equal(fresh.usage.sum({ by: [] })[0]?.replies ?? 0, counted);
    } finally {
      fresh.close();
    }
  }

  #checkStoring({ life, name }: ModelWindow): void {
    life.dieAfter(Number.POSITIVE_INFINITY);
    const nth = this.#windows.filter((each) => each.life.isAlive).findIndex((each) => each.life === life);
    for (const chat of this.#models.keys()) {
      const [id, reply] = [this.createName(), this.createName()];
      const { head } = this.model(chat);
      const question = { id, text: id };
      this.change(nth, chat, { type: 'ask', parent: head, question, replies: [reply], owner: name });
      this.change(nth, chat, { type: 'finish', message: reply, text: reply, owner: name });
      assert.equal(this.model(chat).get(reply)?.state, 'done', `${name} cannot store`);
    }
  }

  check(chat: string): void {
    assert.deepEqual(this.#read(chat), comparableState(this.model(chat)));
  }

  close(): void {
    for (const { life, store } of this.#windows) if (life.isAlive) store.close();
    this.#observer.close();
    for (const end of ['', '-wal', '-shm']) rmSync(this.#file + end, { force: true });
  }

  #openStore(window: string): ConversationStore {
    const database = openDatabase({ path: this.#file, migrations: storeMigrations, plan: storeSalvage });
    return new ConversationStore(database, join(dirname(this.#file), 'attachments'), {
      window,
      now: Date.now,
    });
  }

  #matchesFile(chat: string, model: ChatModel): boolean {
    try {
      assert.deepEqual(this.#read(chat), comparableState(model));
      return true;
    } catch {
      return false;
    }
  }

  #withStoppedReplies(chat: string, before: ChatModel, after: ChatModel): ChatModel {
    const sql = `SELECT messages.id, state FROM messages JOIN conversations ON conversations.key = conversation
      WHERE conversations.id = ?`;
    const rows = this.#observer.database.all<{ id: string; state: string }>(sql, chat);
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    const stopped = before.messages.filter(({ id, state }) => {
      return state === 'arriving' && states.get(id) === 'stopped' && after.get(id)?.state === 'stopped';
    });
    const ids = new Set(stopped.map(({ id }) => id));
    return new ChatModel({
      ...before,
      messages: before.messages.map((each) =>
        ids.has(each.id) ? { ...each, state: 'stopped' as const } : each,
      ),
      counted: new Set([...before.counted, ...ids]),
    });
  }

  /** The content of the file in the form of the model, including deleted messages. */
  #read(chat: string): unknown {
    const { database } = this.#observer;
    const { head, deletedAt } = this.#observer.get(chat) ?? {};
    const rows = database.all<{ key: number; deletedWith: string | null }>(
      `SELECT messages.key, root.id AS deletedWith FROM messages
       JOIN conversations ON conversations.key = messages.conversation
       LEFT JOIN messages AS root ON root.key = messages.deletedWith
       WHERE conversations.id = ? ORDER BY messages.key`,
      chat,
    );
    const context = { database, window: 'observer', now: Date.now };
    const messages = readMessageRows(
      context,
      rows.map(({ key }) => key),
    );
    const deletedWith = new Map(messages.map(({ id }, nth) => [id, rows[nth]?.deletedWith ?? undefined]));
    const there = messages.filter(({ id }) => deletedWith.get(id) === undefined);
    assert.deepEqual(
      this.#observer.readTree(chat).map(({ id, parent, state }) => [id, parent, state]),
      there.map(({ id, parent, state }) => [id, parent, state]),
    );
    for (const { id, parent } of there) {
      assert.ok(
        parent === undefined || deletedWith.get(parent) === undefined,
        `${id} is below a deleted message`,
      );
    }
    return {
      messages: messages.map((message) => {
        const { id, parent, role, state, editOf } = message;
        return {
          id,
          parent,
          role,
          state,
          editOf,
          text: readMessageText(message),
          deletedWith: deletedWith.get(id),
        };
      }),
      path: this.#observer.readPath(chat).map(({ id }) => id),
      head,
      isDeleted: deletedAt !== undefined,
    };
  }
}

/** The expected content of the file for a model. */
function comparableState(model: ChatModel): unknown {
  return {
    messages: model.messages.map(({ id, parent, role, state, editOf, text, deletedWith }) => {
      return { id, parent, role, state, editOf, text, deletedWith };
    }),
    path: model.path().map(({ id }) => id),
    head: model.head,
    isDeleted: model.isDeleted,
  };
}

function perform(store: ConversationStore, chat: string, change: Change): void {
  switch (change.type) {
    case 'ask': {
      const { parent, question, replies } = change;
      const { id, editOf } = question ?? {};
      store.addQuestion(chat, {
        ...(parent !== undefined && { parent }),
        ...(question && {
          question: {
            parts: createTextParts(question.text),
            ...(id && { id }),
            ...(editOf !== undefined && { editOf }),
          },
        }),
        replies: replies.map((reply) => ({ id: reply, request: createRequest() })),
      });
      return;
    }
    case 'edit':
      store.edit(chat, change.message, { id: change.id, parts: createTextParts(change.text) });
      return;
    case 'append':
      store.append(chat, change.message, [createTextEvent(change.text)]);
      return;
    case 'finish':
      store.finish(chat, change.message, {
        choices: [createTextParts(change.text)],
        request: createRequest({ outcome: 'complete' }),
      });
      return;
    case 'stop':
      throw new TypeError('A window is stopped by another one.');
    case 'delete':
    case 'undelete':
      store[change.type](chat);
      return;
    default:
      store[change.type](chat, change.message);
  }
}

/** Runs an action and returns whether it succeeded. A user sees errors such as a full disk or a dead window. */
function attempt(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return false;
  }
}

async function attemptAsync(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return false;
  }
}
