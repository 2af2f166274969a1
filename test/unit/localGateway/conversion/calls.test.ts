import assert from 'node:assert/strict';
import { isObject, type JsonObject, parseJson } from '../../../../src/base/json.ts';
import type { ConvertedRequest } from '../../../../src/localGateway/conversion/conversion.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { convert, convertible, minimalRequests, names } from './conversions.ts';

/** The data of the events that a caller of `from` gets for these bytes of an upstream. */
function convertStream({ createStream }: ConvertedRequest, text: string): readonly JsonObject[] {
  const reply = createStream(names);
  const written = reply.write(Buffer.from(text)) + reply.end();
  const data = written.split('\n').filter((line) => line.startsWith('data: {'));
  return data.map((line) => parseJson(line.slice(6))).filter(isObject);
}

const call = (name: string, args: object, thoughtSignature?: string) => ({
  functionCall: { name, args },
  ...(thoughtSignature && { thoughtSignature }),
});

const generated = (parts: readonly object[]) =>
  JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] });

const signed = generated([
  { text: 'I think.', thought: true },
  call('look', { city: 'Rome' }, 'proof'),
  call('look', {}),
]);

/** A conversation of each format whose last message is the model's message from a reply. */
const continued: Readonly<
  Record<Exclude<ConvertibleFormat, 'contentGeneration'>, (reply: JsonObject) => object>
> = {
  chatCompletions: ({ choices }) => ({
    ...minimalRequests.chatCompletions,
    messages: [{ role: 'user', content: 'Hi' }, (choices as readonly JsonObject[])[0]?.message],
  }),
  messages: ({ content }) => ({
    ...minimalRequests.messages,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
    ],
  }),
  responses: ({ output }) => ({
    ...minimalRequests.responses,
    input: [{ role: 'user', content: 'Hi' }, ...(output as readonly JsonObject[])],
  }),
};

describe('the signature of a call', () => {
  for (const from of convertible.filter((format) => format !== 'contentGeneration')) {
    it(`is returned to content generation by a caller of ${from}`, () => {
      const { convertReply } = convert(from, 'contentGeneration', minimalRequests[from]);
      const body = convertReply(Buffer.from(signed), names) as JsonObject;
      const next = convert(from, 'contentGeneration', continued[from](body), { model: 'gemini-3-pro' });
      const { contents } = next.body as { contents: readonly { parts: readonly JsonObject[] }[] };
      const calls = contents[1]?.parts.filter(({ functionCall }) => functionCall !== undefined);
      assert.deepEqual(
        calls?.map(({ thoughtSignature }) => thoughtSignature),
        ['proof', undefined],
      );
      assert.doesNotMatch(next.dropped.join(), /signature/);
      const other = convert(from, from === 'messages' ? 'responses' : 'messages', continued[from](body));
      assert.notDeepEqual(other.dropped, []);
    });
  }

  it('is returned to chat completions, which Google also serves', () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c',
          type: 'function',
          function: { name: 'look', arguments: '{}' },
          extra_content: { google: { thought_signature: 'proof' } },
        },
      ],
    };
    const document = { id: 'r', model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    for (const from of ['messages', 'responses'] as const) {
      const { convertReply } = convert(from, 'chatCompletions', minimalRequests[from]);
      const body = convertReply(Buffer.from(JSON.stringify(document)), names) as JsonObject;
      const next = convert(from, 'chatCompletions', continued[from](body));
      assert.match(JSON.stringify(next.body), /"extra_content":\{"google":\{"thought_signature":"proof"\}\}/);
    }
  });

  it('is in the first fragment of a streamed call only, and every fragment has a function', () => {
    const request = convert('chatCompletions', 'contentGeneration', minimalRequests.chatCompletions);
    const events = convertStream(request, `data: ${signed}\n\n`);
    const fragments = events.flatMap(
      ({ choices }) =>
        (choices as readonly { delta: { tool_calls?: JsonObject[] } }[])[0]?.delta.tool_calls ?? [],
    );
    assert.ok(fragments.every((fragment) => isObject(fragment.function)));
    const first = [0, 1].map((index) => fragments.find((fragment) => fragment.index === index));
    assert.deepEqual(
      first.map((fragment) => fragment?.extra_content !== undefined),
      [true, false],
    );
    assert.equal(fragments.filter((fragment) => fragment.extra_content !== undefined).length, 1);
  });

  it('keeps its place next to the call in a stream of responses, even if it arrives late', () => {
    const fragment = (more: object) =>
      `data: ${JSON.stringify({ id: 'r', model: 'm', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...more }] } }] })}\n\n`;
    const late = [
      fragment({ id: 'c', type: 'function', function: { name: 'look', arguments: '{' } }),
      fragment({ extra_content: { google: { thought_signature: 'proof' } } }),
      fragment({ function: { arguments: '}' } }),
      'data: {"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
    ].join('');
    const events = convertStream(convert('responses', 'chatCompletions', minimalRequests.responses), late);
    const { response } = events.at(-1) as { response: { output: readonly JsonObject[] } };
    assert.deepEqual(
      response.output.map(({ type }) => type),
      ['function_call', 'reasoning'],
    );
    const next = convert(
      'responses',
      'chatCompletions',
      continued.responses(response as unknown as JsonObject),
    );
    assert.match(JSON.stringify(next.body), /"thought_signature":"proof"/);
  });
});

