import assert from 'node:assert/strict';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import type { Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationKeeper } from '../../../src/conversations/kept/conversationKeeper.ts';
import type { ConversationStore } from '../../../src/conversations/store/conversationStore.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { ending, StoreFolder, shown, words } from '../../support/conversationStores.ts';
import { settled, TestClock } from '../../support/testClock.ts';

describe('P16 keeping a reply as it comes', () => {
  let folder: StoreFolder;
  let other: ConversationStore;
  let clock: TestClock;
  let conversation: Conversation;
  let keeper: ConversationKeeper;
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
    keeper = new ConversationKeeper(conversation, {
      store: async () => {
        opens += 1;
        if (isFull) throw new StorageError('full', 'The disk is full.');
        return store;
      },
      ...{ facts: () => ({}), clock, onError: (error) => assert.ifError(error), onClosed: () => undefined },
      onProblem: (problem) => problems.push(problem?.kind),
    });
    turn = conversation.ask({ text: 'Why?', images: [], model: 'm', format: 'messages', parameters: {} });
    await keeper.asked([turn]);
    opens = 0;
  });
  afterEach(() => folder.remove());

  const reply = () => shown(other, keeper.id)[1];

  function arrive(text: string): void {
    conversation.apply(turn.id, [words(text)]);
    keeper.arrived(turn.id, [words(text)]);
  }

  async function end(): Promise<void> {
    conversation.finish(turn.id, ending());
    await keeper.ended(turn.id, ending());
  }

  it('writes what came within a second at once', async () => {
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

  it('writes at once when it is told to, and all of it at the end', async () => {
    arrive('Be');
    await keeper.flush();
    assert.equal(reply(), 'Be');
    arrive('cause.');
    await end();
    assert.equal(reply(), 'Because.');
    await clock.advance(10_000);
    assert.deepEqual([reply(), clock.timers, problems], ['Because.', 0, []]);
  });

  it('F92 tries again what could not be written, and says once that it could not', async () => {
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

  it('tries what is left once more when the window closes, and nothing after that', async () => {
    isFull = true;
    arrive('Be');
    await clock.advance(1_000);
    await keeper.close();
    await settled();
    assert.equal(clock.timers, 0);
  });
});
