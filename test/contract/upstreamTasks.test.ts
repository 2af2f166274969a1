import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HttpError } from '../../src/localGateway/http/httpError.ts';
import type { Upstream, UpstreamReply, UpstreamTaskApi } from '../../src/localGateway/upstreams/upstream.ts';
import type { TaskFormat } from '../../src/wire/apis/taskRecordFormats.ts';
import { createCall, openConfiguredUpstream, upstreamKey } from '../support/configuredUpstream.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

type Operation = Exclude<keyof UpstreamTaskApi, 'cancelsQueuedOnly' | 'cancelDeletesEnded'>;

interface Row {
  readonly config: object;
  readonly format: TaskFormat;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  /** The request of each operation; null if it is not supported. */
  readonly paths: Readonly<Record<Operation, string | null>>;
}

const bearer = { authorization: `Bearer ${upstreamKey}` };

const rows: readonly Row[] = [
  {
    config: { kind: 'responses' },
    format: 'responses',
    body: { model: 'served', input: 'hi', background: true },
    headers: bearer,
    paths: {
      create: 'POST /v1/responses',
      remix: null,
      read: 'GET /v1/responses/a%2Fb?include=x',
      cancel: 'POST /v1/responses/a%2Fb/cancel?include=x',
      remove: 'DELETE /v1/responses/a%2Fb?include=x',
      readContent: null,
      listInputItems: 'GET /v1/responses/a%2Fb/input_items?include=x',
    },
  },
  {
    config: { kind: 'interactions' },
    format: 'interactions',
    body: { model: 'served', input: 'hi', background: true },
    headers: { 'x-goog-api-key': upstreamKey },
    paths: {
      create: 'POST /v1beta/interactions',
      remix: null,
      read: 'GET /v1beta/interactions/a%2Fb?include=x',
      cancel: 'POST /v1beta/interactions/a%2Fb/cancel?include=x',
      remove: 'DELETE /v1beta/interactions/a%2Fb?include=x',
      readContent: null,
      listInputItems: null,
    },
  },
  {
    config: { kind: 'dashscope' },
    format: 'videoSynthesis',
    body: { model: 'served', input: { prompt: 'hi' }, parameters: { size: '1*1' } },
    headers: bearer,
    paths: {
      create: 'POST /api/v1/services/aigc/video-generation/video-synthesis',
      remix: null,
      read: 'GET /api/v1/tasks/a%2Fb?include=x',
      cancel: 'POST /api/v1/tasks/a%2Fb/cancel?include=x',
      remove: null,
      readContent: null,
      listInputItems: null,
    },
  },
  {
    config: { kind: 'content-generation' },
    format: 'longRunningVideos',
    body: { instances: [{ prompt: 'hi' }] },
    headers: { 'x-goog-api-key': upstreamKey },
    paths: {
      create: 'POST /v1beta/models/m:predictLongRunning',
      remix: null,
      read: 'GET /v1beta/a%2Fb?include=x',
      cancel: null,
      remove: null,
      readContent: null,
      listInputItems: null,
    },
  },
  {
    config: { kind: 'openai-compatible', videoGenerations: true },
    format: 'videoGenerations',
    body: { model: 'served', prompt: 'hi' },
    headers: bearer,
    paths: {
      create: 'POST /video/generations',
      remix: null,
      read: 'GET /video/generations/a%2Fb?include=x',
      cancel: null,
      remove: null,
      readContent: 'GET /videos/a%2Fb/content?include=x',
      listInputItems: null,
    },
  },
  {
    config: { kind: 'ark' },
    format: 'contentTasks',
    body: { model: 'served', content: [] },
    headers: bearer,
    paths: {
      create: 'POST /api/v3/contents/generations/tasks',
      remix: null,
      read: 'GET /api/v3/contents/generations/tasks/a%2Fb?include=x',
      cancel: 'DELETE /api/v3/contents/generations/tasks/a%2Fb?include=x',
      remove: 'DELETE /api/v3/contents/generations/tasks/a%2Fb?include=x',
      readContent: null,
      listInputItems: null,
    },
  },
  {
    config: { kind: 'videos' },
    format: 'videos',
    body: { model: 'served', prompt: 'hi' },
    headers: bearer,
    paths: {
      create: 'POST /v1/videos',
      remix: 'POST /v1/videos/a%2Fb/remix',
      read: 'GET /v1/videos/a%2Fb?include=x',
      cancel: null,
      remove: 'DELETE /v1/videos/a%2Fb?include=x',
      readContent: 'GET /v1/videos/a%2Fb/content?include=x',
      listInputItems: null,
    },
  },
];

