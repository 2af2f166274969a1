import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReplyFraming, Upstream } from '../../src/localGateway/upstreams/upstream.ts';
import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';
import { createCall, openConfiguredUpstream, upstreamKey } from '../support/configuredUpstream.ts';
import { generationArray, type ProviderReply, providerReplies } from '../support/providerReplies.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

/** The expected request to one kind of upstream for a request of one format. */
interface Row {
  readonly title: string;
  /** The upstream's configuration, without addresses. */
  readonly config: object;
  /** The end of the configured address, after the origin. */
  readonly addressEnd?: string;
  readonly format: TextFormatId;
  /** The form of replies, if the path decides it. */
  readonly framings?: readonly ReplyFraming[];
  readonly model: string;
  /** The caller's body, which requests `served`. */
  readonly body: string;
  readonly headers?: IncomingHttpHeaders;
  readonly expected: {
    readonly isRegional?: boolean;
    readonly path: string;
    readonly streamPath?: string;
    readonly arrayPath?: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
  };
}

const cloud = { kind: 'cloud-platform', project: 'demo-1', location: 'us-east5' };
const place = '/v1/projects/demo-1/locations/us-east5';
const bearer = { authorization: `Bearer ${upstreamKey}`, 'x-api-key': undefined };
const chatBody =
  '{"model":"served","messages":[{"role":"user","content":"h\\u00e9"}], "unknown":9007199254740993}';
const generationBody = '{"contents":[{"parts":[{"text":"hi"}]}],"unknown":1e400}';
const messagesBody = '{"model":"served","max_tokens":9,"messages":[],"unknown":1.0}';

