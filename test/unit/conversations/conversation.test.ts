import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { codeBlocks } from '../../../src/conversations/conversation/codeBlocks.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { textOf } from '../../../src/conversations/conversation/reply.ts';
import type { Question } from '../../../src/conversations/conversation/turn.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';

const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'request',
  requestedAt: new Date(0),
  totalMs: 1,
};

function reply(conversation: Conversation, asked: string, text: string): string {
  const { id } = conversation.ask(question(asked));
  conversation.apply(id, [{ type: 'text', choice: 0, text }]);
  conversation.finish(id, complete);
  return id;
}

function question(text: string): Question {
  return { text, images: [], model: 'model', format: 'chatCompletions', parameters: {} };
}

/** What is sent for a turn, role by role. */
function history(conversation: Conversation, id: string): readonly [role: string, text: string][] {
  return conversation
    .historyFor(id)
    .messages.map(({ role, parts }) => [role, textOf({ parts, citations: [] })]);
}

const otherModel = { model: 'other', format: 'messages', parameters: {} } as const;

describe('a conversation', () => {
  it('sends what was said so far, the new question last', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const { id } = conversation.ask(question('two?'));
    assert.deepEqual(history(conversation, id), [
      ['user', 'one?'],
      ['assistant', 'One.'],
      ['user', 'two?'],
    ]);
  });

  it('leaves a question that got no reply out of the history', () => {
    const conversation = new Conversation();
    conversation.ask(question('failed?'));
    const { id } = conversation.ask(question('next?'));
    assert.deepEqual(history(conversation, id), [['user', 'next?']]);
  });

  it('asks again without the earlier reply, which is kept beside the new one', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const second = reply(conversation, 'two?', 'Two.');
    const again = conversation.askAgain(second, otherModel);
    assert.ok(again);
    assert.deepEqual(
      history(conversation, again.id).map(([, text]) => text),
      ['one?', 'One.', 'two?'],
    );
    assert.deepEqual(
      conversation.turns.map((turn) => turn.replies.map(textOf).join()),
      ['One.', ''],
    );
    assert.deepEqual(conversation.siblings(again.id), [second, again.id]);
    assert.equal(conversation.show(second), true);
    assert.deepEqual(
      conversation.turns.map((turn) => turn.replies.map(textOf).join()),
      ['One.', 'Two.'],
    );
  });

  it('goes on from the newer reply after asking again', () => {
    const conversation = new Conversation();
    const first = reply(conversation, 'one?', 'Old.');
    const again = conversation.askAgain(first, otherModel);
    assert.ok(again);
    conversation.apply(again.id, [{ type: 'text', choice: 0, text: 'New.' }]);
    const { id } = conversation.ask(question('next?'));
    assert.deepEqual(
      history(conversation, id).map(([, text]) => text),
      ['one?', 'New.', 'next?'],
    );
  });

  it('joins text, reasoning and the fragments of tool calls, each choice by itself', () => {
    const conversation = new Conversation();
    const { id } = conversation.ask(question('?'));
    conversation.apply(id, [
      { type: 'reasoning', choice: 0, text: 'Hm' },
      { type: 'text', choice: 1, text: 'other' },
      { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{"a"' },
    ]);
    conversation.apply(id, [
      { type: 'toolCall', choice: 0, index: 0, arguments: ':1}' },
      { type: 'text', choice: 0, text: 'Yes' },
    ]);
    const [first, second] = conversation.turn(id)?.replies ?? [];
    assert.deepEqual(first?.parts, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'toolCall', id: 'call', name: 'look', arguments: '{"a":1}' },
      { type: 'text', text: 'Yes' },
    ]);
    assert.equal(second && textOf(second), 'other');
  });

  it('sends reasoning back with its signature, each passage by itself', () => {
    const conversation = new Conversation();
    const { id } = conversation.ask(question('?'));
    conversation.apply(id, [
      { type: 'reasoning', choice: 0, text: 'One' },
      { type: 'reasoning', choice: 0, text: '', signature: 'proof-1' },
      { type: 'reasoning', choice: 0, text: 'Two' },
      { type: 'text', choice: 0, text: 'Answer' },
    ]);
    conversation.finish(id, complete);
    const next = conversation.ask(question('and?'));
    assert.deepEqual(conversation.historyFor(next.id).messages[1]?.parts, [
      { type: 'reasoning', text: 'One', signature: 'proof-1' },
      { type: 'reasoning', text: 'Two' },
      { type: 'text', text: 'Answer' },
    ]);
  });

  it('says what it does not send back: unanswered calls, and reasoning another model signed', () => {
    const conversation = new Conversation();
    const { id } = conversation.ask(question('?'));
    conversation.apply(id, [
      { type: 'reasoning', choice: 0, text: 'Hm', signature: 'proof' },
      { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{}' },
      { type: 'text', choice: 0, text: 'Answer' },
    ]);
    conversation.finish(id, complete);
    const next = conversation.historyForNext({ ...question('and?'), ...otherModel });
    assert.deepEqual(next.messages[1]?.parts, [{ type: 'text', text: 'Answer' }]);
    assert.deepEqual(next.omitted.map(inEnglish), [
      'the reasoning of another model or API format',
      'a tool call without a result',
    ]);
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
