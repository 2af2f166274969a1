import assert from 'node:assert/strict';
import { setImmediate as immediate } from 'node:timers/promises';
import { Conversation } from '../../src/conversations/conversation/conversation.ts';
import type { Turn } from '../../src/conversations/conversation/turn.ts';
import { EarlierTurns } from '../../src/host/chat/tab/chatPageUpdates.ts';
import type { TurnView } from '../../src/protocol/chatTurn.ts';
import { createResult } from '../support/conversationStores.ts';

describe('the turns of a long chat', () => {
  let conversation: Conversation;
  let earlier: EarlierTurns;
  let posted: (readonly TurnView[])[];

  beforeEach(() => {
    conversation = new Conversation();
    for (let nth = 0; nth < 250; nth += 1) addTurn(nth);
    posted = [];
    earlier = new EarlierTurns({ getConversation: () => conversation, post: (turns) => posted.push(turns) });
  });

  afterEach(() => earlier.dispose());

  function addTurn(nth: number): Turn {
    const request = { model: 'model', format: 'messages', parameters: {} } as const;
    const turn = conversation.addQuestion({ text: `${nth}?`, images: [], ...request });
    conversation.appendEvents(turn.id, [{ type: 'text', choice: 0, text: `${nth}.` }]);
    conversation.finish(turn.id, createResult());
    return turn;
  }

  async function readAll(): Promise<readonly string[]> {
    while (!earlier.has(0)) await immediate();
    return [...posted].reverse().flatMap((turns) => turns.map(({ question }) => question));
  }

  it('are sent to the page with the last turns first and the others in batches', async () => {
    const first = earlier.restart();
    assert.deepEqual([first.turns.length, first.earlier], [30, 220]);
    assert.deepEqual([first.turns[0]?.question, first.turns.at(-1)?.question], ['220?', '249?']);
    assert.deepEqual([earlier.has(219), earlier.has(220)], [false, true]);
    assert.deepEqual(
      await readAll(),
      Array.from({ length: 220 }, (_, nth) => `${nth}?`),
    );
    assert.ok(posted.every((turns) => turns.length <= 100));
  });

  it('are sent only once to a page that requests them again', async () => {
    earlier.restart();
    await immediate();
    posted.length = 0;
    earlier.restart();
    assert.equal((await readAll()).length, 220);
  });

  it('are all part of the first state if the chat is short', () => {
    conversation = new Conversation();
    addTurn(0);
    const { turns, earlier: count } = earlier.restart();
    assert.deepEqual([turns.length, count, earlier.has(0)], [1, 0, true]);
  });
});
