import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sealSignature } from '../../../../src/localGateway/conversion/admittedMessages.ts';
import { textFormat } from '../../../../src/wire/apis/textFormats.ts';
import type { Message, MessagePart } from '../../../../src/wire/message.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { decodeConversation, mergeTexts, representableConversations } from '../../wire/conversations.ts';
import { catchRefusal, convert, directions, minimalRequests } from './conversions.ts';

/** A request with this conversation. */
function createRequest(format: ConvertibleFormat, messages: readonly Message[]): object {
  return { ...minimalRequests[format], input: undefined, ...textFormat(format).encode(messages).body };
}

/** Formats whose calls hold JSON text, which need not be an object. */
const passesArgumentText: ReadonlySet<string> = new Set(['chatCompletions', 'responses']);

/** Formats that send reasoning back with its signature. */
const acceptsReasoning: ReadonlySet<string> = new Set(['contentGeneration', 'messages', 'responses']);

function withSignatures(
  messages: readonly Message[],
  sign: (signature: string) => string,
): readonly Message[] {
  const signed = (part: MessagePart): MessagePart =>
    part.type === 'reasoning' && part.signature !== undefined
      ? { ...part, signature: sign(part.signature) }
      : part;
  return messages.map((message) => ({ ...message, parts: message.parts.map(signed) }));
}

for (const { from, to } of directions) {
  describe(`a request of ${from} for an upstream of ${to}`, () => {
    it('keeps texts, pictures, calls and results of any conversation', () => {
      const features = {
        reasoning: 'none',
        hasSignedCalls: false,
        hasInvalidArguments: passesArgumentText.has(from) && passesArgumentText.has(to),
      } as const;
      fc.assert(
        fc.property(representableConversations(features), (messages) => {
          const { body, dropped } = convert(from, to, createRequest(from, messages));
          assert.deepEqual(mergeTexts(decodeConversation(to, body)), mergeTexts(messages));
          assert.deepEqual(dropped, []);
        }),
        { numRuns: 60 },
      );
    });

    if (!acceptsReasoning.has(from) || !acceptsReasoning.has(to)) return;
    it('returns reasoning only to the format that it came from', () => {
      const features = { reasoning: 'signed', hasSignedCalls: false, hasInvalidArguments: false } as const;
      fc.assert(
        fc.property(representableConversations(features), (messages) => {
          const signed = withSignatures(messages, (signature) => sealSignature(to, signature, 'reasoning'));
          const { body } = convert(from, to, createRequest(from, signed));
          const reasons = (some: readonly Message[]) =>
            some.flatMap(({ parts }) => parts.filter(({ type }) => type === 'reasoning'));
          assert.deepEqual(reasons(decodeConversation(to, body)), reasons(messages));
          const strange = convert(from, to, createRequest(from, messages));
          assert.deepEqual(reasons(decodeConversation(to, strange.body)), []);
          assert.equal(strange.dropped.length > 0, reasons(messages).length > 0);
        }),
        { numRuns: 60 },
      );
    });
  });
}

describe('a content generation request with field names in snake case', () => {
  it('is read like the provider reads it, and the caller’s own names are unchanged', () => {
    const parameters = { type: 'OBJECT', properties: { place_name: { type: 'STRING' } } };
    const request = {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [{ function_call: { id: 'c', name: 'look', args: { place_name: 'Rome' } } }],
        },
      ],
      tools: [{ function_declarations: [{ name: 'look', parameters }] }],
      generation_config: { max_output_tokens: 5 },
    };
    const { body, dropped } = convert('contentGeneration', 'chatCompletions', request);
    assert.deepEqual(dropped, []);
    assert.deepEqual(body, {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'look', arguments: '{"place_name":"Rome"}' } },
          ],
        },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'look',
            parameters: { type: 'object', properties: { place_name: { type: 'string' } } },
          },
        },
      ],
      max_tokens: 5,
    });
  });

  it('is rejected with the camel case name of an invalid field', () => {
    const request = {
      ...minimalRequests.contentGeneration,
      generation_config: { max_output_tokens: 'many' },
    };
    const refusal = catchRefusal(() => convert('contentGeneration', 'messages', request));
    assert.equal(refusal.param, 'generationConfig.maxOutputTokens');
  });
});

describe('a content generation chat that stores each chunk of a reply as a separate content', () => {
  const model = (...parts: readonly object[]) => ({ role: 'model', parts });
  const calls = (...cities: readonly string[]) =>
    cities.map((city) => model({ functionCall: { name: 'look', args: { city } } }));
  const results = (...cities: readonly string[]) =>
    cities.map((city, nth) => ({
      role: nth === 0 ? 'user' : 'function',
      parts: [{ functionResponse: { name: 'look', response: { output: `sunny in ${city}` } } }],
    }));
  const question = { role: 'user', parts: [{ text: 'Where is it sunny?' }] };
  const end = model({ text: '' });

  it('keeps parallel calls, their results and texts together', () => {
    const contents = [
      question,
      model({ text: 'I ' }),
      model({ text: 'look.' }),
      ...calls('Paris', 'Rome'),
      end,
      ...results('Paris', 'Rome'),
      model({ text: 'In ' }),
      model({ text: 'both.' }),
      end,
      question,
    ];
    const { body } = convert('contentGeneration', 'chatCompletions', { contents });
    const { messages } = body as { messages: readonly Record<string, unknown>[] };
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      [
        ['user', 'Where is it sunny?'],
        ['assistant', 'I look.'],
        ['tool', 'sunny in Paris'],
        ['tool', 'sunny in Rome'],
        ['assistant', 'In both.'],
        ['user', 'Where is it sunny?'],
      ],
    );
    const { tool_calls: toolCalls = [] } = messages[1] ?? {};
    const ids = (toolCalls as readonly { id: string }[]).map(({ id }) => id);
    assert.deepEqual(ids, [messages[2]?.tool_call_id, messages[3]?.tool_call_id]);
  });

  it('returns thoughts joined with their signature', () => {
    const thoughtSignature = sealSignature('messages', 'proof', 'reasoning');
    const thoughts = [
      model({ text: 'It ', thought: true }),
      model({ text: 'may be.', thought: true }),
      model({ text: '', thought: true, thoughtSignature }),
    ];
    const contents = [question, ...thoughts, model({ text: 'Yes.' }), end, question];
    const { body, dropped } = convert('contentGeneration', 'messages', { contents });
    assert.deepEqual((body as { messages: readonly { content: object }[] }).messages[1]?.content, [
      { type: 'thinking', thinking: 'It may be.', signature: 'proof' },
      { type: 'text', text: 'Yes.' },
    ]);
    assert.deepEqual(dropped, []);
  });
});

describe('messages of one turn', () => {
  it('are merged if calls or results of calls are split over several messages', () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const seen = [
      { type: 'text', text: 'seen' },
      { type: 'image', source },
    ];
    const result = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: seen });
    const messages = [
      { role: 'user', content: 'Hi' },
      ...['a', 'b'].map((id) => ({ role: 'assistant', content: [call(id)] })),
      ...['a', 'b'].map((id) => ({ role: 'user', content: [result(id)] })),
    ];
    const { body } = convert('messages', 'chatCompletions', { model: 'm', max_tokens: 9, messages });
    const sent = (body as { messages: readonly { role: string; tool_calls?: object[] }[] }).messages;
    assert.deepEqual(
      sent.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'tool', 'user'],
    );
    assert.equal(sent[1]?.tool_calls?.length, 2);
  });
});