const rows: readonly Row[] = [
  {
    title: 'chat completions of a compatible provider',
    config: { kind: 'openai-compatible' },
    format: 'chatCompletions',
    model: 'm',
    body: chatBody,
    expected: { path: '/chat/completions', body: chatBody.replace('served', 'm'), headers: bearer },
  },
  {
    title: 'chat completions of a provider with a version in its address',
    config: { kind: 'openai-compatible' },
    addressEnd: '/v1/',
    format: 'chatCompletions',
    model: 'm',
    body: chatBody,
    expected: { path: '/v1/chat/completions', body: chatBody.replace('served', 'm'), headers: bearer },
  },
  {
    title: 'responses of a server that supports them',
    config: { kind: 'openai-compatible', formats: ['chatCompletions', 'responses'] },
    addressEnd: '/v1',
    format: 'responses',
    model: 'm',
    body: '{"model":"served","input":"hi"}',
    expected: { path: '/v1/responses', body: '{"model":"m","input":"hi"}', headers: bearer },
  },
  {
    title: 'messages of a server that supports them for this model',
    config: {
      kind: 'openai-compatible',
      modelFormats: [{ models: 'claude-*', formats: ['messages', 'chatCompletions'] }],
    },
    addressEnd: '/v1',
    format: 'messages',
    model: 'claude-1',
    body: messagesBody,
    expected: {
      path: '/v1/messages',
      body: messagesBody.replace('served', 'claude-1'),
      headers: { ...bearer, 'anthropic-version': '2023-06-01' },
    },
  },
  {
    title: 'content generation by key',
    config: { kind: 'content-generation' },
    format: 'contentGeneration',
    framings: ['whole', 'events', 'array'],
    model: 'gem-1:8b',
    body: generationBody,
    expected: {
      path: '/v1beta/models/gem-1%3A8b:generateContent',
      streamPath: '/v1beta/models/gem-1%3A8b:streamGenerateContent?alt=sse',
      arrayPath: '/v1beta/models/gem-1%3A8b:streamGenerateContent',
      body: generationBody,
      headers: { 'x-goog-api-key': upstreamKey, authorization: undefined },
    },
  },
  {
    title: 'content generation of a tuned model, at an address with its version',
    config: { kind: 'content-generation' },
    addressEnd: '/v1beta',
    format: 'contentGeneration',
    framings: ['whole'],
    model: 'tunedModels/mine',
    body: generationBody,
    expected: {
      path: '/v1beta/tunedModels/mine:generateContent',
      body: generationBody,
      headers: { 'x-goog-api-key': upstreamKey },
    },
  },
  {
    title: 'content generation on the cloud platform',
    config: cloud,
    format: 'contentGeneration',
    framings: ['whole', 'events', 'array'],
    model: 'google/gem-1',
    body: generationBody,
    expected: {
      path: `${place}/publishers/google/models/gem-1:generateContent`,
      streamPath: `${place}/publishers/google/models/gem-1:streamGenerateContent?alt=sse`,
      arrayPath: `${place}/publishers/google/models/gem-1:streamGenerateContent`,
      body: generationBody,
      headers: { ...bearer, 'x-goog-api-key': undefined },
    },
  },
  {
    title: 'compatible chat completions on the cloud platform',
    config: cloud,
    format: 'chatCompletions',
    model: 'gem-1',
    body: chatBody,
    expected: {
      path: `${place}/endpoints/openapi/chat/completions`,
      body: chatBody.replace('served', 'google/gem-1'),
      headers: bearer,
    },
  },
  {
    title: 'managed chat completions on the cloud platform',
    config: cloud,
    format: 'chatCompletions',
    model: 'meta/llama-1',
    body: chatBody,
    expected: {
      isRegional: true,
      path: `${place}/endpoints/openapi/chat/completions`,
      body: chatBody.replace('served', 'meta/llama-1'),
      headers: bearer,
    },
  },
  {
    title: 'messages of a partner on the cloud platform',
    config: cloud,
    format: 'messages',
    model: 'anthropic/claude-1@20250514',
    body: messagesBody,
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'some-beta' },
    expected: {
      isRegional: true,
      path: `${place}/publishers/anthropic/models/claude-1@20250514:rawPredict`,
      streamPath: `${place}/publishers/anthropic/models/claude-1@20250514:streamRawPredict`,
      body: '{"anthropic_version":"vertex-2023-10-16","max_tokens":9,"messages":[],"unknown":1.0}',
      headers: { ...bearer, 'anthropic-version': undefined, 'anthropic-beta': 'some-beta' },
    },
  },
  {
    title: 'messages of a partner with the version in the body, in the spelling of the interface',
    config: cloud,
    format: 'messages',
    model: 'claude-1',
    body: '{"vendor_version":"vertex-2023-10-16","messages":[],"model":"served"}',
    headers: { 'vendor-version': '2023-06-01' },
    expected: {
      isRegional: true,
      path: `${place}/publishers/anthropic/models/claude-1:rawPredict`,
      streamPath: `${place}/publishers/anthropic/models/claude-1:streamRawPredict`,
      body: '{"anthropic_version":"vertex-2023-10-16","messages":[]}',
      headers: { ...bearer, 'anthropic-version': undefined, 'vendor-version': undefined },
    },
  },
  {
    title: 'messages at their provider',
    config: { kind: 'messages' },
    format: 'messages',
    model: 'claude-1',
    body: messagesBody,
    headers: { 'vendor-version': '2023-06-02', 'vendor-beta': 'some-beta' },
    expected: {
      path: '/v1/messages',
      body: messagesBody.replace('served', 'claude-1'),
      headers: {
        'x-api-key': upstreamKey,
        authorization: undefined,
        'anthropic-version': '2023-06-02',
        'anthropic-beta': 'some-beta',
        'vendor-version': undefined,
        'vendor-beta': undefined,
      },
    },
  },
  {
    title: 'responses',
    config: { kind: 'responses' },
    addressEnd: '/v1',
    format: 'responses',
    model: 'm',
    body: '{"input":"hi","model":"served"}',
    expected: { path: '/v1/responses', body: '{"input":"hi","model":"m"}', headers: bearer },
  },
  {
    title: 'chat completions of the regional service',
    config: { kind: 'dashscope' },
    format: 'chatCompletions',
    model: 'qw-1',
    body: chatBody,
    expected: {
      path: '/compatible-mode/v1/chat/completions',
      body: chatBody.replace('served', 'qw-1'),
      headers: bearer,
    },
  },
  {
    title: 'chat completions of Ark',
    config: { kind: 'ark' },
    format: 'chatCompletions',
    model: 'seed-1',
    body: chatBody,
    expected: {
      path: '/api/v3/chat/completions',
      body: chatBody.replace('served', 'seed-1'),
      headers: bearer,
    },
  },
  {
    title: 'interactions',
    config: { kind: 'interactions' },
    format: 'interactions',
    model: 'gem-1',
    body: '{"model":"served","input":"hi","store":false}',
    headers: { 'api-revision': '2026-05-20' },
    expected: {
      path: '/v1beta/interactions',
      body: '{"model":"gem-1","input":"hi","store":false}',
      headers: { 'x-goog-api-key': upstreamKey, authorization: undefined, 'api-revision': '2026-05-20' },
    },
  },
];

