import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { ReplyKeeper } from '../../../../src/conversations/store/replyKeeper.ts';
import { StorageError } from '../../../../src/storage/database.ts';
import { WriteRetryQueue } from '../../../../src/storage/writeRetryQueue.ts';
import { ask, request, StoreFolder, shown, text, words } from '../../../support/conversationStores.ts';
import { TestClock } from '../../../support/testClock.ts';

describe('P16 keeping a reply as it comes', () => {
  let folder: StoreFolder;
  let store: ConversationStore;
  let other: ConversationStore;
  let clock: TestClock;
  let chat: string;
  let keeper: ReplyKeeper;
  let isFull: boolean;
  let writes: number;
  const errors: unknown[] = [];

  beforeEach(() => {
    folder = new StoreFolder();
    store = folder.open();
    other = folder.open();
    clock = new TestClock();
    chat = store.create();
    isFull = false;
    writes = 0;
    errors.length = 0;
    const { answer } = ask(store, chat, 'Why?');
    const write = <Result>(act: () => Result): Result => {
      writes += 1;
      if (isFull) throw new StorageError('full', 'The disk is full.');
      return act();
    };
    keeper = new ReplyKeeper({
      store: {
        append: (...args) => write(() => store.append(...args)),
        finish: (...args) => write(() => store.finish(...args)),
      },
      ...{ conversation: chat, answer, clock, writes: new WriteRetryQueue(clock, undefined) },
      onError: (error) => errors.push(error),
    });
  });
  afterEach(() => folder.remove());

  const reply = () => shown(other, chat)[1];

  it('writes what came within a second at once', async () => {
    for (let nth = 0; nth < 20; nth++) {
      keeper.add([words(`${nth} `)]);
      await clock.advance(50);
    }
    assert.equal(writes, 1);
    assert.ok(reply()?.startsWith('0 1 2 '));
    await clock.advance(1_000);
    assert.ok(reply()?.endsWith('18 19 '));
    await clock.advance(60_000);
    assert.deepEqual([writes, clock.timers], [2, 0]);
  });

  it('writes at once when it is told to, and all of it at the end', async () => {
    keeper.add([words('Be')]);
    keeper.flush();
    assert.equal(reply(), 'Be');
    keeper.add([words('cause')]);
    assert.equal(keeper.finish({ choices: [text('Because.')], request: request() }), undefined);
    assert.equal(reply(), 'Because.');
    await clock.advance(10_000);
    assert.deepEqual([reply(), clock.timers, errors], ['Because.', 0, []]);
  });

  it('F92 tries again what could not be written', async () => {
    isFull = true;
    keeper.add([words('Be')]);
    await clock.advance(2_500);
    assert.equal(errors.length, 2);
    isFull = false;
    keeper.add([words('cause')]);
    await clock.advance(1_000);
    assert.equal(reply(), 'Because');
    isFull = true;
    const written = keeper.finish({ choices: [text('Because.')], request: request() });
    await clock.advance(1_000);
    assert.equal(reply(), 'Because');
    isFull = false;
    await clock.advance(60_000);
    assert.equal(await written, true);
    assert.equal(reply(), 'Because.');
  });
});
