import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { readCodeBlocks } from '../../../src/conversations/conversation/codeBlocks.ts';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { Question } from '../../../src/conversations/conversation/turn.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';

const complete: ChatResult = {
  outcome: { kind: 'complete' },
  requestId: 'request',
  requestedAt: new Date(0),
  totalMs: 1,
};

function reply(conversation: Conversation, questionText: string, text: string): string {
  const { id } = conversation.addQuestion(question(questionText));
  conversation.appendEvents(id, [{ type: 'text', choice: 0, text }]);
  conversation.finish(id, complete);
  return id;
}

function question(text: string): Question {
  return { text, images: [], model: 'model', format: 'chatCompletions', parameters: {} };
}

/** The role and text of each message that is sent for a turn. */
function history(conversation: Conversation, id: string): readonly [role: string, text: string][] {
  return conversation
    .buildHistory(id)
    .messages.map(({ role, parts }) => [role, replyText({ parts, citations: [] })]);
}

const otherModel = { model: 'other', format: 'messages', parameters: {} } as const;

describe('a conversation', () => {
  it('sends the earlier messages, and the new question last', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const { id } = conversation.addQuestion(question('two?'));
    assert.deepEqual(history(conversation, id), [
      ['user', 'one?'],
      ['assistant', 'One.'],
      ['user', 'two?'],
    ]);
  });

  it('omits a question without a reply from the history', () => {
    const conversation = new Conversation();
    conversation.addQuestion(question('failed?'));
    const { id } = conversation.addQuestion(question('next?'));
    assert.deepEqual(history(conversation, id), [['user', 'next?']]);
  });

  it('retries without the earlier reply, which stays a sibling of the new one', () => {
    const conversation = new Conversation();
    reply(conversation, 'one?', 'One.');
    const second = reply(conversation, 'two?', 'Two.');
    const again = conversation.repeatQuestion(second, otherModel);
    assert.ok(again);
    assert.deepEqual(
      history(conversation, again.id).map(([, text]) => text),
      ['one?', 'One.', 'two?'],
    );
    assert.deepEqual(
      conversation.turns.map((turn) => turn.replies.map(replyText).join()),
      ['One.', ''],
    );
    assert.deepEqual(conversation.tree.siblings(again.id), [second, again.id]);
    assert.equal(conversation.show(second), true);
    assert.deepEqual(
      conversation.turns.map((turn) => turn.replies.map(replyText).join()),
      ['One.', 'Two.'],
    );
  });

  it('continues from the newer reply after a retry', () => {
    const conversation = new Conversation();
    const first = reply(conversation, 'one?', 'Old.');
    const again = conversation.repeatQuestion(first, otherModel);
    assert.ok(again);
    conversation.appendEvents(again.id, [{ type: 'text', choice: 0, text: 'New.' }]);
    const { id } = conversation.addQuestion(question('next?'));
    assert.deepEqual(
      history(conversation, id).map(([, text]) => text),
      ['one?', 'New.', 'next?'],
    );
  });

  it('joins text, reasoning and fragments of tool calls for each choice', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('?'));
    conversation.appendEvents(id, [
      { type: 'reasoning', choice: 0, text: 'Hm' },
      { type: 'text', choice: 1, text: 'other' },
      { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{"a"' },
    ]);
    conversation.appendEvents(id, [
      { type: 'toolCall', choice: 0, index: 0, arguments: ':1}' },
      { type: 'text', choice: 0, text: 'Yes' },
    ]);
    const [first, second] = conversation.turn(id)?.replies ?? [];
    assert.deepEqual(first?.parts, [
      { type: 'reasoning', text: 'Hm' },
      { type: 'toolCall', id: 'call', name: 'look', arguments: '{"a":1}' },
      { type: 'text', text: 'Yes' },
    ]);
    assert.equal(second && replyText(second), 'other');
  });

  it('sends each passage of reasoning back with its own signature', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('?'));
    conversation.appendEvents(id, [
      { type: 'reasoning', choice: 0, text: 'One' },
      { type: 'reasoning', choice: 0, text: '', signature: 'proof-1' },
      { type: 'reasoning', choice: 0, text: 'Two' },
      { type: 'text', choice: 0, text: 'Answer' },
    ]);
    conversation.finish(id, complete);
    const next = conversation.addQuestion(question('and?'));
    assert.deepEqual(conversation.buildHistory(next.id).messages[1]?.parts, [
      { type: 'reasoning', text: 'One', signature: 'proof-1' },
      { type: 'reasoning', text: 'Two' },
      { type: 'text', text: 'Answer' },
    ]);
  });

  it('reports omitted parts: tool calls without a result, and reasoning of another model', () => {
    const conversation = new Conversation();
    const { id } = conversation.addQuestion(question('?'));
    conversation.appendEvents(id, [
      { type: 'reasoning', choice: 0, text: 'Hm', signature: 'proof' },
      { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{}' },
      { type: 'text', choice: 0, text: 'Answer' },
    ]);
    conversation.finish(id, complete);
    const next = conversation.buildHistoryForNext({ ...question('and?'), ...otherModel });
    assert.deepEqual(next.messages[1]?.parts, [{ type: 'text', text: 'Answer' }]);
    assert.deepEqual(next.omitted.map(inEnglish), [
      'the reasoning of another model or API format',
      'a tool call without a result',
    ]);
  });
});

describe('the code blocks of a reply', () => {
  it('are found in order with their language, including an unfinished one', () => {
    const text = 'a\n```ts\nconst a = 1;\n```\nb\n~~~~\n~~~\nplain\n~~~~\n```py\nprint(1)';
    assert.deepEqual(readCodeBlocks(text), [
      { language: 'ts', code: 'const a = 1;' },
      { language: '', code: '~~~\nplain' },
      { language: 'py', code: 'print(1)' },
    ]);
  });

  it('are not found in plain text', () => {
    assert.deepEqual(readCodeBlocks('no `code` here'), []);
  });
});