/** Headers that callers send with every request: some are removed and some are passed on. */
const callersHeaders: IncomingHttpHeaders = {
  authorization: 'Bearer of-the-caller',
  'x-api-key': 'of-the-caller',
  'x-goog-api-key': 'of-the-caller',
  cookie: 'session=1',
  'x-forwarded-for': '203.0.113.9',
  'user-agent': 'some-sdk/1.0',
};

describe('an upstream of any kind', () => {
  let global: ScriptedUpstream;
  let regional: ScriptedUpstream;
  let upstream: Upstream | undefined;
  let providerReply: ProviderReply;

  beforeEach(async () => {
    const start = () =>
      startUpstream((_request, res) =>
        res
          .writeHead(200, { 'content-type': providerReply.type, 'request-id': 'of-upstream' })
          .end(providerReply.bytes),
      );
    [global, regional] = await Promise.all([start(), start()]);
  });
  afterEach(async () => {
    await upstream?.close();
    await Promise.all([global.close(), regional.close()]);
  });

  for (const row of rows) {
    for (const framing of row.framings ?? (['whole', 'events'] as const)) {
      it(`exchanges the expected bytes for ${row.title}, ${framing}`, () => check(row, framing));
    }
  }

  async function check(row: Row, framing: ReplyFraming): Promise<void> {
    const { format, model, expected } = row;
    upstream = openConfiguredUpstream({
      ...row.config,
      baseUrl: readOrigin(global) + (row.addressEnd ?? ''),
      ...('project' in row.config && { regionalUrl: readOrigin(regional) }),
    });
    assert.ok(upstream.listFormats(model).includes(format));
    providerReply = framing === 'array' ? generationArray : providerReplies[format][framing];
    // If the path does not decide, the body requests a stream.
    const isInBody = row.framings === undefined && framing !== 'whole';
    const streamed = (body: string) => (isInBody ? `${body.slice(0, -1)},"stream":true}` : body);
    const reply = await upstream.send(
      createCall({
        request: { format, ...(row.framings && { framing }) },
        body: streamed(row.body),
        model,
        servedModel: 'served',
        headers: { ...callersHeaders, ...row.headers },
      }),
    );
    assert.equal(reply.status, 200);
    assert.equal(await text(Readable.from(reply.body)), providerReply.bytes);
    assert.equal(reply.headers['content-type'], providerReply.type);
    assert.equal(reply.headers['x-upstream-request-id'], 'of-upstream');

    const [used, other] = expected.isRegional ? [regional, global] : [global, regional];
    assert.equal(other.requests.length, 0);
    assert.equal(used.requests.length, 1);
    const [request] = used.requests;
    assert.equal(request?.method, 'POST');
    const { path, streamPath = path, arrayPath = streamPath } = expected;
    assert.equal(request.path, { whole: path, events: streamPath, array: arrayPath }[framing]);
    assert.equal(request.body.toString(), streamed(expected.body));
    const always = { cookie: undefined, 'x-forwarded-for': undefined, 'user-agent': 'some-sdk/1.0' };
    for (const [name, value] of Object.entries({ ...always, ...expected.headers })) {
      assert.equal(request.headers[name], value, name);
    }
    assert.equal(request.headers['content-type'], 'application/json');
    assert.equal(request.headers['x-request-id'], 'request-of-test');
    assert.doesNotMatch(request.rawHeaders.join(), /of-the-caller/);
  }
});

function readOrigin({ baseUrl }: ScriptedUpstream): string {
  return new URL(baseUrl).origin;
}
