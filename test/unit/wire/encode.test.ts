import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chatCompletionsRequest } from '../../../src/wire/apis/chatCompletions/schema.ts';
import { encodeChatCompletions } from '../../../src/wire/apis/chatCompletions/writeRequest.ts';
import { encodeContentGeneration } from '../../../src/wire/apis/contentGeneration/writeRequest.ts';
import { messagesRequest } from '../../../src/wire/apis/messages/schema.ts';
import { encodeMessages } from '../../../src/wire/apis/messages/writeRequest.ts';
import { responsesRequest } from '../../../src/wire/apis/responses/schema.ts';
import { encodeResponses } from '../../../src/wire/apis/responses/writeRequest.ts';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import type { Encoded, Message, MessagePart } from '../../../src/wire/message.ts';
import {
  anyMessages,
  decodeConversation,
  type FormatFeatures,
  representableConversations,
} from './conversations.ts';

interface TestedFormat {
  readonly name: string;
  readonly features: FormatFeatures;
  /** Encodes messages, and decodes the body that a server would receive. */
  readonly roundTrip: (messages: readonly Message[]) => Encoded<readonly Message[]>;
}

function roundTrip<Body extends object>(
  encode: (messages: readonly Message[]) => Encoded<Body>,
  format: TextFormatId,
  schema: { parse(body: unknown): unknown },
  required: object,
): TestedFormat['roundTrip'] {
  return (messages) => {
    const { body, omitted } = encode(messages);
    const sent = JSON.parse(JSON.stringify(body));
    const decoded = decodeConversation(format, sent);
    if (decoded.some(({ role }) => role !== 'system')) schema.parse({ ...required, ...sent });
    return { body: decoded, omitted };
  };
}

const formats: readonly TestedFormat[] = [
  {
    name: 'chat completions',
    features: { reasoning: 'none', hasSignedCalls: true, hasInvalidArguments: true },
    roundTrip: roundTrip(encodeChatCompletions, 'chatCompletions', chatCompletionsRequest, {
      model: 'm',
    }),
  },
  {
    name: 'chat completions that take reasoning back',
    features: { reasoning: 'plain', hasSignedCalls: true, hasInvalidArguments: true },
    roundTrip: roundTrip(
      (messages) => encodeChatCompletions(messages, { sendsReasoning: true }),
      'chatCompletions',
      chatCompletionsRequest,
      { model: 'm' },
    ),
  },
  {
    name: 'messages',
    features: { reasoning: 'signed', hasSignedCalls: false, hasInvalidArguments: false },
    roundTrip: roundTrip(encodeMessages, 'messages', messagesRequest, { model: 'm', max_tokens: 1 }),
  },
  {
    name: 'responses',
    features: { reasoning: 'signed', hasSignedCalls: false, hasInvalidArguments: true },
    roundTrip: roundTrip(encodeResponses, 'responses', responsesRequest, { model: 'm' }),
  },
];

const turn = (...parts: readonly MessagePart[]): readonly Message[] => [{ role: 'assistant', parts }];
const reasoning = { type: 'reasoning', text: 'Hmm', signature: 'c2ln' } as const;
const call = { type: 'toolCall', id: 'c', name: 'list', arguments: '{}' } as const;
const textPart = { type: 'text', text: 'Hi' } as const;

for (const { name, features, roundTrip } of formats) {
  describe(`a conversation in the format of ${name}`, () => {
    it('is decoded unchanged after it was encoded, including reasoning, calls and their ids', () => {
      fc.assert(
        fc.property(representableConversations(features), (messages) => {
          assert.deepEqual(roundTrip(messages), { body: messages, omitted: [] });
        }),
        { numRuns: 300 },
      );
    });

    it('is encoded with a report if any part is omitted', () => {
      fc.assert(
        fc.property(anyMessages, (messages) => {
          const { body, omitted } = roundTrip(messages);
          if (omitted.length === 0) assert.deepEqual(findMissing(messages, body), []);
        }),
        { numRuns: 1000 },
      );
    });
  });
}

