import assert from 'node:assert/strict';
import fc from 'fast-check';
import { interactionsRequest } from '../../../src/wire/apis/interactions/schema.ts';
import { encodeInteractions } from '../../../src/wire/apis/interactions/writeRequest.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import type { Message } from '../../../src/wire/message.ts';
import { decodeConversation, representableConversations } from './conversations.ts';

/** Instructions are one text in this format. */
const conversations = representableConversations({
  reasoning: 'signed',
  hasSignedCalls: false,
  hasInvalidArguments: false,
}).map((messages) =>
  messages.map((message) =>
    message.role === 'system' ? { ...message, parts: message.parts.slice(0, 1) } : message,
  ),
);

const question: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

describe('a conversation in interactions', () => {
  it('is decoded unchanged after it was encoded, including signatures and call ids, and is a valid request', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const { body, omitted } = encodeInteractions(messages);
        const sent = JSON.parse(JSON.stringify(body));
        interactionsRequest.parse({ model: 'm', ...sent });
        assert.deepEqual(omitted, []);
        assert.deepEqual(decodeConversation('interactions', sent), messages);
      }),
      { numRuns: 300 },
    );
  });

  it('is plain text for a single question', () => {
    assert.deepEqual(encodeInteractions([question]).body, { input: 'Hi' });
    const instructed = encodeInteractions([{ role: 'system', parts: question.parts }, question]);
    assert.deepEqual(instructed.body, { input: 'Hi', system_instruction: 'Hi' });
  });

  it('is read with tool results as steps or contents, as text, values or contents', () => {
    const result = { type: 'function_result', call_id: 'c1', name: 'weather' };
    const part = { type: 'toolResult', id: 'c1', name: 'weather' };
    const results: readonly (readonly [result: unknown, text: string])[] = [
      ['rain', 'rain'],
      [{ sky: 'rain' }, '{"sky":"rain"}'],
      [
        [
          { type: 'text', text: 'rain' },
          { type: 'image', data: 'aWNv' },
          { type: 'text', text: 'wind' },
        ],
        'rain\nwind',
      ],
      [[1, 2], '[1,2]'],
      [undefined, 'null'],
    ];
    for (const [value, text] of results) {
      const step = { ...result, result: value };
      for (const input of [[step], [{ type: 'user_input', content: [step] }]]) {
        const request = interactionsRequest.parse({ model: 'm', input });
        assert.deepEqual(decodeConversation('interactions', request), [
          { role: 'user', parts: [{ ...part, text }] },
        ]);
      }
    }
  });

  it('consists of the steps that the format defines', () => {
    const { body } = encodeInteractions([
      question,
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'Hm', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'c1', name: 'weather', arguments: '{"city":"Köln"}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'toolResult', id: 'c1', name: 'weather', text: 'rain' },
          { type: 'image', mimeType: 'image/png', data: 'aWNv' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
    assert.deepEqual(body.input, [
      { type: 'user_input', content: [{ type: 'text', text: 'Hi' }] },
      { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'Hm' }] },
      { type: 'model_output', content: [{ type: 'text', text: 'I look.' }] },
      { type: 'function_call', id: 'c1', name: 'weather', arguments: { city: 'Köln' } },
      { type: 'function_result', call_id: 'c1', name: 'weather', result: 'rain' },
      {
        type: 'user_input',
        content: [
          { type: 'image', data: 'aWNv', mime_type: 'image/png' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it('reports the parts that the format cannot represent', () => {
    const call = { type: 'toolCall', id: 'c', name: 'f', arguments: '[1]', signature: 's' } as const;
    const { omitted } = encodeInteractions([
      question,
      { role: 'assistant', parts: [call] },
      { role: 'system', parts: question.parts },
    ]);
    assert.deepEqual(omitted.map(inEnglish), [
      'the signature of a tool call',
      'the arguments of the call to f, which are not a JSON object',
      'the position of a system message',
    ]);
  });

  it('is read from contents and from steps', () => {
    const content = { type: 'text', text: 'Hi' };
    for (const input of ['Hi', content, [content], [{ type: 'user_input', content: [content] }]]) {
      assert.deepEqual(decodeConversation('interactions', { input }), [question]);
    }
  });
});

describe('the interactions request', () => {
  it('passes unknown fields through unchanged', () => {
    const body = {
      model: 'm',
      input: [{ type: 'new_step', x: 1 }],
      response_format: [{ type: 'video', y: 2 }],
      z: [3],
    };
    assert.deepEqual(interactionsRequest.parse(body), body);
  });

  const refused: readonly (readonly [field: string, body: object])[] = [
    ['model', { model: undefined }],
    ['model', { agent: 'a' }],
    ['input', { input: 7 }],
    ['stream', { background: true, stream: true }],
    ['generation_config.temperature', { generation_config: { temperature: 3 } }],
    ['background', { background: 'yes' }],
  ];
  for (const [field, body] of refused) {
    it(`reports ${field} when it rejects ${JSON.stringify(body)}`, () => {
      const { error } = interactionsRequest.safeParse({ model: 'm', input: 'Hi', ...body });
      assert.deepEqual(
        error?.issues.map(({ path }) => path.join('.')),
        [field],
      );
    });
  }
});
