import assert from 'node:assert/strict';
import { textRequest } from '../../../src/client/textRequest.ts';
import { type TextFormatId, textFormat } from '../../../src/wire/apis/textFormats.ts';
import { continuationRequest, readContinuation } from '../../../src/wire/continuation.ts';
import type { Message } from '../../../src/wire/message.ts';

const said = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const cut = [said('user', 'Count.'), said('assistant', 'One, two, ')];

const takes = (format: TextFormatId, model: string, more: object = {}) =>
  textFormat(format).prefix?.isTaken({ model, told: undefined, parameters: {}, ...more }) ?? false;

const lastOf = ({ messages }: Readonly<Record<string, unknown>>) =>
  Array.isArray(messages) ? messages.at(-1) : undefined;

describe('a reply that is gone on with', () => {
  it('ends the conversation, without white space, where the model takes that', () => {
    const { body } = textRequest(textFormat('messages'), 'm', cut, {});
    assert.deepEqual(lastOf(body), {
      role: 'assistant',
      content: [{ type: 'text', text: 'One, two,' }],
    });
    const chat = textRequest(textFormat('chatCompletions'), 'm', cut, {});
    assert.deepEqual(lastOf(chat.body), {
      role: 'assistant',
      content: 'One, two,',
      prefix: true,
    });
  });

  it('is known of models that take it, and of those whose gateway says so', () => {
    for (const model of [
      'claude-3-5-sonnet-20241022',
      'claude-opus-4-20250514',
      'anthropic/claude-haiku-4.5',
    ]) {
      assert.ok(takes('messages', model), model);
    }
    for (const model of ['claude-opus-4-6', 'claude-sonnet-5', 'claude-sonnet-4-6-20260101', 'kimi-k2', '']) {
      assert.ok(!takes('messages', model), model);
    }
    assert.ok(takes('chatCompletions', 'mistralai/mistral-large'));
    assert.ok(!takes('chatCompletions', 'gpt-5'));
    assert.ok(takes('chatCompletions', 'gpt-5', { told: true }));
    assert.ok(!takes('messages', 'claude-3-opus', { told: false }));
    for (const format of ['responses', 'interactions', 'contentGeneration'] as const) {
      assert.ok(!takes(format, 'claude-3-opus', { told: true }), format);
    }
  });

  it('is no prefix while the model thinks', () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 2048 } };
    assert.ok(!takes('messages', 'claude-3-7-sonnet', { parameters: thinking }));
    assert.ok(takes('messages', 'claude-3-7-sonnet', { parameters: { thinking: { type: 'disabled' } } }));
    assert.ok(!takes('chatCompletions', 'x', { told: true, parameters: { reasoning_effort: 'low' } }));
  });

  it('is read back from either form, and from a plain word', () => {
    const asked = (text: string) => [...cut, said('user', text)];
    const rest = { before: cut.slice(0, 1), said: 'One, two, ' };
    assert.deepEqual(readContinuation(cut), { ...rest, form: 'prefix' });
    for (const text of [continuationRequest('One, two, '), 'continue', 'Please go on!', '继续']) {
      assert.deepEqual(readContinuation(asked(text)), { ...rest, form: 'instruction' }, text);
    }
    for (const text of ['Continue with three.', 'And then?']) {
      assert.equal(readContinuation(asked(text)), undefined, text);
    }
    assert.equal(readContinuation([said('user', 'continue')]), undefined);
    assert.equal(readContinuation([]), undefined);
  });
});