describe('a tool call that was cut by the output limit', () => {
  const text = { content: 'I write.' };
  const args = '{"path":"a.txt","size":12,"lines":["one","tw';
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'r', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const start = { index: 0, id: 'c', type: 'function', function: { name: 'write', arguments: '' } };
  const cut = (reason: string) =>
    [
      chunk(text),
      chunk({ tool_calls: [start] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
      chunk({}, reason),
      'data: [DONE]\n\n',
    ].join('');
  const complete = JSON.stringify({
    id: 'r',
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          ...text,
          tool_calls: [{ ...start, function: { name: 'write', arguments: args } }],
        },
        finish_reason: 'length',
      },
    ],
  });
  const partial = { path: 'a.txt', size: 12, lines: ['one'] };

  it('is returned to messages with its partial input and the preceding text', () => {
    const { convertReply, ...request } = convert('messages', 'chatCompletions', minimalRequests.messages);
    const { content, stop_reason } = convertReply(Buffer.from(complete), names) as JsonObject;
    const used = { type: 'tool_use', id: 'c', name: 'write', input: partial };
    assert.partialDeepStrictEqual(content, [{ type: 'text', text: 'I write.' }, used]);
    assert.equal(stop_reason, 'max_tokens');
    const events = convertStream({ convertReply, ...request }, cut('length'));
    const written = events.map(({ delta }) => (isObject(delta) ? (delta.partial_json ?? '') : '')).join('');
    assert.equal(written, args);
    assert.partialDeepStrictEqual(events.at(-2)?.delta, { stop_reason: 'max_tokens' });
  });

  it('is returned to content generation with its partial arguments and the preceding text', () => {
    const request = convert('contentGeneration', 'chatCompletions', minimalRequests.contentGeneration);
    const { candidates } = request.convertReply(Buffer.from(complete), names) as {
      candidates: readonly JsonObject[];
    };
    const called = { functionCall: { id: 'c', name: 'write', args: partial } };
    assert.deepEqual(candidates[0]?.content, { role: 'model', parts: [{ text: 'I write.' }, called] });
    assert.equal(candidates[0]?.finishReason, 'MAX_TOKENS');
    const all = JSON.stringify(convertStream(request, cut('length')));
    assert.ok(all.includes(JSON.stringify(called)), all);
    assert.match(all, /"finishReason":"MAX_TOKENS"/);
  });

  it('has the status incomplete in responses', () => {
    const { convertReply } = convert('responses', 'chatCompletions', minimalRequests.responses);
    const { status, output } = convertReply(Buffer.from(complete), names) as {
      status: string;
      output: JsonObject[];
    };
    assert.equal(status, 'incomplete');
    assert.deepEqual(
      output.map((item) => item.status),
      ['completed', 'incomplete'],
    );
  });

  it('has its complete members, for a cut at any position', () => {
    const { convertReply } = convert('messages', 'chatCompletions', minimalRequests.messages);
    const json = '{"a":"x\\"y","b":[1,{"c":"d"},true],"e":{"f":null}}';
    const all = JSON.parse(json);
    for (let at = 0; at <= json.length; at++) {
      const document = JSON.parse(complete);
      document.choices[0].message.tool_calls[0].function.arguments = json.slice(0, at);
      const { content } = convertReply(Buffer.from(JSON.stringify(document)), names) as {
        content: JsonObject[];
      };
      const input = content[1]?.input as JsonObject;
      assert.ok(
        Object.keys(input).every((key) => key in all),
        JSON.stringify(input),
      );
      if ('b' in input) assert.equal(input.a, all.a);
      if (at === json.length) assert.deepEqual(input, all);
    }
  });

  it('is an error if the model itself ended the call', () => {
    for (const from of ['messages', 'contentGeneration'] as const) {
      const request = convert(from, 'chatCompletions', minimalRequests[from], { framing: 'events' });
      assert.match(JSON.stringify(convertStream(request, cut('tool_calls'))), /are not a JSON object/);
    }
  });
});

describe('a tool call without arguments', () => {
  const message = (args: unknown, finish_reason: string) => ({
    id: 'r',
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason,
        message: { tool_calls: [{ id: 'c', type: 'function', function: { name: 'now', arguments: args } }] },
      },
    ],
  });

  it('gets an empty object as its arguments, whole and streamed, unless it was cut', () => {
    const request = convert('responses', 'chatCompletions', minimalRequests.responses);
    const { convertReply } = request;
    for (const args of ['', null]) {
      const bytes = Buffer.from(JSON.stringify(message(args, 'tool_calls')));
      const { output } = convertReply(bytes, names) as { output: readonly JsonObject[] };
      assert.equal(output[0]?.arguments, '{}');
    }
    const [choice] = message('', 'tool_calls').choices;
    const chunk = { choices: [{ ...choice, delta: choice?.message }] };
    const events = convertStream(request, `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    assert.deepEqual(
      deltas.map(({ delta }) => delta),
      ['{}'],
    );
    const cut = convertReply(Buffer.from(JSON.stringify(message('', 'length'))), names);
    assert.partialDeepStrictEqual(cut, { output: [{ arguments: '', status: 'incomplete' }] });
  });

  it('ends a reply with tool_use, even if the upstream sends a nonstandard finish reason', () => {
    const bytes = Buffer.from(JSON.stringify(message('{}', 'tool_use')));
    const { convertReply } = convert('messages', 'chatCompletions', minimalRequests.messages);
    assert.equal((convertReply(bytes, names) as JsonObject).stop_reason, 'tool_use');
  });

  it('gets an id of at most 40 characters for OpenAI if the upstream sent none', () => {
    const { convertReply } = convert('chatCompletions', 'contentGeneration', minimalRequests.chatCompletions);
    const body = convertReply(Buffer.from(signed), { ...names, id: '0f0f0f0f-1111-2222-3333-444444444444' });
    const ids = JSON.stringify(body).match(/call_[\w-]+/g) ?? [];
    assert.equal(new Set(ids).size, 2);
    assert.ok(
      ids.every((id) => id.length <= 40),
      ids.join(),
    );
  });
});
