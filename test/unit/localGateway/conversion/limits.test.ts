import assert from 'node:assert/strict';
import { isTooDeep } from '../../../../src/wire/apis/shared/messageParts.ts';
import { textFormat } from '../../../../src/wire/apis/textFormats.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { assertLinear } from '../../../support/linearCost.ts';
import { decodeWith } from '../../wire/streamFixtures.ts';
import { catchRefusal, convert, convertible, directions, minimalRequests, names } from './conversions.ts';

type Call = readonly [id: string, args: string];

/** A whole reply with these calls of one tool, as each format writes it. */
const replies: Readonly<Record<ConvertibleFormat, (calls: readonly Call[]) => string>> = {
  chatCompletions: (calls) => {
    const toolCalls = calls.map(([id, args]) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: args },
    }));
    const message = JSON.stringify({ role: 'assistant', tool_calls: toolCalls });
    return `{"id":"r","model":"m","choices":[{"index":0,"message":${message},"finish_reason":"tool_calls"}]}`;
  },
  contentGeneration: (calls) => {
    const parts = calls.map(([id, args]) => `{"functionCall":{"id":"${id}","name":"look","args":${args}}}`);
    return `{"candidates":[{"content":{"role":"model","parts":[${parts}]},"finishReason":"STOP","index":0}]}`;
  },
  messages: (calls) => {
    const blocks = calls.map(
      ([id, args]) => `{"type":"tool_use","id":"${id}","name":"look","input":${args}}`,
    );
    return `{"id":"r","type":"message","role":"assistant","model":"m","content":[${blocks}],"stop_reason":"tool_use"}`;
  },
  responses: (calls) => {
    const output = calls.map(([call_id, args], nth) => ({
      type: 'function_call',
      id: `fc_${nth}`,
      call_id,
      name: 'look',
      arguments: args,
    }));
    return JSON.stringify({ id: 'r', object: 'response', status: 'completed', model: 'm', output });
  },
};

/** The calls in a reply of a format. */
function callsIn(format: ConvertibleFormat, body: object): ReadonlyMap<number, string> {
  const calls = new Map<number, string>();
  const { events } = decodeWith(textFormat(format).createDecoder(), Buffer.from(JSON.stringify(body)));
  for (const event of events)
    if (event.type === 'toolCall')
      calls.set(event.index, (calls.get(event.index) ?? '') + (event.arguments ?? ''));
  return calls;
}

const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

for (const { from, to } of directions) {
  describe(`a reply of ${to} for a caller of ${from}`, () => {
    it('keeps 4,096 tool calls, and fails with an explanation if there are more', () => {
      const calls = (count: number) =>
        Array.from({ length: count }, (_, nth): Call => [`call${nth}`, `{"n":${nth}}`]);
      const { convertReply } = convert(from, to, minimalRequests[from]);
      const readCalls = callsIn(from, convertReply(Buffer.from(replies[to](calls(4_096))), names));
      assert.deepEqual([readCalls.size, readCalls.get(4_095)], [4_096, '{"n":4095}']);
      const refusal = catchRefusal(() => convertReply(Buffer.from(replies[to](calls(4_097))), names));
      assert.equal(refusal.status, 424);
      assert.match(refusal.message, /calls tools more than 4,?096 times/);
    });

    it('F60 keeps arguments of any depth, or fails with an error that names the tool', () => {
      const body = Buffer.from(replies[to]([['call0', deep]]));
      const { convertReply } = convert(from, to, minimalRequests[from]);
      if (from === 'chatCompletions' || from === 'responses') {
        assert.equal(callsIn(from, convertReply(body, names)).get(0), deep);
        return;
      }
      const refusal = catchRefusal(() => convertReply(body, names));
      assert.deepEqual([refusal.status, refusal.code], [424, 'unconvertible_reply']);
      assert.match(refusal.message, /tool "look" with arguments that are nested deeper than 500 levels/);
    });
  });
}

it('numbers of any size are kept in the arguments of a whole reply of messages', () => {
  const { convertReply } = convert('chatCompletions', 'messages', minimalRequests.chatCompletions);
  const args = '{"a":12345678901234567890}';
  const readCalls = callsIn(
    'chatCompletions',
    convertReply(Buffer.from(replies.messages([['c', args]])), names),
  );
  assert.match(readCalls.get(0) ?? '', /12345678901234567890/);
});

it('a long string in the arguments of a call is not nested too deeply', () => {
  assert.equal(isTooDeep(`{"a":"${'['.repeat(16_000_000)}"}`), false);
  assert.equal(isTooDeep(`{"a":"\\"${'['.repeat(1_000)}`), false);
  assert.equal(isTooDeep(`["\\\\",${'['.repeat(500)}`), true);
});

