import assert from 'node:assert/strict';
import { createTextRequest } from '../../../src/client/textRequest.ts';
import { type TextFormatId, textFormat } from '../../../src/wire/apis/textFormats.ts';
import { readContinuation, writeContinuationRequest } from '../../../src/wire/continuationRequest.ts';
import type { Message } from '../../../src/wire/message.ts';

const message = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const cutConversation = [message('user', 'Count.'), message('assistant', 'One, two, ')];

const isPrefixSupported = (
  format: TextFormatId,
  model: string,
  more: { acceptsPrefix?: boolean; parameters?: Record<string, unknown> } = {},
) =>
  textFormat(format).prefix?.isSupported({ model, acceptsPrefix: undefined, parameters: {}, ...more }) ??
  false;

const findLastMessage = ({ messages }: Readonly<Record<string, unknown>>) =>
  Array.isArray(messages) ? messages.at(-1) : undefined;

describe('a continued reply', () => {
  it('ends the conversation as a prefix without trailing white space', () => {
    const { body } = createTextRequest(textFormat('messages'), 'm', cutConversation, {});
    assert.deepEqual(findLastMessage(body), {
      role: 'assistant',
      content: [{ type: 'text', text: 'One, two,' }],
    });
    const chat = createTextRequest(textFormat('chatCompletions'), 'm', cutConversation, {});
    assert.deepEqual(findLastMessage(chat.body), {
      role: 'assistant',
      content: 'One, two,',
      prefix: true,
    });
  });

  it('is sent as a prefix to models that support it, by family or by the gateway’s report', () => {
    for (const model of [
      'claude-3-5-sonnet-20241022',
      'claude-opus-4-20250514',
      'anthropic/claude-haiku-4.5',
    ]) {
      assert.ok(isPrefixSupported('messages', model), model);
    }
    for (const model of [
      'claude-opus-4-6',
      'claude-opus-4-10',
      'claude-sonnet-5',
      'claude-sonnet-4-6-20260101',
      'claude-opus-10',
      'kimi-k2',
      '',
    ]) {
      assert.ok(!isPrefixSupported('messages', model), model);
    }
    assert.ok(isPrefixSupported('chatCompletions', 'mistralai/mistral-large'));
    assert.ok(!isPrefixSupported('chatCompletions', 'gpt-5'));
    assert.ok(isPrefixSupported('chatCompletions', 'gpt-5', { acceptsPrefix: true }));
    assert.ok(!isPrefixSupported('messages', 'claude-3-opus', { acceptsPrefix: false }));
    for (const format of ['responses', 'interactions', 'contentGeneration'] as const) {
      assert.ok(!isPrefixSupported(format, 'claude-3-opus', { acceptsPrefix: true }), format);
    }
  });

  it('is not sent as a prefix while the model thinks', () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 2048 } };
    assert.ok(!isPrefixSupported('messages', 'claude-3-7-sonnet', { parameters: thinking }));
    assert.ok(
      isPrefixSupported('messages', 'claude-3-7-sonnet', { parameters: { thinking: { type: 'disabled' } } }),
    );
    assert.ok(
      !isPrefixSupported('chatCompletions', 'x', {
        acceptsPrefix: true,
        parameters: { reasoning_effort: 'low' },
      }),
    );
  });

  it('is recognized from a prefix, from an instruction, and from a plain word', () => {
    const withQuestion = (text: string) => [...cutConversation, message('user', text)];
    const rest = { before: cutConversation.slice(0, 1), reply: 'One, two, ' };
    assert.deepEqual(readContinuation(cutConversation), { ...rest, form: 'prefix' });
    for (const text of [writeContinuationRequest('One, two, '), 'continue', 'Please go on!', '继续']) {
      assert.deepEqual(readContinuation(withQuestion(text)), { ...rest, form: 'instruction' }, text);
    }
    for (const text of ['Continue with three.', 'And then?']) {
      assert.equal(readContinuation(withQuestion(text)), undefined, text);
    }
    assert.equal(readContinuation([message('user', 'continue')]), undefined);
    assert.equal(readContinuation([]), undefined);
  });
});
