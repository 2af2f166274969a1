import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StoreUpkeep } from '../../../src/conversations/storeRuntime.ts';
import type { StorageNotice } from '../../../src/storage/followHealth.ts';
import {
  addExchange,
  addQuestion,
  createTextEvent,
  readShownTexts,
  StoreFolder,
} from '../../support/conversationStores.ts';
import { TestClock, WindowClock } from '../../support/testClock.ts';

describe('the upkeep of an open store', () => {
  let folder: StoreFolder;
  let clock: TestClock;
  const errors: unknown[] = [];
  const notices: StorageNotice[] = [];
  const running: StoreUpkeep[] = [];

  interface Window {
    readonly store: ConversationStore;
    readonly upkeep: StoreUpkeep;
    readonly clock: WindowClock;
  }

  beforeEach(() => {
    folder = new StoreFolder();
    clock = new TestClock();
  });
  afterEach(() => {
    for (const upkeep of running.splice(0)) upkeep.dispose();
    folder.remove();
    assert.deepEqual([errors.splice(0), notices.splice(0)], [[], []]);
  });

  function open(name: string): Window {
    const store = folder.open(name);
    const own = new WindowClock(clock);
    const upkeep = new StoreUpkeep({
      store,
      window: name,
      clock: own,
      onNotice: (notice) => notices.push(notice),
      onError: (error) => errors.push(error),
    });
    upkeep.start();
    running.push(upkeep);
    return { store, upkeep, clock: own };
  }

  /** A chat whose window is receiving a reply. */
  function startReply({ store }: Window): string {
    const chat = store.create();
    const { reply } = addQuestion(store, chat, 'Why?');
    store.append(chat, reply, [createTextEvent('Because')]);
    return chat;
  }

  it('F85 ends the reply of a dead window within 15 seconds, but not of a live window', async () => {
    const [first, second] = [open('first'), open('second')];
    const chat = startReply(first);
    await clock.advance(60_000);
    assert.equal(second.store.readPath(chat)[1]?.state, 'arriving');
    first.clock.die();
    await clock.advance(15_000);
    assert.equal(second.store.readPath(chat)[1]?.state, 'stopped');
    assert.deepEqual(readShownTexts(second.store, chat), ['Why?', 'Because']);
  });

  it('ends the arriving reply of a window soon after it closes', async () => {
    const [first, second] = [open('first'), open('second')];
    const chat = startReply(first);
    await clock.advance(1_000);
    first.upkeep.dispose();
    await clock.advance(4_000);
    assert.equal(second.store.readPath(chat)[1]?.state, 'stopped');
  });

  it('ends the reply of a dead window that no other window saw', async () => {
    const chat = startReply({ ...open('first'), store: folder.open('long dead') });
    await clock.advance(4_000);
    assert.deepEqual(readShownTexts(folder.open(), chat), ['Why?', 'Because']);
    assert.equal(folder.open().readPath(chat)[1]?.state, 'stopped');
  });

  it('reports the changes of another window within a second', async () => {
    const [first, second] = [open('first'), open('second')];
    const received: unknown[] = [];
    second.store.onDidChange((ids) => received.push(ids));
    const chat = first.store.create();
    addExchange(first.store, chat, 'Why?', 'Because.');
    await clock.advance(1_000);
    assert.deepEqual(received, [[chat]]);
    second.upkeep.dispose();
    first.upkeep.dispose();
    assert.equal(clock.timers, 0);
  });
});
