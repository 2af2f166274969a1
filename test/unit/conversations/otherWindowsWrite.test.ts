import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StoreUpkeep } from '../../../src/conversations/storeRuntime.ts';
import { ConversationWorker } from '../../../src/conversations/worker/conversationWorker.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { connect } from '../../../src/storage/sqlite/connection.ts';
import { isLogLong } from '../../../src/storage/writeAheadLog.ts';
import { readShownTexts, StoreFolder } from '../../support/conversationStores.ts';
import { TestClock } from '../../support/testClock.ts';

describe('a window while other windows write', () => {
  const program = fileURLToPath(new URL('../../../src/conversations/worker/main.ts', import.meta.url));
  let folder: StoreFolder;
  let worker: ConversationWorker;
  let service: ConversationService;
  let store: ConversationStore;
  const problems: unknown[] = [];

  beforeEach(async () => {
    folder = new StoreFolder();
    worker = new ConversationWorker(program, { file: folder.file });
    service = open();
    store = await service.store();
  });

  afterEach(async () => {
    await service.dispose();
    await worker.close();
    folder.remove();
    assert.deepEqual(problems.splice(0), []);
  });

  function open(): ConversationService {
    return new ConversationService({
      file: folder.file,
      worker,
      onNotice: (notice) => assert.fail(notice.type),
      onError: (error) => problems.push(error),
    });
  }

  /** Holds the lock of the file in this thread. A blocking wait for it in this thread would never succeed. */
  function hold(): () => void {
    const connection = connect(folder.file);
    connection.exec('BEGIN IMMEDIATE');
    return () => {
      connection.exec('ROLLBACK');
      connection.close();
    };
  }

  /** Adds a question to a new chat. @returns a promise for its storage, and whether it is stored so far */
  function ask(): {
    readonly chat: string;
    readonly stored: Promise<void>;
    readonly isStored: () => boolean;
  } {
    const conversation = new Conversation();
    const saver = service.createSaver(conversation, {
      readFacts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: (problem) => problems.push(problem),
    });
    const settings = { model: 'model', format: 'messages', parameters: {} } as const;
    const turn = conversation.addQuestion({ text: 'Why?', images: [], ...settings });
    let isStored = false;
    const stored = saver.storeTurns([turn]).then(() => {
      isStored = true;
    });
    return { chat: saver.id, stored, isStored: () => isStored };
  }

  async function turns(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await setImmediate();
  }

  it('stores a question once they release the lock, without blocking and without a problem', async () => {
    const release = hold();
    const { chat, stored, isStored } = ask();
    await turns(50);
    assert.deepEqual([isStored(), readShownTexts(store, chat)], [false, []]);
    release();
    await stored;
    assert.deepEqual(readShownTexts(store, chat)[0], 'Why?');
  });

  it('changes a chat once they release the lock, and writes pending messages before it closes', async () => {
    const chat = await service.change((each) => each.create());
    const release = hold();
    assert.throws(
      () => store.rename(chat, 'now'),
      (error) => (error as StorageError).kind === 'busy',
    );
    const renamed = service.change((each) => each.rename(chat, 'later'));
    const question = ask();
    const closed = service.dispose();
    service = open();
    await turns(50);
    release();
    await Promise.all([renamed, closed]);
    const other = folder.open();
    assert.deepEqual([other.get(chat)?.title, readShownTexts(other, question.chat)[0]], ['later', 'Why?']);
  });

  it('stores each question without a synchronous flush, and waits for a flush in another thread', async () => {
    const { database } = store;
    const synchronous: unknown[] = [];
    const flushed = Promise.withResolvers<void>();
    const writeDurably = database.writeDurably.bind(database);
    Object.assign(database, {
      writeDurably: (change: () => unknown) =>
        writeDurably(() => {
          synchronous.push(...(database.values('PRAGMA synchronous')[0] ?? []));
          return change();
        }),
      flush: () => flushed.promise,
    });
    const { chat, stored, isStored } = ask();
    while (readShownTexts(store, chat).length === 0) await setImmediate();
    await turns(50);
    // SQLite's number for NORMAL.
    assert.deepEqual([synchronous, isStored()], [[1], false]);
    flushed.resolve();
    await stored;
  });

  it('reports that a flush failed, and flushes again', async () => {
    const flush = store.database.flush.bind(store.database);
    store.database.flush = () => Promise.reject(new StorageError('io', 'The disk is gone.'));
    const { chat, stored } = ask();
    await stored;
    assert.equal((problems.pop() as StorageError).kind, 'io');
    store.database.flush = flush;
    while (problems.length === 0) await setImmediate();
    assert.deepEqual([problems.splice(0), readShownTexts(store, chat)[0]], [[undefined], 'Why?']);
  });

  it('lets the worker empty the WAL when it is long', async () => {
    const chat = store.create();
    const bytes = statSync(folder.file).size;
    for (let n = 0; !isLogLong(folder.file); n++) {
      store.rename(chat, `${n} ${'long '.repeat(50_000)}`);
    }
    assert.equal(statSync(folder.file).size, bytes);
    const clock = new TestClock();
    const emptied = Promise.withResolvers<void>();
    const upkeep = new StoreUpkeep({
      store,
      window: 'window',
      clock,
      onNotice: () => assert.fail(),
      onError: (error) => problems.push(error),
      emptyLog: () => worker.request('emptyLog', undefined).finally(emptied.resolve),
    });
    upkeep.start();
    await clock.advance(4_000);
    await emptied.promise;
    // The log begins with at least one page, which is on the disk: the next writer does not have to wait for that.
    const log = statSync(`${folder.file}-wal`).size;
    assert.ok(log > 0 && log < 20_000, String(log));
    assert.ok(statSync(folder.file).size > bytes);
    assert.match(store.get(chat)?.title ?? '', /^\d+ long/);
    await upkeep.dispose();
  });

  it('empties the WAL itself if the worker fails', async () => {
    const chat = store.create();
    while (!isLogLong(folder.file)) store.rename(chat, 'long '.repeat(50_000));
    const clock = new TestClock();
    const upkeep = new StoreUpkeep({
      store,
      window: 'window',
      clock,
      onNotice: () => assert.fail(),
      onError: (error) => problems.push(error),
      emptyLog: () => Promise.reject(new Error('The worker is gone.')),
    });
    upkeep.start();
    await clock.advance(4_000);
    assert.equal(isLogLong(folder.file), false);
    assert.equal(problems.splice(0).length, 1);
    await upkeep.dispose();
  });
});
