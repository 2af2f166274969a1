import assert from 'node:assert/strict';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { catchFailure } from '../support/faultServerCalls.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import {
  createClient,
  createVideoInteraction,
  createVideoSynthesis,
  hasEnded,
  readUntil,
  sendCall,
} from '../support/gatewayTaskCalls.ts';

const quick = 'A cat, queue for 0 seconds, take 0.1 seconds';
const synthesisPath = '/api/v1/services/aigc/video-generation/video-synthesis';
const asynchronous = { 'x-vendor-async': 'enable' };

describe('the tasks of the local gateway', function () {
  this.timeout(30_000);
  let gateway: RunningGateway;
  let client: GatewayClient;

  before(async () => {
    gateway = await startGateway();
    client = createClient(gateway);
  });
  after(async () => {
    await client.close();
    await gateway.stop();
  });

  const creations: Readonly<
    Record<string, (prompt: string, key?: string) => Promise<{ readonly id: string; rawStatus?: string }>>
  > = {
    interactions: (prompt) => client.startInteraction(createVideoInteraction(prompt)),
    'native video synthesis': (prompt) => client.videoSynthesis(createVideoSynthesis(prompt)),
  };

  for (const [route, create] of Object.entries(creations)) {
    it(`T7 are created by ${route}, return an id at once, and can be read until they end`, async () => {
      const waiting = await create('A cat, queue for 60 seconds');
      assert.match(waiting.id, /^[A-Za-z0-9_-]{1,128}$/);
      assert.ok(waiting.rawStatus === 'in_progress' || waiting.rawStatus === 'PENDING', waiting.rawStatus);
      const first = await client.readTask(waiting.id);
      assert.deepEqual([first.status, first.rawStatus, first.progress], ['running', 'queued', 0]);
      await client.cancelTask(waiting.id);

      const { id } = await create(quick);
      const { status, rawStatus, results } = await readUntil(client, id, hasEnded);
      assert.deepEqual([status, rawStatus, results.length], ['completed', 'completed', 1]);
      const [result] = results;
      assert.equal(result?.url, `${gateway.baseUrl}/v1/tasks/${id}/content`);
      const video = (await sendCall(gateway, { path: result?.url ?? '' })).bytes;
      assert.equal(video.subarray(4, 8).toString(), 'ftyp');
    });
  }

  it('return the same id in both fields of a creation reply', async () => {
    const body = createVideoSynthesis('A cat');
    for (const name of ['x-vendor-async', 'X-DashScope-Async']) {
      const { json, headers } = await sendCall(gateway, {
        path: synthesisPath,
        body,
        headers: { [name]: 'enable' },
      });
      assert.equal(json.id, json.output.task_id);
      assert.equal(json.output.task_status, 'PENDING');
      assert.equal(json.request_id, headers.get('x-request-id'));
    }
  });

  it('are not created by a video synthesis without the header for asynchronous work', async () => {
    const body = createVideoSynthesis(quick);
    const before = await client.listTasks(1);
    for (const headers of [undefined, { 'x-vendor-async': 'disable' }]) {
      const reply = await sendCall(gateway, { path: synthesisPath, body, headers });
      const request_id = reply.headers.get('x-request-id');
      assert.equal(reply.status, 403);
      const message = 'This route makes videos only asynchronously. Send the header X-Vendor-Async: enable.';
      assert.deepEqual(reply.json, { code: 'AccessDenied', message, request_id });
    }
    assert.equal((await client.listTasks(1))[0]?.id, before[0]?.id);
  });

  it('contain the id of the request that created them', async () => {
    const { id } = await client.startInteraction(createVideoInteraction(quick), { requestId: 'the-request' });
    const { raw } = await client.readTask(id);
    assert.equal((raw as { request_id: string }).request_id, 'the-request');
  });

  it('return the video itself to a waiting request', async () => {
    const events: ChatEvent[] = [];
    const { outcome, id = '' } = await client.interactions(
      createVideoInteraction(quick, { response_format: [{ type: 'video', aspect_ratio: '9:16' }] }),
      (some) => events.push(...some),
    );
    assert.deepEqual(outcome, { kind: 'complete' });
    const media = events.find((event) => event.type === 'media');
    const { results } = await client.readTask(id);
    const { bytes } = await sendCall(gateway, { path: results[0]?.url ?? '' });
    assert.equal(media?.mimeType, 'video/mp4');
    assert.ok(Buffer.from(media?.data ?? '', 'base64').equals(bytes));
  });

  it('return a link to the video on request, and are not stored on request', async () => {
    const delivered: ChatEvent[] = [];
    const format = { type: 'video', delivery: 'uri' };
    const stored = await client.interactions(
      createVideoInteraction(quick, { response_format: format }),
      (some) => delivered.push(...some),
    );
    const link = delivered.find((event) => event.type === 'mediaLink');
    assert.equal(link?.url, `${gateway.baseUrl}/v1/tasks/${stored.id}/content`);

    const before = await client.listTasks(1);
    const { outcome, id } = await client.interactions(
      createVideoInteraction(quick, { store: false }),
      () => {},
    );
    assert.deepEqual([outcome.kind, id], ['complete', undefined]);
    assert.equal((await client.listTasks(1))[0]?.id, before[0]?.id);
  });

  it('continue when a waiting caller disconnects, and end the wait when they are cancelled', async () => {
    const caller = new AbortController();
    const aborted = client.interactions(createVideoInteraction('the first, never finish'), () => {}, {
      signal: caller.signal,
    });
    const waitForPrompt = async (prompt: string) => {
      for (;;) {
        const found = await client.listTasks(5);
        const task = found.find(({ raw }) => (raw as { prompt: string }).prompt === prompt);
        if (task?.id) return task.id;
      }
    };
    const first = await waitForPrompt('the first, never finish');
    caller.abort();
    assert.equal((await aborted).outcome.kind, 'cancelled');
    assert.equal((await client.readTask(first)).status, 'running');

    const waiting = client.interactions(createVideoInteraction('the second, never finish'), () => {});
    await client.cancelTask(await waitForPrompt('the second, never finish'));
    assert.equal((await waiting).outcome.kind, 'cancelled');
    await client.cancelTask(first);
  });

  it('are listed newest first, in pages of 20 by default', async () => {
    const createdIds: string[] = [];
    for (let i = 0; i < 25; i++)
      createdIds.push((await client.videoSynthesis(createVideoSynthesis(quick))).id);
    const newest = createdIds.toReversed();
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

    const { json: first } = await sendCall(gateway, { path: '/v1/tasks' });
    assert.deepEqual([first.object, first.has_more], ['list', true]);
    assert.deepEqual(ids(first), newest.slice(0, 20));
    const next = `/v1/tasks?limit=5&cursor=${first.next_cursor}`;
    const { json: second } = await sendCall(gateway, { path: next });
    assert.deepEqual(ids(second), newest.slice(20));

    const listed = await client.listTasks(23);
    assert.deepEqual(
      listed.map(({ id }) => id),
      newest.slice(0, 23),
    );
  });

  it('are listed at most 100 at a time, and a client that follows the pages gets all', async () => {
    const creations = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 25; i++) await client.videoSynthesis(createVideoSynthesis(quick));
    });
    await Promise.all(creations);
    const { json: page } = await sendCall(gateway, { path: '/v1/tasks?limit=1000' });
    assert.deepEqual([page.data.length, page.has_more], [100, true]);
    const all = await client.listTasks(1_000);
    assert.ok(all.length > 100);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });

  it('are listed by state', async () => {
    const { id: endless } = await client.startInteraction(createVideoInteraction('never finish, queue 0 s'));
    const { id: failed } = await client.startInteraction(createVideoInteraction(`fail. ${quick}`));
    const { id: queued } = await client.startInteraction(createVideoInteraction('queue for 60 seconds'));
    await readUntil(client, failed, hasEnded);
    const listed = async (status: string) => {
      const { json } = await sendCall(gateway, { path: `/v1/tasks?limit=100&status=${status}` });
      const data: readonly { readonly id: string; readonly status: string }[] = json.data;
      return { ids: data.map(({ id }) => id), words: new Set(data.map((task) => task.status)) };
    };
    for (const [status, id] of [
      ['running', endless],
      ['failed', failed],
      ['queued', queued],
    ] as const) {
      const { ids, words } = await listed(status);
      assert.ok(ids.includes(id), status);
      assert.deepEqual(words, new Set([status]));
    }
    assert.deepEqual((await listed('completed')).words, new Set(['completed']));
    for (const id of [endless, queued]) await client.cancelTask(id);
    const words = new Set(['cancelled', 'failed']);
    assert.deepEqual((await listed('failed,cancelled')).words, words);
  });

  const wrong: readonly (readonly [query: string, pattern: RegExp])[] = [
    ['limit=0', /^limit: expected a whole number from 1 up/],
    ['limit=-1', /^limit: /],
    ['limit=1.5', /^limit: /],
    ['limit=many', /^limit: /],
    ['limit=', /^limit: /],
    ['limit=1&limit=2', /^limit: /],
    ['cursor=x', /^cursor: expected the next_cursor of a page/],
    ['cursor=-5', /^cursor: /],
    ['status=done', /^status: expected queued, running, completed, failed, cancelled/],
    ['status=', /^status: /],
    ['status=failed,done', /^status: /],
    ['status=failed&status=completed', /^status: /],
  ];
  for (const [query, pattern] of wrong) {
    it(`are not listed for ${query}, and the error names the field`, async () => {
      const { status, json } = await sendCall(gateway, { path: `/v1/tasks?${query}` });
      assert.equal(status, 400);
      assert.match(json.error.message, pattern);
      assert.equal(json.error.param, query.split('=')[0]);
    });
  }

  it('are cancelled while they run; afterwards, cancelling has no effect', async () => {
    const { id } = await client.startInteraction(createVideoInteraction('never finish'));
    const cancelled = await client.cancelTask(id);
    assert.deepEqual([cancelled?.status, cancelled?.failedAs], ['failed', 'cancelled']);
    const again = await client.cancelTask(id);
    assert.deepEqual(again?.raw, cancelled?.raw);

    const { id: done } = await client.startInteraction(createVideoInteraction(quick));
    const completed = await readUntil(client, done, hasEnded);
    assert.deepEqual((await client.cancelTask(done))?.raw, completed.raw);
  });

  it('can be deleted only after they have ended, and are then not found', async () => {
    const { id } = await client.startInteraction(createVideoInteraction('never finish'));
    const refused = await catchFailure(client.deleteTask(id));
    assert.equal(refused.status, 409);
    assert.match(refused.gatewayMessage ?? '', /has not ended. Cancel it first/);
    assert.equal((await client.readTask(id)).status, 'running');

    await client.cancelTask(id);
    await client.deleteTask(id);
    assert.equal((await catchFailure(client.readTask(id))).status, 404);
    assert.equal((await catchFailure(client.cancelTask(id))).status, 404);
    await client.deleteTask(id);
    assert.equal((await sendCall(gateway, { path: `/v1/tasks/${id}/content` })).status, 404);
  });

  it('return their id after they were deleted', async () => {
    const { id } = await client.startInteraction(createVideoInteraction(quick));
    await readUntil(client, id, hasEnded);
    const { json } = await sendCall(gateway, { method: 'DELETE', path: `/v1/tasks/${id}` });
    assert.deepEqual(json, { id, object: 'task.deleted', deleted: true });
  });

  it('T7 are not found by an unknown or hostile id', async () => {
    const ids = [
      'task_none',
      'a?b',
      'a#b',
      '%00',
      'x'.repeat(10_000),
      "' OR 1=1 --",
      '//evil',
      'http://evil',
    ];
    for (const id of ids) {
      const { status } = await sendCall(gateway, { path: `/v1/tasks/${encodeURIComponent(id)}` });
      assert.equal(status, 404, id);
    }
  });

  it('F69 are created once per Idempotency-Key, even if it is sent several times', async () => {
    const send = (body: object, key: string) =>
      sendCall(gateway, { path: synthesisPath, body, headers: { ...asynchronous, 'idempotency-key': key } });
    const body = createVideoSynthesis(quick);
    const replies = await Promise.all(Array.from({ length: 4 }, () => send(body, 'one')));
    const ids = new Set(replies.map(({ json }) => json.id));
    assert.equal(ids.size, 1);
    const [id] = ids;

    await readUntil(client, id, hasEnded);
    const { json: late } = await send(body, 'one');
    assert.deepEqual([late.id, late.output.task_status], [id, 'SUCCEEDED']);

    const other = await send(createVideoSynthesis('A dog'), 'one');
    assert.equal(other.status, 422);
    assert.match(other.json.message, /^Idempotency-Key: this value was already used for another request/);
    assert.notEqual((await send(body, 'two')).json.id, id);
    assert.equal((await send(body, 'a key with spaces')).status, 400);
  });

  it('F69 are returned for the same key after a lost reply', async () => {
    const send = () =>
      sendCall(gateway, {
        path: '/v1beta/interactions',
        body: createVideoInteraction(`lose the answer. ${quick}`, { background: true }),
        headers: { 'idempotency-key': 'lost' },
      });
    const before = await client.listTasks(1);
    await assert.rejects(send());
    const [created] = await client.listTasks(1);
    assert.notEqual(created?.id, before[0]?.id);
    assert.equal((await send()).json.id, created?.id);
    assert.equal((await client.listTasks(1))[0]?.id, created?.id);
  });

  describe('are not created', () => {
    const refused: readonly (readonly [what: string, path: string, body: object, pattern: RegExp])[] = [
      [
        'with a model that makes no videos',
        '/v1beta/interactions',
        createVideoInteraction(quick, { model: 'demo/chat' }),
        /"demo\/chat" cannot make videos. Use demo\/video\./,
      ],
      [
        'with a model that makes no videos, by native synthesis',
        synthesisPath,
        { ...createVideoSynthesis(quick), model: 'demo/reasoning' },
        /"demo\/reasoning" cannot make videos/,
      ],
      [
        'for a chat with a model that makes videos',
        '/v1/chat/completions',
        { model: 'demo/video', messages: [{ role: 'user', content: 'hello' }] },
        /demo\/video makes videos and cannot write text.*use demo\/chat/,
      ],
      [
        'for an interaction without a video format',
        '/v1beta/interactions',
        { model: 'demo/video', input: 'A cat', background: true },
        /demo\/video makes videos and cannot write text/,
      ],
      [
        'in the background without being stored',
        '/v1beta/interactions',
        createVideoInteraction(quick, { background: true, store: false }),
        /^store: /,
      ],
      [
        'with other outputs besides the video',
        '/v1beta/interactions',
        createVideoInteraction(quick, { response_format: [{ type: 'video' }, { type: 'text' }] }),
        /^response_format: /,
      ],
      [
        'as a stream',
        '/v1beta/interactions',
        createVideoInteraction(quick, { stream: true }),
        /^stream: a video cannot be streamed/,
      ],
      [
        'with an invalid size',
        synthesisPath,
        createVideoSynthesis(quick, { size: '720p' }),
        /^parameters\.size: must be width\*height/,
      ],
    ];
    for (const [what, path, body, pattern] of refused) {
      it(what, async () => {
        const before = await client.listTasks(1);
        const { status, json } = await sendCall(gateway, { path, body, headers: asynchronous });
        assert.equal(status, 400);
        assert.match(json.error?.message ?? json.message, pattern);
        assert.equal((await client.listTasks(1))[0]?.id, before[0]?.id);
      });
    }
  });
});
