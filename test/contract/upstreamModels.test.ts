import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import type { Upstream } from '../../src/localGateway/upstreams/upstream.ts';
import { createCall, openConfiguredUpstream, upstreamKey } from '../support/configuredUpstream.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

const { signal } = new AbortController();

describe('the models of an upstream', () => {
  let server: ScriptedUpstream;
  let upstream: Upstream | undefined;
  /** The pages by their request target. */
  let pages: Readonly<Record<string, unknown>>;
  let headers: Readonly<Record<string, string>>;

  beforeEach(async () => {
    headers = {};
    server = await startUpstream(({ path }, res) => {
      const page = pages[path];
      res
        .writeHead(page === undefined ? 404 : 200, headers)
        .end(typeof page === 'string' || Buffer.isBuffer(page) ? page : JSON.stringify(page));
    });
  });
  afterEach(async () => {
    await upstream?.close();
    await server.close();
  });

  function open(config: object): Upstream {
    upstream = openConfiguredUpstream({ baseUrl: new URL(server.baseUrl).origin, ...config });
    return upstream;
  }

  async function listIds(config: object): Promise<readonly string[]> {
    return (await open(config).listModels(signal)).map(({ id }) => id);
  }

  it('are read from one list of an OpenAI-like API, with every field', async () => {
    const entry = { id: 'm', object: 'model', created: 5, owned_by: 'maker', unknown: { deep: [1] } };
    for (const [config, path] of [
      [{ kind: 'openai-compatible' }, '/models'],
      [{ kind: 'responses' }, '/v1/models'],
      [{ kind: 'videos' }, '/v1/models'],
      [{ kind: 'dashscope' }, '/compatible-mode/v1/models'],
      [{ kind: 'ark' }, '/api/v3/models'],
    ] as const) {
      pages = { [path]: { object: 'list', data: [entry] } };
      const [model] = await open(config).listModels(signal);
      assert.deepEqual([model?.id, model?.owner, model?.created, model?.entry], ['m', 'maker', 5, entry]);
      assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${upstreamKey}`);
      await upstream?.close();
    }
  });

  it('are read in pages with a token in content generation and interactions', async () => {
    const first = {
      name: 'models/a',
      displayName: 'A',
      inputTokenLimit: 8,
      supportedGenerationMethods: ['x'],
    };
    pages = {
      '/v1beta/models?pageSize=1000': { models: [first], nextPageToken: 't &1' },
      '/v1beta/models?pageSize=1000&pageToken=t+%261': {
        models: [{ name: 'models/b' }, first, { name: 'tunedModels/c' }],
      },
    };
    assert.deepEqual(await listIds({ kind: 'interactions' }), ['a', 'b', 'tunedModels/c']);
    const [model] = await open({ kind: 'content-generation' }).listModels(signal);
    assert.deepEqual(model?.entry, first);
    assert.equal(model.name, 'A');
    assert.equal(server.requests.at(-1)?.headers['x-goog-api-key'], upstreamKey);
  });

  it('are read in pages after the last id in messages', async () => {
    const entry = {
      type: 'model',
      id: 'a',
      display_name: 'A',
      created_at: '2025-01-01T00:00:00Z',
      unknown: 1,
    };
    pages = {
      '/v1/models?limit=1000': { data: [entry], has_more: true, first_id: 'a', last_id: 'a' },
      '/v1/models?limit=1000&after_id=a': {
        data: [{ type: 'model', id: 'b' }],
        has_more: false,
        last_id: 'b',
      },
    };
    const models = await open({ kind: 'messages' }).listModels(signal);
    assert.deepEqual(
      models.map(({ id }) => id),
      ['a', 'b'],
    );
    assert.deepEqual(models[0]?.entry, entry);
    for (const { headers } of server.requests) {
      assert.equal(headers['x-api-key'], upstreamKey);
      assert.equal(headers['anthropic-version'], '2023-06-01');
    }
  });

  it('are read for each publisher on the cloud platform', async () => {
    const entry = { name: 'publishers/google/models/gem-1', versionId: 'default' };
    pages = {
      '/v1beta1/publishers/google/models?pageSize=100': { publisherModels: [entry], nextPageToken: '2' },
      '/v1beta1/publishers/google/models?pageSize=100&pageToken=2': { publisherModels: [] },
      '/v1beta1/publishers/anthropic/models?pageSize=100': {
        publisherModels: [{ name: 'publishers/anthropic/models/claude-1' }],
      },
    };
    const cloud = { kind: 'cloud-platform', project: 'p', location: 'global' };
    assert.deepEqual(await listIds(cloud), ['google/gem-1', 'anthropic/claude-1']);
    const [model] = (await upstream?.listModels(signal)) ?? [];
    assert.deepEqual([model?.name, model?.owner, model?.entry?.versionId], ['gem-1', 'google', 'default']);
    assert.deepEqual(upstream?.listFormats('google/gem-1'), ['contentGeneration', 'chatCompletions']);
    assert.deepEqual(upstream?.listFormats('anthropic/claude-1'), ['messages']);
    assert.deepEqual(upstream?.listFormats('meta/llama-1'), ['chatCompletions']);
  });

  it('are taken from the configuration without a request', async () => {
    assert.deepEqual(await listIds({ kind: 'messages', models: ['x', 'y'] }), ['x', 'y']);
    assert.equal(server.requests.length, 0);
  });

  it('F27 F42 F60 are read even if the list is compressed although this was not requested, has a byte order mark or is deeply nested', async () => {
    const list = (deep: string) => `{"data":[{"id":"a","deep":${deep}},{"id":"b"}]}`;
    const nested = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const page of [list('1'), `\ufeff${list('1')}`, list(nested), list(nested).slice(8, -1)]) {
      pages = { '/models': page };
      const models = await open({ kind: 'openai-compatible' }).listModels(signal);
      assert.deepEqual(
        models.map(({ id }) => id),
        ['a', 'b'],
      );
      JSON.stringify(models);
    }
    headers = { 'content-encoding': 'gzip' };
    pages = { '/models': gzipSync(list('1')) };
    assert.deepEqual(await listIds({ kind: 'openai-compatible' }), ['a', 'b']);
    pages = { '/models': gzipSync(list('1')).subarray(0, -9) };
    await assert.rejects(listIds({ kind: 'openai-compatible' }), { code: 'upstream_model_list' });
  });

  it('P3 do not reveal the key if an upstream repeats it', async () => {
    const base64 = Buffer.from(`key=${upstreamKey}`).toString('base64');
    pages = { '/models': { data: [{ id: `m-${upstreamKey}`, name: base64, made_for: upstreamKey }] } };
    const models = await open({ kind: 'openai-compatible' }).listModels(signal);
    assert.equal(models.length, 1);
    assert.doesNotMatch(JSON.stringify(models), /canary|upstream-key/);
    assert.ok(!JSON.stringify(models).includes(base64));
  });

  it('F42 are an error that names the limit if the list is larger than 8 MiB', async () => {
    pages = { '/models': JSON.stringify({ data: [{ id: 'm', note: 'x'.repeat(8 * 1024 * 1024) }] }) };
    await assert.rejects(listIds({ kind: 'openai-compatible' }), /is larger than 8 MiB\. List its models/);
  });

  it('end where pages repeat, and are an error if a page is not a list', async () => {
    pages = {
      '/v1/models?limit=1000': { data: [{ id: 'a' }], has_more: true, last_id: 'a' },
      '/v1/models?limit=1000&after_id=a': { data: [{ id: 'b' }], has_more: true, last_id: 'a' },
    };
    assert.deepEqual(await listIds({ kind: 'messages' }), ['a', 'b']);
    assert.equal(server.requests.length, 2);
    const large = `{"data":[],"x":"${'x'.repeat(9e6)}"}`;
    for (const page of [large, '<html>', '', '"text"', '{"models":{}}', undefined]) {
      pages = { '/models': page };
      await assert.rejects(
        open({ kind: 'openai-compatible' }).listModels(signal),
        (error) => error instanceof HttpError && error.code === 'upstream_model_list',
      );
    }
  });
});

describe('the token count of a request at an upstream', () => {
  const cloud = { kind: 'cloud-platform', project: 'p', location: 'global' };
  const body = '{"model":"served","messages":[]}';
  const rows = [
    ['messages', { kind: 'messages' }, '/v1/messages/count_tokens', '{"model":"m","messages":[]}'],
    ['responses', { kind: 'responses' }, '/v1/responses/input_tokens', '{"model":"m","messages":[]}'],
    ['contentGeneration', { kind: 'content-generation' }, '/v1beta/models/m:countTokens', body],
    [
      'contentGeneration',
      cloud,
      '/v1/projects/p/locations/global/publishers/google/models/m:countTokens',
      body,
    ],
    [
      'messages',
      { ...cloud, partners: ['google'] },
      '/v1/projects/p/locations/global/publishers/google/models/count-tokens:rawPredict',
      '{"anthropic_version":"vertex-2023-10-16","model":"m","messages":[]}',
    ],
  ] as const;

  for (const [format, config, path, expected] of rows) {
    it(`is requested from the upstream: ${format} of ${config.kind}`, async () => {
      const server = await startUpstream((_request, res) => res.end('{"input_tokens":3}'));
      const upstream = openConfiguredUpstream({ ...config, baseUrl: new URL(server.baseUrl).origin });
      try {
        const framing = format === 'contentGeneration' ? ({ framing: 'whole' } as const) : {};
        const sent = format === 'contentGeneration' ? body.replace('served', 'm') : body;
        const call = { request: { format, ...framing }, body: sent, model: 'm', servedModel: 'served' };
        const reply = await upstream.sendCount?.(createCall(call));
        assert.equal(reply?.status, 200);
        assert.equal(server.requests[0]?.path, path);
        assert.equal(String(server.requests[0]?.body), expected.replace('served', 'm'));
      } finally {
        await upstream.close();
        await server.close();
      }
    });
  }

  it('is requested from the cloud platform for the inner request, without its wrapper', async () => {
    const server = await startUpstream((_request, res) => res.end('{"totalTokens":3}'));
    const upstream = openConfiguredUpstream({ ...cloud, baseUrl: new URL(server.baseUrl).origin });
    try {
      const contents = [{ parts: [{ text: 'Hi' }] }];
      const body = { generateContentRequest: { model: 'models/m', contents } };
      await upstream.sendCount?.(createCall({ request: { format: 'contentGeneration' }, body, model: 'm' }));
      assert.deepEqual(JSON.parse(String(server.requests[0]?.body)), { contents });
    } finally {
      await upstream.close();
      await server.close();
    }
  });

  it('is an error if the format has no route for it', async () => {
    const upstream = openConfiguredUpstream({ kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' });
    const call = createCall({ request: { format: 'chatCompletions' }, model: 'm' });
    await assert.rejects(async () => upstream.sendCount?.(call), /tokens of "m" cannot be counted/);
    await upstream.close();
  });
});
