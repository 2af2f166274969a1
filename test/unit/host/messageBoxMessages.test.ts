import assert from 'node:assert/strict';
import { handleMessageBoxMessage } from '../../../src/host/chat/pageMessages/messageBoxMessages.ts';
import type { ChatSession } from '../../../src/host/chat/session/chatSession.ts';

describe('a draft that is longer than the limit of a question', () => {
  it('is written once it is complete, and then updated by changes', async () => {
    const written: string[] = [];
    const session = {
      unsent: { reportedText: '' },
      setMessageText: (text: string) => written.push(text),
    } as unknown as ChatSession;
    const half = 'x'.repeat(1024 * 1024);
    const change = { type: 'change-draft', start: 0, end: 0, text: half } as const;
    await handleMessageBoxMessage({ ...change, isNew: true, hasMore: true }, session);
    assert.deepEqual(written, []);
    await handleMessageBoxMessage({ ...change, isNew: false, hasMore: false }, session);
    assert.equal(written.pop(), half + half);
    await handleMessageBoxMessage(
      { ...change, isNew: false, start: 3, end: 5, text: 'abc', hasMore: false },
      session,
    );
    assert.equal(written.pop(), `xxxabc${half.slice(5)}${half}`);
    await handleMessageBoxMessage({ type: 'draft', text: 'short' }, session);
    assert.equal(written.pop(), 'short');
  });
});