describe('encoding of unusual content', () => {
  it('F60 keeps the digits of numbers too large for JSON', () => {
    const args = '{"id":12345678901234567890,"most":1e400,"least":-2.5E-400}';
    for (const encode of [encodeMessages, encodeContentGeneration]) {
      const { body, omitted } = encode(turn({ ...call, arguments: args }));
      assert.ok(JSON.stringify(body).includes(args), JSON.stringify(body));
      assert.deepEqual(omitted, []);
    }
  });

  it('reports each omission once, in English', () => {
    const unsigned = { type: 'reasoning', text: 'Hmm' } as const;
    const image = { type: 'image', mimeType: 'image/tiff', data: 'AAAA' } as const;
    assert.deepEqual(encodeChatCompletions(turn(reasoning, reasoning, image)).omitted.map(inEnglish), [
      'an image in an assistant message',
      'reasoning',
    ]);
    assert.deepEqual(
      encodeMessages([{ role: 'user', parts: [image] }, ...turn(unsigned)]).omitted.map(inEnglish),
      ['an image of type image/tiff', 'reasoning without a signature'],
    );
    assert.deepEqual(encodeMessages(turn({ ...call, arguments: '[1' })).omitted.map(inEnglish), [
      'the arguments of the call to list, which are not a JSON object',
    ]);
    assert.deepEqual(encodeResponses(turn(unsigned, { ...call, signature: 's' })).omitted.map(inEnglish), [
      'reasoning without a signature',
      'the signature of a tool call',
    ]);
  });

  it('omits messages without content', () => {
    assert.deepEqual(encodeChatCompletions(turn(reasoning)).body, { messages: [] });
    assert.deepEqual(encodeMessages(turn({ ...textPart, text: ' \n' })).body, { messages: [] });
    assert.deepEqual(encodeResponses(turn({ ...textPart, text: '' })).body, { input: [] });
  });
});

describe('the messages format', () => {
  const types = (messages: readonly Message[]) =>
    encodeMessages(messages).body.messages.map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ type }) => type),
    );

  it('starts with thinking, and keeps thinking between calls in its position', () => {
    assert.deepEqual(types(turn(textPart, reasoning, call)), [['thinking', 'text', 'tool_use']]);
    assert.deepEqual(types(turn(reasoning, textPart, reasoning, call)), [
      ['thinking', 'text', 'thinking', 'tool_use'],
    ]);
  });

  it('has tool results before the user’s text', () => {
    const result = { type: 'toolResult', id: 'c', name: 'list', text: 'a' } as const;
    assert.deepEqual(types([{ role: 'user', parts: [textPart, result] }]), [['tool_result', 'text']]);
  });

  it('moves system messages to the system field, and reports a changed position', () => {
    const system = (text: string) => ({ role: 'system', parts: [{ type: 'text', text }] }) as const;
    const { body, omitted } = encodeMessages([system('One'), ...turn(textPart), system('Two')]);
    assert.deepEqual(body.system, [
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two' },
    ]);
    assert.deepEqual(omitted.map(inEnglish), ['the position of a system message']);
  });
});

/** The parts that are missing at every position. Blank text and empty reasoning have no content. */
function findMissing(messages: readonly Message[], back: readonly Message[]): readonly MessagePart[] {
  const parts = back.flatMap(({ parts }) => parts);
  const returnedParts = new Set(parts.map(toCanonicalText));
  const reasoning = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const isReturned = (part: MessagePart) => {
    if (part.type === 'text' && part.text.trim() === '') return true;
    if (part.type === 'reasoning' && !part.signature) return reasoning.includes(part.text);
    return returnedParts.has(toCanonicalText(part));
  };
  return messages.flatMap(({ parts }) => parts.filter((part) => !isReturned(part)));
}

function toCanonicalText(part: MessagePart): string {
  return JSON.stringify(Object.entries(part).toSorted());
}
