import assert from 'node:assert/strict';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import type { Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationSaver } from '../../../src/conversations/saving/conversationSaver.ts';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StorageError } from '../../../src/storage/database.ts';
import {
  createResult,
  createTextEvent,
  readShownTexts,
  StoreFolder,
} from '../../support/conversationStores.ts';
import { TestClock, waitForWork } from '../../support/testClock.ts';

describe('P16 storing a reply while it arrives', () => {
  let folder: StoreFolder;
  let other: ConversationStore;
  let clock: TestClock;
  let conversation: Conversation;
  let saver: ConversationSaver;
  let turn: Turn;
  let isFull: boolean;
  let opens: number;
  const problems: (string | undefined)[] = [];

  beforeEach(async () => {
    folder = new StoreFolder();
    const store = folder.open();
    other = folder.open();
    clock = new TestClock();
    isFull = false;
    opens = 0;
    problems.length = 0;
    conversation = new Conversation();
    saver = new ConversationSaver(conversation, {
      openStore: async () => {
        opens += 1;
        if (isFull) throw new StorageError('full', 'The disk is full.');
        return store;
      },
      readFacts: () => ({}),
      clock,
      onError: (error) => assert.ifError(error),
      onClosed: () => undefined,
      onProblem: (problem) => problems.push(problem?.kind),
    });
    turn = conversation.addQuestion({
      text: 'Why?',
      images: [],
      model: 'm',
      format: 'messages',
      parameters: {},
    });
    await saver.storeTurns([turn]);
    opens = 0;
  });
  afterEach(() => folder.remove());

  const reply = () => readShownTexts(other, saver.id)[1];

  function arrive(text: string): void {
    conversation.appendEvents(turn.id, [createTextEvent(text)]);
    saver.storeEvents(turn.id, [createTextEvent(text)]);
  }

  async function end(): Promise<void> {
    conversation.finish(turn.id, createResult());
    await saver.storeResult(turn.id, createResult());
  }

  it('writes the text of one second in one write', async () => {
    for (let nth = 0; nth < 16; nth++) {
      arrive(`${nth} `);
      await clock.advance(50);
    }
    assert.equal(opens, 1);
    assert.ok(reply()?.startsWith('0 1 2 '));
    arrive('16 ');
    await clock.advance(1_000);
    assert.ok(reply()?.endsWith('15 16 '));
    await clock.advance(60_000);
    assert.deepEqual([opens, clock.timers], [2, 0]);
  });

  it('writes at once when it is flushed, and the complete reply at the end', async () => {
    arrive('Be');
    await saver.flush();
    assert.equal(reply(), 'Be');
    arrive('cause.');
    await end();
    assert.equal(reply(), 'Because.');
    await clock.advance(10_000);
    assert.deepEqual([reply(), clock.timers, problems], ['Because.', 0, []]);
  });

  it('F92 retries a failed write, and reports each failure once', async () => {
    isFull = true;
    arrive('Be');
    await clock.advance(2_500);
    assert.deepEqual(problems, ['full']);
    isFull = false;
    arrive('cause');
    await clock.advance(2_000);
    assert.equal(reply(), 'Because');
    assert.deepEqual(problems, ['full', undefined]);
    isFull = true;
    arrive('.');
    await end();
    await clock.advance(1_000);
    assert.equal(reply(), 'Because');
    isFull = false;
    await clock.advance(60_000);
    assert.equal(reply(), 'Because.');
    assert.deepEqual(problems, ['full', undefined, 'full', undefined]);
  });

  it('does not retry after the window closes', async () => {
    isFull = true;
    arrive('Be');
    await clock.advance(1_000);
    await saver.close();
    await waitForWork();
    assert.equal(clock.timers, 0);
  });
});