for (const to of convertible.filter((format) => format === 'messages' || format === 'contentGeneration')) {
  it(`F60 arguments of an earlier call that are too deep for ${to} are rejected with their position`, () => {
    const called = { id: 'c', type: 'function', function: { name: 'look', arguments: deep } };
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [called] },
    ];
    const refusal = catchRefusal(() => convert('chatCompletions', to, { model: 'm', messages }));
    assert.deepEqual([refusal.status, refusal.param], [400, 'messages[1].tool_calls[0]']);
    assert.match(refusal.message, /deeper than 500 levels/);
  });
}

describe('P9 conversion takes linear time', () => {
  const chunk = (delta: object) =>
    `data: ${JSON.stringify({ id: 'r', model: 'm', choices: [{ index: 0, delta }] })}\n\n`;
  const fragment = (index: number, text: string, more: object = {}) =>
    chunk({ tool_calls: [{ index, ...more, function: { name: 'look', arguments: text } }] });
  const begun = ['a', 'b'].map((id, index) => fragment(index, '{"a":"', { id })).join('');
  const long = (n: number) => fragment(0, 'x'.repeat(10 * n));
  const source = (nth: number) =>
    chunk({ annotations: [{ type: 'url_citation', url_citation: { url: `https://a.example/${nth}` } }] });
  const repeated = (n: number, piece: (nth: number) => string) =>
    Array.from({ length: n }, (_, nth) => piece(nth)).join('');
  const streams: Readonly<Record<string, (n: number) => string>> = {
    'of calls whose fragments alternate': (n) => begun + repeated(n, (nth) => fragment(nth % 2, 'x}')),
    'of a call that waits for a long one': (n) => begun + long(n) + repeated(n, () => fragment(1, 'x')),
    'of many sources': (n) => chunk({ content: 'x' }) + repeated(n, source),
  };
  for (const [name, text] of Object.entries(streams))
    for (const from of convertible.filter((format) => format !== 'chatCompletions'))
      it(`for a stream ${name} and a caller of ${from}`, () => {
        const request = convert(from, 'chatCompletions', minimalRequests[from], { framing: 'events' });
        assertLinear(
          (n) => Buffer.from(text(n)),
          (bytes) => {
            const reply = request.createStream(names);
            for (let at = 0; at < bytes.length; at += 4096) reply.write(bytes.subarray(at, at + 4096));
            reply.end();
          },
          2_000,
        );
      });

  it('for the arguments of a call that are cut in a string', () => {
    const { convertReply } = convert('messages', 'chatCompletions', minimalRequests.messages);
    assertLinear(
      (n) => {
        const called = {
          id: 'c',
          type: 'function',
          function: { name: 'look', arguments: `{"a":"${'\\"'.repeat(n)}` },
        };
        const choice = {
          index: 0,
          message: { role: 'assistant', tool_calls: [called] },
          finish_reason: 'length',
        };
        return Buffer.from(JSON.stringify({ id: 'r', model: 'm', choices: [choice] }));
      },
      (body) => void convertReply(body, names),
      5_000,
    );
  });

  it('for a request whose calls have no ids', () => {
    const call = { functionCall: { name: 'look', args: {} } };
    const result = { functionResponse: { name: 'look', response: {} } };
    assertLinear(
      (n) => ({
        contents: [
          { role: 'model', parts: Array.from({ length: n }, () => call) },
          { role: 'user', parts: Array.from({ length: n }, () => result) },
        ],
      }),
      (body) => void convert('contentGeneration', 'chatCompletions', body),
      4_000,
    );
  });
});

describe('a request with 200,000 parts in the second of two messages of one role', () => {
  const many = <Part>(part: Part) => Array.from({ length: 200_000 }, () => part);
  const text = { type: 'text', text: 'x' };
  const bodies: Readonly<Record<ConvertibleFormat, object>> = {
    chatCompletions: {
      model: 'm',
      messages: [
        { role: 'tool', tool_call_id: 'c', content: 'x' },
        { role: 'user', content: many(text) },
      ],
    },
    contentGeneration: {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'user', parts: many({ text: 'x' }) },
      ],
    },
    messages: {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'user', content: many(text) },
      ],
    },
    responses: {
      model: 'm',
      input: [
        { role: 'user', content: 'x' },
        { role: 'user', content: many({ type: 'input_text', text: 'x' }) },
      ],
    },
  };
  const opposite = { chatCompletions: 'messages', contentGeneration: 'responses' } as const;

  for (const [from, to] of Object.entries(opposite).flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]) as [ConvertibleFormat, ConvertibleFormat][])
    it(`is converted from ${from} to ${to}`, () => {
      assert.ok(convert(from, to, bodies[from]).body);
    });
});
