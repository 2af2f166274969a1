import assert from 'node:assert/strict';
import { ToldText } from '../../../src/host/chat/asking/toldText.ts';
import type { ChatSession } from '../../../src/host/chat/chatSession.ts';
import { handleMessageBox } from '../../../src/host/chat/messages/messageBox.ts';

describe('a draft that is longer than a question may be', () => {
  it('is written once all of it is there, and then by what changes', async () => {
    const written: string[] = [];
    const session = {
      unsent: { told: new ToldText() },
      write: (text: string) => written.push(text),
    } as unknown as ChatSession;
    const half = 'x'.repeat(1024 * 1024);
    const change = { type: 'change-draft', start: 0, end: 0, text: half } as const;
    await handleMessageBox({ ...change, isNew: true, more: true }, session);
    assert.deepEqual(written, []);
    await handleMessageBox({ ...change, isNew: false, more: false }, session);
    assert.equal(written.pop(), half + half);
    await handleMessageBox({ ...change, isNew: false, start: 3, end: 5, text: 'abc', more: false }, session);
    assert.equal(written.pop(), `xxxabc${half.slice(5)}${half}`);
    await handleMessageBox({ type: 'draft', text: 'short' }, session);
    assert.equal(written.pop(), 'short');
  });
});
