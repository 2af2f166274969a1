import assert from 'node:assert/strict';
import type { RestoredMessage } from '../../../../src/conversations/conversation/messages.ts';
import type { ReplyResult } from '../../../../src/conversations/conversation/turn.ts';
import { sumChatCost } from '../../../../src/conversations/cost/chatCost.ts';

const result: ReplyResult = {
  outcome: { kind: 'complete' },
  ...{ requestId: 'r', requestedAt: new Date(0), totalMs: 1 },
};

function answer(change: Partial<ReplyResult>, editOf?: string): RestoredMessage {
  const request = { model: 'm', format: 'chatCompletions', parameters: {} } as const;
  const edited = editOf === undefined ? {} : { editOf };
  return {
    id: 'a',
    parent: undefined,
    content: { settings: request, replies: [], result: { ...result, ...change }, ...edited },
  };
}

describe('the cost of a chat', () => {
  it('is the sum of the known costs, with the number of unknown ones', () => {
    const charged = answer({ cost: { usd: 0.5, source: 'gateway' } });
    assert.deepEqual(sumChatCost([charged, answer({})]), {
      ...{ usd: 0.5, pricedCount: 1, unpricedCount: 1, isCharged: true, isLowerBound: false },
    });
    const stopped = answer({ outcome: { kind: 'cancelled' }, cost: { usd: 1, source: 'user-price' } });
    assert.deepEqual(sumChatCost([charged, stopped]), {
      ...{ usd: 1.5, pricedCount: 2, unpricedCount: 0, isCharged: false, isLowerBound: true },
    });
  });

  it('excludes messages that the user wrote', () => {
    const question: RestoredMessage = { id: 'q', parent: undefined, content: { text: 'Q', images: [] } };
    assert.equal(sumChatCost([question, answer({}, 'other')]).unpricedCount, 0);
  });
});
