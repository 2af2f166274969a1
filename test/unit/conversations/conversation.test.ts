import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/gatewayClient.ts';
import { codeBlocks } from '../../../src/conversations/codeBlocks.ts';
import { Conversation } from '../../../src/conversations/conversation.ts';

const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'request',
  requestedAt: new Date(0),
  totalMs: 1,
};

function reply(conversation: Conversation, question: string, text: string): string {
  const { id } = conversation.ask(question, 'model');
  conversation.apply(id, [{ type: 'text', choice: 0, text }]);
  conversation.finish(id, complete);
  return id;
}

describe('a conversation', () => {
  it('sends what was said so far, the new question last', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const { id } = conversation.ask('two?', 'model');
    assert.deepEqual(conversation.messagesFor(id), [
      { role: 'user', content: 'one?' },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'two?' },
    ]);
  });

  it('leaves a question that got no reply out of the history', () => {
    const conversation = new Conversation();
    conversation.ask('failed?', 'model');
    const { id } = conversation.ask('next?', 'model');
    assert.deepEqual(conversation.messagesFor(id), [{ role: 'user', content: 'next?' }]);
  });

  it('asks again without the earlier reply, which is kept to read', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const second = reply(conversation, 'two?', 'Two.');
    const again = conversation.askAgain(second, 'other');
    assert.ok(again);
    assert.deepEqual(
      conversation.messagesFor(again.id).map((message) => message.content),
      ['one?', 'One.', 'two?'],
    );
    assert.deepEqual(
      conversation.turns.map((turn) => turn.text),
      ['One.', 'Two.', ''],
    );
  });

  it('goes on from the newer reply after asking again', () => {
    const conversation = new Conversation();
    const first = reply(conversation, 'one?', 'Old.');
    const again = conversation.askAgain(first, 'model');
    assert.ok(again);
    conversation.apply(again.id, [{ type: 'text', choice: 0, text: 'New.' }]);
    const { id } = conversation.ask('next?', 'model');
    assert.deepEqual(
      conversation.messagesFor(id).map((message) => message.content),
      ['one?', 'New.', 'next?'],
    );
  });

  it('joins text, reasoning and the fragments of tool calls, of the first choice only', () => {
    const conversation = new Conversation();
    const { id } = conversation.ask('?', 'model');
    conversation.apply(id, [
      { type: 'reasoning', choice: 0, text: 'Hm' },
      { type: 'text', choice: 1, text: 'other' },
      { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{"a"' },
    ]);
    conversation.apply(id, [
      { type: 'reasoning', choice: 0, text: 'm.' },
      { type: 'text', choice: 0, text: 'Yes' },
      { type: 'toolCall', choice: 0, index: 0, arguments: ':1}' },
    ]);
    const turn = conversation.turn(id);
    assert.equal(turn?.reasoning, 'Hmm.');
    assert.equal(turn?.text, 'Yes');
    assert.deepEqual(turn?.toolCalls, [{ id: 'call', name: 'look', arguments: '{"a":1}' }]);
  });
});

describe('the code blocks of a reply', () => {
  it('are found in order with their language, an unfinished one too', () => {
    const text = 'a\n```ts\nconst a = 1;\n```\nb\n~~~~\n~~~\nplain\n~~~~\n```py\nprint(1)';
    assert.deepEqual(codeBlocks(text), [
      { language: 'ts', code: 'const a = 1;' },
      { language: '', code: '~~~\nplain' },
      { language: 'py', code: 'print(1)' },
    ]);
  });

  it('are none in plain text', () => {
    assert.deepEqual(codeBlocks('no `code` here'), []);
  });
});
