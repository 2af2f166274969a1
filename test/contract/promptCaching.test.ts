import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { cachedReplies, cachedStreams } from '../support/cachedReplies.ts';
import type { ConvertibleFormat } from '../support/convertibleFormat.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from '../support/scriptedUpstream.ts';
import { createGenaiClient } from '../support/sdks/genai.ts';
import { createOpenaiClient } from '../support/sdks/openai.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

const mark = { type: 'ephemeral' as const };
const formats = Object.keys(cachedReplies) as ConvertibleFormat[];

/** The kinds of upstreams that serve one format. */
const kinds: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: 'openai-compatible',
  contentGeneration: 'content-generation',
  messages: 'messages',
  responses: 'responses',
};

interface CachedUsage {
  readonly read: number | null | undefined;
  /** Absent in content generation, which does not count it. */
  readonly written?: number | null | undefined;
  /** The input without cached tokens. */
  readonly others: number;
}

interface Caller {
  send(gateway: RunningGateway, model: string): Promise<CachedUsage>;
  stream(gateway: RunningGateway, model: string): Promise<CachedUsage>;
}

const createClaudeClient = (gateway: RunningGateway) =>
  new Anthropic({ baseURL: gateway.baseUrl, apiKey: gateway.credential, maxRetries: 0 });
const tool = { name: 'look', input_schema: { type: 'object' as const, properties: {} }, cache_control: mark };

const messagesQuestion = {
  model: 'm',
  max_tokens: 9,
  system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { ...mark, ttl: '1h' as const } }],
  tools: [tool],
  messages: [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello', cache_control: mark }] },
  ],
};
const chatQuestion = {
  model: 'm',
  prompt_cache_key: 'k',
  messages: [
    { role: 'system' as const, content: [{ type: 'text' as const, text: 'Be brief.', cache_control: mark }] },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello', cache_control: mark }] },
  ],
};
const responsesQuestion = {
  model: 'm',
  prompt_cache_key: 'k',
  input: [
    {
      role: 'user' as const,
      content: [
        {
          type: 'input_text' as const,
          text: 'Hello',
          prompt_cache_breakpoint: { mode: 'explicit' as const },
        },
      ],
    },
  ],
};

const readMessagesUsage = (usage: Anthropic.Usage): CachedUsage => ({
  read: usage.cache_read_input_tokens,
  written: usage.cache_creation_input_tokens,
  others: usage.input_tokens,
});
const readChatUsage = ({
  prompt_tokens,
  prompt_tokens_details: details,
}: OpenAI.CompletionUsage): CachedUsage => {
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = details ?? {};
  return { read, written, others: prompt_tokens - read - written };
};
const readResponsesUsage = ({
  input_tokens,
  input_tokens_details: details,
}: OpenAI.Responses.ResponseUsage): CachedUsage => {
  const { cached_tokens: read, cache_write_tokens: written } = details;
  return { read, written, others: input_tokens - read - written };
};

const callers: Readonly<Record<ConvertibleFormat, Caller>> = {
  messages: {
    send: async (gateway, model) =>
      readMessagesUsage(
        (await createClaudeClient(gateway).messages.create({ ...messagesQuestion, model })).usage,
      ),
    stream: async (gateway, model) =>
      readMessagesUsage(
        (
          await createClaudeClient(gateway)
            .messages.stream({ ...messagesQuestion, model })
            .finalMessage()
        ).usage,
      ),
  },
  chatCompletions: {
    async send(gateway, model) {
      const { usage } = await createOpenaiClient(gateway).chat.completions.create({ ...chatQuestion, model });
      assert.ok(usage);
      return readChatUsage(usage);
    },
    async stream(gateway, model) {
      const body = {
        ...chatQuestion,
        model,
        stream: true as const,
        stream_options: { include_usage: true },
      };
      let last: OpenAI.CompletionUsage | null | undefined;
      for await (const { usage } of await createOpenaiClient(gateway).chat.completions.create(body))
        last = usage ?? last;
      assert.ok(last);
      return readChatUsage(last);
    },
  },
  responses: {
    async send(gateway, model) {
      const { usage } = await createOpenaiClient(gateway).responses.create({ ...responsesQuestion, model });
      assert.ok(usage);
      return readResponsesUsage(usage);
    },
    async stream(gateway, model) {
      const { usage } = await createOpenaiClient(gateway)
        .responses.stream({ ...responsesQuestion, model })
        .finalResponse();
      assert.ok(usage);
      return readResponsesUsage(usage);
    },
  },
  contentGeneration: {
    async send(gateway, model) {
      const { usageMetadata } = await createGenaiClient(gateway).models.generateContent({
        model,
        contents: 'Hello',
      });
      const { cachedContentTokenCount: read = 0, promptTokenCount = 0 } = usageMetadata ?? {};
      return { read, others: promptTokenCount - read };
    },
    async stream(gateway, model) {
      const body = { model, contents: 'Hello' };
      let last: { cachedContentTokenCount?: number; promptTokenCount?: number } = {};
      for await (const { usageMetadata } of await createGenaiClient(gateway).models.generateContentStream(
        body,
      ))
        last = usageMetadata ?? last;
      const { cachedContentTokenCount: read = 0, promptTokenCount = 0 } = last;
      return { read, others: promptTokenCount - read };
    },
  },
};

