import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConversationWorker } from '../../../src/conversations/worker/conversationWorker.ts';
import type { StorageNotice } from '../../../src/storage/followHealth.ts';
import { DailyUpkeep } from '../../../src/storage/upkeep/dailyUpkeep.ts';
import { addExchange, StoreFolder } from '../../support/conversationStores.ts';
import { TestClock } from '../../support/testClock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('the daily upkeep of conversations', () => {
  let folder: StoreFolder;
  let clock: TestClock;
  let requests: string[];
  let upkeeps: DailyUpkeep[];
  let notices: StorageNotice[];

  beforeEach(() => {
    folder = new StoreFolder();
    clock = new TestClock();
    requests = [];
    upkeeps = [];
    notices = [];
  });

  afterEach(() => {
    for (const upkeep of upkeeps) upkeep.dispose();
    folder.remove();
  });

  function newWindow(worker: Pick<ConversationWorker, 'request'> = createWorker()): DailyUpkeep {
    const upkeep = new DailyUpkeep({
      file: folder.file,
      worker,
      clock,
      purge: () => worker.request('purge', undefined),
      onNotice: (notice) => notices.push(notice),
      onError: (error) => requests.push(String(error)),
    });
    upkeeps.push(upkeep);
    return upkeep;
  }

  function createWorker(respond: () => unknown = () => undefined): Pick<ConversationWorker, 'request'> {
    const ask = async (kind: string) => {
      requests.push(kind);
      return respond();
    };
    return { request: ask as ConversationWorker['request'] };
  }

  /** Lets time pass, with the reading and writing of files that follows from it. */
  async function pass(ms: number, until: number): Promise<void> {
    for (let remaining = ms; remaining > 0; remaining -= 30 * minute) {
      await clock.advance(Math.min(remaining, 30 * minute));
      await setTimeout(2);
    }
    for (let tries = 0; requests.length < until && tries < 500; tries++) await setTimeout(2);
  }

  it('does not run when a window starts, and runs once a day in one of several windows', async () => {
    for (let windows = 0; windows < 3; windows++) newWindow().start();
    await pass(minute, 0);
    assert.deepEqual(requests, []);
    await pass(60 * minute, 2);
    assert.deepEqual(requests, ['check', 'purge']);
    newWindow().start();
    await pass(8 * 60 * minute, 2);
    assert.deepEqual(requests, ['check', 'purge']);
    await pass(day, 4);
    assert.deepEqual(requests, ['check', 'purge', 'check', 'purge']);
    assert.equal(readdirSync(dirname(folder.file)).filter((name) => name.includes('.day-')).length, 1);
  });

  it('stops with its window, and reports failures and damage', async () => {
    newWindow(createWorker(() => Promise.reject(new Error('no worker')))).start();
    await pass(3 * minute, 2);
    assert.deepEqual(requests, ['check', 'Error: no worker']);
    const damagedWindow = newWindow(createWorker(() => ({ file: 'damaged', salvaged: undefined })));
    upkeeps[0]?.dispose();
    damagedWindow.start();
    await pass(day, 4);
    assert.deepEqual(notices, [{ type: 'set-aside', file: 'damaged', salvaged: undefined }]);
    damagedWindow.dispose();
    assert.equal(clock.timers, 0);
  });

  it('checks and purges in the worker', async () => {
    const store = folder.open();
    const program = fileURLToPath(new URL('../../../src/conversations/worker/main.ts', import.meta.url));
    const worker = new ConversationWorker(program, { file: folder.file });
    const [existing, deleted] = [store.create(), store.create()];
    for (const chat of [existing, deleted]) addExchange(store, chat, 'Why?', 'Because.');
    store.delete(deleted);
    store.database.run('UPDATE conversations SET deletedAt = 1 WHERE id = ?', deleted);
    const done = Promise.withResolvers<unknown>();
    const ask: ConversationWorker['request'] = async (kind, message, waiting) => {
      const reply = await worker.request(kind, message, waiting);
      if (kind === 'purge') done.resolve(reply);
      return reply;
    };
    try {
      newWindow({ request: ask }).start();
      await clock.advance(3 * minute);
      await done.promise;
      assert.equal(store.getWithMessages(deleted), undefined);
      assert.equal(store.readPath(existing).length, 2);
    } finally {
      await worker.close();
    }
  });
});
