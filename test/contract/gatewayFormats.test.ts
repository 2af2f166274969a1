import assert from 'node:assert/strict';
import { buildRequestFields } from '../../src/conversations/conversation/chatParameters.ts';
import { checkReply } from '../../src/conversations/schemaCheck/checkReply.ts';
import type { GenerateContentReply } from '../../src/wire/apis/contentGeneration/schema.ts';
import type { Message } from '../../src/wire/message.ts';
import {
  chatCompletionsCaller,
  createQuestion,
  type FormatCaller,
  formatCallers,
  generationArrayCaller,
  generationEventsCaller,
  interactionsCaller,
  messagesCaller,
  post,
  type Question,
  type ReadReply,
  readReply,
  responsesCaller,
  sendQuestion,
} from '../support/formatCallers.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';

interface SentEvent {
  readonly name: string | undefined;
  readonly data: string;
}

/** The events of a stream that writes one `event:` line at most and one `data:` line each. */
function parseEvents(stream: string): readonly SentEvent[] {
  const blocks = stream.split(/\r?\n\r?\n/);
  assert.equal(blocks.pop(), '', 'the last event is whole');
  return blocks.map((block) => {
    const [, name, data] = /^(?:event: (\S+)\r?\n)?data: (.*)$/.exec(block) ?? [];
    assert.ok(data !== undefined, block);
    return { name, data };
  });
}