/** The cache marks in the body of a request. */
function findMarks(body: string): readonly string[] {
  return body.match(/"(cache_control|prompt_cache_breakpoint)":\{[^}]*\}/g) ?? [];
}

function findFormat(path: string): ConvertibleFormat {
  if (path.includes('enerateContent')) return 'contentGeneration';
  if (path.endsWith('/messages')) return 'messages';
  return path.endsWith('/responses') ? 'responses' : 'chatCompletions';
}

function respond({ path, body }: UpstreamRequest, res: ServerResponse): void {
  const format = findFormat(path);
  const isStreamed = path.includes('streamGenerate') || JSON.parse(String(body)).stream === true;
  if (!isStreamed) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(cachedReplies[format]));
    return;
  }
  const events = cachedStreams[format].map((event) => {
    const name = 'type' in event ? `event: ${event.type}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  const end = format === 'chatCompletions' ? 'data: [DONE]\n\n' : '';
  res.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join('') + end);
}

describe('prompt caching through the local gateway, with the providers’ client libraries', function () {
  this.timeout(20_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;

  before(async () => {
    upstream = await startUpstream(respond);
    const { baseUrl } = upstream;
    const { origin } = new URL(baseUrl);
    const upstreams = formats.map((format) => {
      const kind = kinds[format];
      return createUpstreamConfig(kind, format === 'chatCompletions' ? baseUrl : origin, {
        kind,
        models: ['m'],
      });
    });
    const accepting = createUpstreamConfig('accepting', baseUrl, { models: ['m'], promptCaching: true });
    const refusing = createUpstreamConfig('refusing', origin, {
      kind: 'messages',
      models: ['m'],
      promptCaching: false,
    });
    const config = { upstreams: [...upstreams, accepting, refusing] };
    gateway = await startGateway({ demo: false, config });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const readLastBody = () => String(upstream.requests.at(-1)?.body);
  const findModel = (format: ConvertibleFormat) => `${kinds[format]}/m`;

  for (const to of formats) {
    for (const from of formats.filter((each) => each !== to)) {
      it(`returns the counts of cached tokens from ${to} to ${from}, whole and streamed`, async () => {
        for (const call of [callers[from].send, callers[from].stream]) {
          const { read, written, others } = await call(gateway, findModel(to));
          assert.equal(read, 10);
          const isCounted = to !== 'contentGeneration';
          if (from === 'contentGeneration') assert.equal(others, 8);
          else assert.deepEqual([written ?? 0, others], isCounted ? [5, 3] : [0, 8]);
        }
      });
    }
  }

  const sendMessages = (model: string, more: object = {}) =>
    createClaudeClient(gateway)
      .messages.create({ ...messagesQuestion, ...more, model })
      .withResponse();
  const listDropped = ({ response }: { readonly response: Response }) =>
    response.headers.get('x-gateway-dropped')?.split(', ').sort() ?? [];

  it('returns how long tokens stay in the cache, in the formats that can report it', async () => {
    const body = { ...chatQuestion, model: findModel('messages') };
    const { usage } = await createOpenaiClient(gateway).chat.completions.create(body);
    assert.partialDeepStrictEqual(usage, {
      prompt_tokens_details: {
        cache_creation_token_details: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 4 },
      },
    });
  });

  it('passes the marks of messages on to chat completions of an upstream that accepts them', async () => {
    assert.deepEqual(listDropped(await sendMessages('accepting/m')), []);
    assert.partialDeepStrictEqual(JSON.parse(readLastBody()), {
      messages: [
        { content: [{ text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
        { content: [{ text: 'Hello', cache_control: mark }] },
      ],
      tools: [{ type: 'function', cache_control: mark }],
    });
  });

  it('reports the marks of messages that an upstream may refuse, and does not send them', async () => {
    for (const to of ['chatCompletions', 'responses', 'contentGeneration'] as const) {
      assert.deepEqual(listDropped(await sendMessages(findModel(to))), [
        'messages[].content[].cache_control',
        'system[].cache_control',
        'tools[].cache_control',
      ]);
      assert.deepEqual(findMarks(readLastBody()), []);
    }
  });

  it('passes the marks of chat completions and responses on to messages, and reports their dropped keys', async () => {
    const { chat, responses } = createOpenaiClient(gateway);
    const model = findModel('messages');
    const reply = await chat.completions.create({ ...chatQuestion, model }).withResponse();
    assert.deepEqual(listDropped(reply), ['prompt_cache_key']);
    assert.equal(findMarks(readLastBody()).length, 2);
    assert.deepEqual(listDropped(await responses.create({ ...responsesQuestion, model }).withResponse()), [
      'prompt_cache_key',
    ]);
    assert.deepEqual(findMarks(readLastBody()), ['"cache_control":{"type":"ephemeral"}']);
  });

  it('passes keys on between responses and chat completions, and marks only to chat completions', async () => {
    const { chat, responses } = createOpenaiClient(gateway);
    await responses.create({ ...responsesQuestion, model: findModel('chatCompletions') });
    assert.equal(JSON.parse(readLastBody()).prompt_cache_key, 'k');
    assert.deepEqual(findMarks(readLastBody()), ['"prompt_cache_breakpoint":{"mode":"explicit"}']);
    await chat.completions.create({ ...chatQuestion, model: findModel('responses') });
    assert.equal(JSON.parse(readLastBody()).prompt_cache_key, 'k');
    assert.deepEqual(findMarks(readLastBody()), []);
  });

  it('removes all fields from the requests to an upstream that refuses them, and leaves everything else', async () => {
    const input = { cache_control: 'an argument' };
    const results = [{ type: 'text' as const, text: 'x', cache_control: mark }];
    const messages: Anthropic.MessageParam[] = [
      ...messagesQuestion.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: results }] },
    ];
    const question = { ...messagesQuestion, cache_control: mark, messages };
    assert.deepEqual(listDropped(await sendMessages('refusing/m', question)), [
      'cache_control',
      'messages[].content[].cache_control',
      'messages[].content[].content[].cache_control',
      'system[].cache_control',
      'tools[].cache_control',
    ]);
    const isMark = (name: string, value: unknown) => name === 'cache_control' && typeof value === 'object';
    const plain = JSON.stringify(question, (name, value) => (isMark(name, value) ? undefined : value));
    assert.deepEqual(JSON.parse(readLastBody()), { ...JSON.parse(plain), model: 'm' });
  });

  it('lists which models accept a cache key', async () => {
    const listed = new Map<string, unknown>();
    for await (const model of createOpenaiClient(gateway).models.list()) {
      const { supported_parameters: names } = model as { supported_parameters?: unknown };
      listed.set(model.id, names);
    }
    assert.deepEqual(listed.get('accepting/m'), ['prompt_cache_key']);
    assert.equal(listed.get('refusing/m'), undefined);
    assert.equal(listed.get('responses/m'), undefined);
  });

  it('does not change requests that do not need a conversion', async () => {
    assert.deepEqual(listDropped(await sendMessages(findModel('messages'))), []);
    assert.deepEqual(JSON.parse(readLastBody()), messagesQuestion);
  });
});