describe('tasks at an upstream', () => {
  let server: ScriptedUpstream;
  let upstream: Upstream;

  afterEach(async () => {
    await upstream.close();
    await server.close();
  });

  async function start(config: object, status = 200, body = '{"id":"a/b"}'): Promise<void> {
    server = await startUpstream((_request, res) => res.writeHead(status).end(body));
    upstream = openConfiguredUpstream({ ...config, baseUrl: new URL(server.baseUrl).origin });
  }

  const about = (task: string) => ({
    task,
    headers: {},
    query: 'include=x&key=of-the-caller',
    requestId: 'r',
    signal: new AbortController().signal,
  });

  for (const { config, format, body, headers, paths } of rows) {
    it(`are created, read, cancelled and deleted by the requests of its API: ${format}`, async () => {
      await start(config);
      const tasks = upstream.tasks[format];
      assert.ok(tasks);
      const making = createCall({
        request: { format: 'responses' },
        body,
        model: 'm',
        servedModel: 'served',
      });
      const replies: UpstreamReply[] = [await tasks.create(making)];
      const remixed = await tasks.remix?.({ ...making, task: 'a/b' });
      if (remixed) replies.push(remixed);
      assert.equal(remixed === undefined, paths.remix === null);
      for (const operation of ['read', 'cancel', 'remove', 'readContent', 'listInputItems'] as const) {
        const reply: UpstreamReply | undefined = await tasks[operation]?.(about('a/b'));
        if (reply) replies.push(reply);
        assert.equal(reply === undefined, paths[operation] === null, operation);
      }
      for (const reply of replies) assert.equal(await text(Readable.from(reply.body)), '{"id":"a/b"}');
      assert.deepEqual(
        server.requests.map(({ method, path }) => `${method} ${path}`),
        Object.values(paths).filter((each) => each !== null),
      );
      const expected = 'model' in body ? { ...body, model: 'm' } : body;
      assert.deepEqual(JSON.parse(String(server.requests[0]?.body)), expected);
      const async = server.requests[0]?.headers['x-dashscope-async'];
      assert.equal(async, format === 'videoSynthesis' ? 'enable' : undefined);
      for (const request of server.requests) {
        for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name], value);
      }
    });
  }

  it('are available for the formats that the configuration names', async () => {
    await start({ kind: 'openai-compatible', formats: ['chatCompletions', 'responses'], videos: true });
    assert.deepEqual(Object.keys(upstream.tasks), ['responses', 'videos']);
    await upstream.close();
    upstream = openConfiguredUpstream({ kind: 'openai-compatible', baseUrl: server.baseUrl });
    assert.deepEqual(Object.keys(upstream.tasks), []);
    await upstream.close();
    upstream = openConfiguredUpstream({
      kind: 'content-generation',
      interactions: true,
      baseUrl: server.baseUrl,
    });
    assert.deepEqual(Object.keys(upstream.tasks), ['interactions', 'longRunningVideos']);
    assert.deepEqual(upstream.listFormats('m'), ['contentGeneration', 'interactions']);
  });

  it('can have replies without a body and with any status', async () => {
    await start({ kind: 'videos' }, 204, '');
    assert.equal((await upstream.tasks.videos?.remove?.(about('a')))?.status, 204);
    await upstream.close();
    await server.close();
    await start({ kind: 'videos' }, 404, '{"error":{}}');
    assert.equal((await upstream.tasks.videos?.read(about('a')))?.status, 404);
  });

  it('are not requested by an id that is a folder or too long for a path', async () => {
    await start({ kind: 'videos' });
    for (const task of ['', '.', '..', 'x'.repeat(9_000)]) {
      await assert.rejects(async () => upstream.tasks.videos?.read(about(task)), HttpError);
    }
    assert.equal(server.requests.length, 0);
  });
});