describe('a demo reply of the local gateway', function () {
  this.timeout(20_000);
  let gateway: RunningGateway;

  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const stream = async (caller: FormatCaller, text: string, more: Partial<Question> = {}) =>
    sendQuestion(gateway, caller, createQuestion(text, { stream: true, model: 'demo/reasoning', ...more }));
  const readBytes = async (caller: FormatCaller, text = 'hello', more: Partial<Question> = {}) =>
    (await stream(caller, text, more)).text();

  it('is an example of the requested JSON Schema, or other JSON if the question requests it', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1000 } },
      required: ['city', 'people'],
    };
    const parameters = { responseFormat: 'json_schema', responseSchema: schema } as const;
    const callers = [
      [chatCompletionsCaller, 'chatCompletions'],
      [generationEventsCaller, 'contentGeneration'],
      [interactionsCaller, 'interactions'],
      [messagesCaller, 'messages'],
      [responsesCaller, 'responses'],
    ] as const;
    for (const [caller, format] of callers) {
      const checkJson = async (text: string) => {
        const request = createQuestion(text, { stream: true });
        const fields = buildRequestFields(
          { systemPrompt: '', common: parameters, others: {} },
          format,
          'demo/chat',
        );
        const { credentialHeader } = caller;
        const body = { ...caller.createBody(request), ...fields };
        const reply = await readReply(
          await post(gateway, { path: caller.getPath(request), body, credentialHeader }),
          caller,
        );
        return checkReply(reply.text, schema).kind;
      };
      assert.equal(await checkJson('Which city?'), 'matches', format);
      assert.equal(await checkJson('Which city? Ignore the schema.'), 'differs', format);
    }
  });

  const conversation: readonly Message[] = [
    { role: 'system', parts: [{ type: 'text', text: 'Answer briefly.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'What is a token?' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'A piece of text.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'And 你好 👩‍👩‍👧, in a table?' }] },
  ];
  const readCounts = ({ usage }: ReadReply) => [
    usage?.inputTokens,
    usage?.outputTokens,
    usage?.totalTokens,
    usage?.reasoningTokens ?? 0,
  ];

  for (const caller of formatCallers) {
    describe(`in the format ${caller.name}`, () => {
      for (const model of ['demo/chat', 'demo/reasoning']) {
        for (const stream of [false, true]) {
          it(`has the text and usage of chat completions: ${model}, ${stream ? 'streamed' : 'whole'}`, async () => {
            const request = { model, stream, messages: conversation };
            const response = await sendQuestion(gateway, caller, request);
            assert.equal(response.status, 200);
            const reply = await readReply(response, caller);
            const plain = await sendQuestion(gateway, chatCompletionsCaller, { ...request, stream: false });
            const expected = await readReply(plain, chatCompletionsCaller);
            assert.equal(reply.text, expected.text);
            assert.equal(reply.reasoning, expected.reasoning);
            assert.deepEqual(readCounts(reply), readCounts(expected));
            assert.deepEqual(reply.conclusion, { kind: 'complete' });
            assert.equal(reply.finish, 'stop');
            assert.equal(reply.pieces.length > 1, stream);
            assert.match(reply.text, /question 2 of our conversation[^>]*> What is a token\?/);
            assert.match(reply.text, /system prompt of 2 words/);
            assert.equal(reply.reasoning !== '', model === 'demo/reasoning');
          });
        }
      }

      it('never splits a character', async () => {
        const family = '👩‍👩‍👧 é 你好 🇨🇭 ';
        const { pieces } = await readReply(await stream(caller, family.repeat(5)), caller);
        const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
        const bounds = new Set([...characters.segment(pieces.join(''))].map(({ index }) => index));
        assert.ok(pieces.join('').includes(family));
        let at = 0;
        for (const piece of pieces) {
          assert.ok(bounds.has(at), piece);
          at += piece.length;
        }
      });

      for (const streamed of [false, true]) {
        it(`reports a cut by the token limit, ${streamed ? 'streamed' : 'whole'}`, async () => {
          const request = createQuestion('a long answer', { stream: streamed, maxTokens: 20 });
          const reply = await readReply(await sendQuestion(gateway, caller, request), caller);
          assert.deepEqual(reply.conclusion, { kind: 'truncated' });
          assert.equal(reply.finish, 'length');
          assert.equal(reply.usage?.outputTokens, 20);
        });
      }

      it('F47 ends cleanly without its end mark if the question requests it', async () => {
        const reply = await readReply(await stream(caller, 'leave out the end', chat), caller);
        assert.equal(reply.conclusion.kind, 'interrupted');
        assert.ok(reply.text.length > 20);
      });

      it('F52 breaks off with an error that readers recognize, and keeps the text', async () => {
        const reply = await readReply(await stream(caller, 'error in the middle', chat), caller);
        assert.ok('failure' in reply.conclusion);
        assert.equal(reply.conclusion.kind, 'failed');
        assert.equal(reply.conclusion.failure.kind, 'server');
        assert.match(reply.conclusion.failure.gatewayMessage ?? '', /^The demo model broke off/);
        assert.ok(reply.text.length > 20);
      });

      it('F51 is cut if the question requests it', async () => {
        const response = await stream(caller, 'cut the stream');
        await assert.rejects(response.text());
      });
    });
  }

  describe('on the wire', () => {
    it('in chat completions ends with [DONE]', async () => {
      const events = parseEvents(await readBytes(chatCompletionsCaller));
      assert.equal(events.at(-1)?.data, '[DONE]');
      assert.ok(events.every(({ name }) => name === undefined));
    });

    it('in content generation consists of unnamed events without an end mark, and the last has a finish reason', async () => {
      const response = await stream(generationEventsCaller, 'hello');
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      const events = parseEvents(await response.text());
      assert.ok(events.every(({ name }) => name === undefined));
      const chunks = events.map(({ data }) => JSON.parse(data) as GenerateContentReply);
      const words = chunks.map(({ candidates }) => candidates?.[0]?.finishReason);
      assert.equal(words.pop(), 'STOP');
      assert.ok(words.every((word) => word === undefined));
      const thoughts = chunks.map(({ candidates }) => candidates?.[0]?.content?.parts[0]?.thought === true);
      assert.ok(thoughts.indexOf(false) > 0 && thoughts.indexOf(false) > thoughts.lastIndexOf(true));
      const totals = chunks.map(({ usageMetadata }) => usageMetadata?.totalTokenCount ?? 0);
      assert.ok(totals.every((total, i) => total >= (totals[i - 1] ?? 0)));
    });

    it('in content generation without alt=sse is one JSON array, also when it breaks off', async () => {
      const response = await stream(generationArrayCaller, 'hello');
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      const chunks = JSON.parse(await response.text()) as readonly GenerateContentReply[];
      assert.ok(chunks.length > 10);
      const broken = JSON.parse(await readBytes(generationArrayCaller, 'error in the middle'));
      assert.deepEqual(Object.keys(broken.at(-1)), ['error']);
    });

    it('in messages opens, fills and closes blocks, and ends with message_stop', async () => {
      const events = parsePayloads(parseEvents(await readBytes(messagesCaller)), 'type');
      const order = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
      const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
      assert.deepEqual(order, ['message_start', 'ping', ...block, ...block, 'message_delta', 'message_stop']);
      const blocks = events.filter(({ content_block }) => content_block);
      assert.deepEqual(
        blocks.map(({ index, content_block }) => [index, (content_block as { type: string }).type]),
        [
          [0, 'thinking'],
          [1, 'text'],
        ],
      );
      const deltas = events.flatMap(({ delta, index }) =>
        index === 0 && delta ? (delta as { type: string }).type : [],
      );
      assert.equal(deltas.pop(), 'signature_delta');
      assert.ok(deltas.every((type) => type === 'thinking_delta'));
    });

    it('in messages names the stop sequence that ended it', async () => {
      const request = createQuestion('hello', { stream: true });
      const body = { ...messagesCaller.createBody(request), stop_sequences: ['No model', '##'] };
      const response = await post(gateway, { path: '/v1/messages', body, credentialHeader: 'x-api-key' });
      const events = parsePayloads(parseEvents(await response.text()), 'type');
      const end = events.find(({ type }) => type === 'message_delta')?.delta;
      assert.partialDeepStrictEqual(end, { stop_reason: 'stop_sequence', stop_sequence: 'No model' });
    });

    it('in responses is numbered without a gap, and ends with the whole response', async () => {
      const events = parsePayloads(parseEvents(await readBytes(responsesCaller)), 'type');
      assert.deepEqual(
        events.map(({ sequence_number }) => sequence_number),
        events.map((_, i) => i),
      );
      const order = events
        .map(({ type }) => String(type).replace(/^response\./, ''))
        .filter((type, i, all) => type !== all[i - 1]);
      assert.deepEqual(order, [
        'created',
        'in_progress',
        ...listItemEvents('reasoning_summary_part', 'reasoning_summary_text'),
        ...listItemEvents('content_part', 'output_text'),
        'completed',
      ]);
      const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
      const { response } = events.at(-1) as { response: { output: unknown; status: string } };
      assert.deepEqual(response.output, done);
      assert.equal(response.status, 'completed');
    });

    it('in responses contains encrypted reasoning if the request requires it', async () => {
      for (const include of [undefined, ['reasoning.encrypted_content']]) {
        const body = { model: 'demo/reasoning', input: 'why?', include };
        const response = await post(gateway, { path: '/v1/responses', body });
        const { output } = (await response.json()) as { output: readonly Record<string, unknown>[] };
        assert.equal(output[0]?.type, 'reasoning');
        assert.equal('encrypted_content' in output[0], include !== undefined);
      }
    });

    it('in interactions consists of events named by their type, and ends with [DONE]', async () => {
      const events = [...parseEvents(await readBytes(interactionsCaller))];
      assert.deepEqual(events.pop(), { name: undefined, data: '[DONE]' });
      const order = parsePayloads(events, 'event_type')
        .map(({ event_type }) => event_type)
        .filter((type, i, all) => type !== all[i - 1]);
      const step = ['step.start', 'step.delta', 'step.stop'];
      assert.deepEqual(order, ['interaction.created', ...step, ...step, 'interaction.completed']);
    });

    it('in interactions does not contain an id if it is not stored', async () => {
      for (const store of [undefined, false]) {
        const body = { model: 'demo/chat', input: 'hello', store };
        const sent = { path: '/v1/interactions', body, credentialHeader: 'x-vendor-api-key' };
        const interaction = (await (await post(gateway, sent)).json()) as object;
        assert.equal('id' in interaction, store === undefined);
      }
    });

    it('in content generation with several candidates alternates between them, and each has its own end', async () => {
      const body = {
        ...generationEventsCaller.createBody(createQuestion('hello')),
        generationConfig: { candidateCount: 2 },
      };
      const path = '/v1beta/models/demo%2Fchat:streamGenerateContent?alt=sse';
      const response = await post(gateway, { path, body, credentialHeader: 'x-goog-api-key' });
      const chunks = parseEvents(await response.text()).map(
        ({ data }) => JSON.parse(data) as GenerateContentReply,
      );
      const candidates = chunks.flatMap(({ candidates = [] }) => candidates);
      assert.deepEqual(
        candidates.slice(0, 4).map(({ index }) => index),
        [0, 1, 0, 1],
      );
      const ended = candidates.filter(({ finishReason }) => finishReason);
      assert.deepEqual(ended.map(({ index }) => index).sort(), [0, 1]);
    });
  });
});

