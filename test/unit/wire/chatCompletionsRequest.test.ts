import assert from 'node:assert/strict';
import * as z from 'zod';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';

const smallest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

function faults(body: object): readonly string[] {
  const { error } = chatCompletionsRequest.safeParse({ ...smallest, ...body });
  return error ? error.issues.map(({ path }) => path.join('.')) : [];
}

describe('the chat completions request', () => {
  it('passes unknown fields through unchanged', () => {
    const body = {
      ...smallest,
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'u', detail: 'low' } }], x: 1 },
      ],
      extra_body: { google: { thinking_config: { include_thoughts: true }, more: 1 } },
      future_field: [1],
    };
    assert.deepEqual(chatCompletionsRequest.parse(body), body);
  });

  it('accepts null for absent fields, as client libraries send it', () => {
    assert.deepEqual(
      faults({ temperature: null, stop: null, tools: null, max_tokens: null, stream: null }),
      [],
    );
  });

  it('accepts an assistant message with tool calls and no content', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ];
    assert.deepEqual(faults({ messages }), []);
  });

  const refused: readonly (readonly [field: string, body: object])[] = [
    ['model', { model: '' }],
    ['messages', { messages: [] }],
    ['messages.0.role', { messages: [{ role: 'robot', content: 'Hi' }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 7 }] }],
    ['temperature', { temperature: 2.1 }],
    ['top_p', { top_p: -0.1 }],
    ['n', { n: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['presence_penalty', { presence_penalty: 3 }],
    ['top_logprobs', { top_logprobs: 21 }],
    ['stream', { stream: 'yes' }],
    ['stop', { stop: [1] }],
    ['logit_bias.5', { logit_bias: { 5: 101 } }],
    ['response_format.type', { response_format: { type: 'xml' } }],
    ['audio.format', { audio: { format: 'aiff' } }],
  ];
  for (const [field, body] of refused) {
    it(`reports ${field} when it rejects ${JSON.stringify(body)}`, () =>
      assert.deepEqual(faults(body), [field]));
  }

  it('describes every field for forms', () => {
    const { properties = {} } = z.toJSONSchema(chatCompletionsRequest);
    const undescribed = Object.entries(properties).filter(
      ([, schema]) => !(schema as z.core.JSONSchema.Schema).description,
    );
    assert.deepEqual(undescribed, []);
    assert.equal(Object.keys(properties).length, 33);
  });
});