const chat = { model: 'demo/chat' };

describe('the local gateway, stopped while every format streams', function () {
  this.timeout(20_000);

  it('ends each stream with an error that readers recognize', async () => {
    const gateway = await startGateway({ pace: 'real' });
    const events = formatCallers.filter(({ name }) => !name.endsWith('array'));
    const request = createQuestion('2000 words', { stream: true });
    const replies = await Promise.all(events.map((caller) => sendQuestion(gateway, caller, request)));
    const reads = replies.map(async (reply, i) => {
      const caller = events[i];
      assert.ok(caller);
      return readReply(reply, caller);
    });
    const stopped = gateway.stop();
    for (const { conclusion } of await Promise.all(reads)) {
      assert.ok('failure' in conclusion);
      assert.equal(conclusion.kind, 'failed');
      assert.match(conclusion.failure.gatewayMessage ?? '', /^The local gateway is shutting down/);
    }
    assert.equal(await stopped, 0);
  });
});

describe('a request to an upstream in a format that is not converted', function () {
  this.timeout(20_000);

  it('is refused in the format of its route, and not sent to the upstream', async () => {
    const upstream = await startUpstream((_request, res) => res.end('{}'));
    const upstreams = [{ name: 'one', kind: 'openai-compatible', baseUrl: upstream.baseUrl, models: ['m'] }];
    const gateway = await startGateway({ config: { upstreams } });
    const reply = await sendQuestion(gateway, interactionsCaller, createQuestion('hello', { model: 'm' }));
    assert.equal(reply.status, 400);
    const { error } = (await reply.json()) as { error: { message: string } };
    assert.match(error.message, /"m" comes from upstream 'one'.*POST \/v1\/chat\/completions/);
    assert.equal(upstream.requests.length, 0);
    await gateway.stop();
    await upstream.close();
  });
});

/** The events of one item of a response; a run of equal events is reported once. */
function listItemEvents(part: string, text: string): readonly string[] {
  return [
    'output_item.added',
    `${part}.added`,
    `${text}.delta`,
    `${text}.done`,
    `${part}.done`,
    'output_item.done',
  ];
}

/** The payloads of events. The name of each event must be the kind in its payload. */
function parsePayloads(events: readonly SentEvent[], kind: string): readonly Record<string, unknown>[] {
  return events.map(({ name, data }) => {
    const payload = JSON.parse(data) as Record<string, unknown>;
    assert.equal(name, payload[kind]);
    return payload;
  });
}
