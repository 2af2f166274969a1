import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  arkTasks,
  type ConvertedVideoKind,
  clip,
  convertedVideoKinds,
  createStrictReply,
  createVideoRequests,
  geminiVideos,
  newApiVideos,
  picture,
  type StrictState,
  secretUpstreamKey,
} from '../support/convertedVideoKinds.ts';
import { sendCall as callGateway, type ReadReply, type SentCall } from '../support/gatewayTaskCalls.ts';
import { startUpstream, type UpstreamRequest } from '../support/scriptedUpstream.ts';
import { UpstreamTasks } from '../support/upstreamTasks.ts';

interface LimitedKind extends ConvertedVideoKind {
  readonly limits?: readonly object[];
}

describe('videos of upstreams whose formats no caller uses', function () {
  this.timeout(60_000);
  const tasks = new UpstreamTasks();
  beforeEach(() => tasks.begin());
  afterEach(() => tasks.end());
  const { readUntilStatus, countSent } = tasks;
  let state: StrictState;

  /** Starts an upstream that replies only to the requests of its API. */
  async function start(
    kind: LimitedKind,
    others: (request: UpstreamRequest) => ReturnType<typeof createStrictReply> = () => undefined,
  ): Promise<void> {
    state = { body: kind.withoutPicture, created: [200, kind.created], record: [200, kind.running] };
    tasks.reply = (request, res) => others(request) ?? createStrictReply(kind, state, request, res);
    await tasks.start(kind);
  }

  /** Calls the gateway, whose replies must never contain the key of the upstream. */
  async function call(request: SentCall): Promise<ReadReply> {
    const headers = { 'x-vendor-async': 'enable', ...request.headers };
    const reply = await callGateway(tasks.gateway, { ...request, headers });
    const text = reply.bytes.toString() + JSON.stringify([...reply.headers]);
    assert.ok(!text.includes(secretUpstreamKey), 'the key is in a reply');
    return reply;
  }

  const createRequest = (kind: ConvertedVideoKind, format = 'videos') => {
    const found = createVideoRequests(kind.model).find((each) => each.format === format);
    assert.ok(found);
    return { ...found, body: found.withoutPicture };
  };

  async function createTask(kind: ConvertedVideoKind): Promise<string> {
    const { status, json } = await call(createRequest(kind));
    assert.equal(status, 200, JSON.stringify(json));
    return json.id;
  }

  for (const kind of convertedVideoKinds) {
    describe(`(${kind.name})`, () => {
      it('P3 are requested on all routes by one request in the format of the upstream, with its key', async () => {
        await start(kind);
        for (const { format, path, withoutPicture, withPicture, read } of createVideoRequests(kind.model)) {
          for (const [body, expected] of [
            [withoutPicture, kind.withoutPicture],
            [withPicture, kind.withPicture],
          ] as const) {
            state.body = expected;
            const before = countSent('POST', kind.create);
            const created = await call({ path, body });
            assert.equal(created.status, 200, JSON.stringify(created.json));
            assert.equal(created.headers.get('x-gateway-conversion'), `${format}->${kind.format}`);
            assert.equal(created.headers.get('x-gateway-dropped'), null);
            assert.match(created.json.id, /^task_/);
            assert.equal(countSent('POST', kind.create), before + 1);
            const shown = await call({ path: read(created.json.id) });
            assert.equal(shown.json.id ?? shown.json.output.task_id, created.json.id);
          }
        }
        const { json } = await call({ path: '/v1/videos' });
        assert.equal(json.data.length, 6);
      });

      it('complete with a result that the gateway serves, after a restart in the middle', async () => {
        await start(kind);
        const id = await createTask(kind);
        const running = await readUntilStatus(id, 'running');
        assert.equal(running.upstream_id, kind.id);
        assert.equal(running.prompt, 'A cat');
        const ended = once(tasks.gateway.process, 'exit');
        tasks.gateway.process.kill('SIGKILL');
        await ended;
        const { origin } = new URL(tasks.upstream.baseUrl);
        state.record = [200, kind.completed(origin)];
        await tasks.restart(kind);
        const { results } = await readUntilStatus(id, 'completed');
        const url = `${tasks.gateway.baseUrl}/v1/tasks/${id}/content`;
        assert.deepEqual(
          results.map((result: { readonly url: string }) => result.url),
          [url],
        );
        const shown = await Promise.all(
          createVideoRequests(kind.model).map(async ({ read }) => (await call({ path: read(id) })).json),
        );
        const [interaction, synthesis, video] = shown;
        assert.equal(interaction.steps[0].content[0].uri, url);
        assert.deepEqual([synthesis.output.task_status, synthesis.output.video_url], ['SUCCEEDED', url]);
        assert.deepEqual([video.status, video.progress], ['completed', 100]);
        for (const path of [url, `/v1/videos/${id}/content`]) {
          const content = await call({ path });
          assert.deepEqual(content.bytes, clip);
          assert.equal(content.headers.get('content-type'), 'video/mp4');
        }
        assert.equal(countSent('POST', kind.create), 1);
      });

      it('fail with the error of the upstream', async () => {
        await start(kind);
        const id = await createTask(kind);
        state.record = [200, kind.failed];
        const { error } = await readUntilStatus(id, 'failed');
        assert.deepEqual(error, kind.failure);
        const { json } = await call({ path: `/v1/videos/${id}` });
        assert.deepEqual([json.status, json.error], ['failed', kind.failure]);
      });

      it('are unknown after a lost reply, and are not sent again', async () => {
        await start(kind);
        state.created = 'lost';
        const headers = { 'idempotency-key': 'once' };
        const lost = await call({ ...createRequest(kind), headers });
        assert.deepEqual([lost.status, lost.headers.get('x-should-retry')], [502, 'false']);
        const { json } = await tasks.read(lost.headers.get('x-gateway-task') ?? '');
        assert.deepEqual([json.status, json.error.code], ['unknown', 'outcome_unknown']);
        assert.equal((await call({ ...createRequest(kind), headers })).status, 409);
        assert.equal(countSent('POST', kind.create), 1);
      });

      it('are the same task for a repeated request', async () => {
        await start(kind);
        const headers = { 'idempotency-key': 'once' };
        for (const { path, withoutPicture } of createVideoRequests(kind.model)) {
          const key = { 'idempotency-key': `once-${path}` };
          const [first, second] = [
            await call({ path, body: withoutPicture, headers: key }),
            await call({ path, body: withoutPicture, headers: key }),
          ];
          assert.equal(first?.json.id, second?.json.id);
        }
        assert.equal(countSent('POST', kind.create), 3);
        await call({ ...createRequest(kind), headers });
        const other = await call({ ...createRequest(kind, 'interactions'), headers });
        assert.equal(other.status, 422);
      });

      it('F30 are refused in the format of the caller, with the code and the retry time', async () => {
        await start(kind);
        const refusal = { error: { code: 'RateLimitExceeded', message: 'Slow down.', status: 'X' } };
        state.created = [429, refusal, { 'retry-after': '7' }];
        const first = await call(createRequest(kind));
        assert.deepEqual(
          [first.status, first.headers.get('retry-after'), first.json.error.code, first.json.error.message],
          [429, '7', 'RateLimitExceeded', 'Slow down.'],
        );
        assert.deepEqual((await call({ path: '/v1/tasks' })).json.data, []);
      });

      it('P17 are counted by their length for spending limits, and name the key in the log', async () => {
        const { keyEnv, ...config } = kind.config;
        const prices = [{ models: kind.model, perSecond: 0.5 }];
        const keys = [{ name: 'first', keyEnv }, { keyEnv: 'NOT_SET' }];
        await start({ ...kind, config: { ...config, keys, prices }, limits: [{ per: 'day', money: 8 }] });
        const routes = [...createVideoRequests(kind.model), ...createVideoRequests(kind.model)];
        const replies = await Promise.all(
          routes.map(({ path, withoutPicture: body }) => call({ path, body })),
        );
        assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 200, 429, 429, 429, 429]);
        assert.equal(countSent('POST', kind.create), 2);
        const metrics = String((await call({ path: '/metrics' })).bytes);
        assert.match(metrics, /model_gateway_cost_usd_total\{[^}]*upstream="one"[^}]*\} 8\n/);
        assert.match(tasks.gateway.stderr(), /by one with first/);
      });

      it('F75 are marked as stale once their upstream reports that they are missing', async () => {
        await start(kind);
        const id = await createTask(kind);
        await readUntilStatus(id, 'running');
        const [status, body] = kind.missing;
        state.record = [status, body];
        let stale: string | null = null;
        while (stale === null)
          stale = (await call({ path: `/v1/tasks/${id}` })).headers.get('x-gateway-stale');
        assert.equal(stale, 'upstream_404');
      });
    });
  }

  it('are refused in the form of each route', async () => {
    const { kind } = arkTasks;
    await start(kind);
    const code = 'InputTextSensitiveContentDetected';
    state.created = [400, { error: { code, message: 'Use another prompt.', type: 'BadRequest' } }];
    const [interaction, synthesis, video] = await Promise.all(
      createVideoRequests(kind.model).map(({ path, withoutPicture: body }) => call({ path, body })),
    );
    for (const reply of [interaction, synthesis, video]) assert.equal(reply?.status, 400);
    assert.equal(interaction?.json.error.message, 'Use another prompt.');
    assert.equal(synthesis?.json.message, 'Use another prompt.');
    assert.deepEqual([video?.json.error.code, video?.json.error.message], [code, 'Use another prompt.']);
  });

  it('of Ark are cancelled only while they are queued, and are never deleted by a cancellation', async () => {
    const { kind, task } = arkTasks;
    const queued = task('queued');
    await start(kind, ({ method, path }) => {
      if (method !== 'DELETE' || path !== kind.read.path) return undefined;
      if (state.record[1] === queued) state.record = [200, task('cancelled')];
      return [200, {}];
    });
    const cancel = (id: string) => call({ path: `/v1/tasks/${id}/cancel`, method: 'POST' });

    state.record = [200, task('running')];
    const running = await createTask(kind);
    const refused = await cancel(running);
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'task_not_cancellable']);
    state.record = [200, kind.completed(new URL(tasks.upstream.baseUrl).origin)];
    const { status, json } = await cancel(running);
    assert.deepEqual([status, json.status], [200, 'completed']);
    assert.equal(countSent('DELETE', kind.read.path), 0);

    state.record = [200, queued];
    const waiting = await createTask(kind);
    assert.equal((await cancel(waiting)).json.status, 'cancelled');
    assert.equal(countSent('DELETE', kind.read.path), 1);
    // Ark refuses to delete a cancelled task.
    assert.equal((await call({ path: `/v1/tasks/${waiting}`, method: 'DELETE' })).status, 200);
    assert.equal(countSent('DELETE', kind.read.path), 1);
    assert.equal((await call({ path: `/v1/tasks/${running}`, method: 'DELETE' })).status, 200);
    assert.equal(countSent('DELETE', kind.read.path), 2);
  });

  it('of other upstreams are not cancelled', async () => {
    await start(newApiVideos);
    const { status, json } = await call({
      path: `/v1/tasks/${await createTask(newApiVideos)}/cancel`,
      method: 'POST',
    });
    assert.deepEqual([status, json.error.code], [409, 'task_not_cancellable']);
  });

  it('are refused without a request if a field would be lost, and declare omitted hints', async () => {
    await start(arkTasks.kind);
    const { model } = arkTasks.kind;
    const [interactions, synthesis, jobs] = createVideoRequests(model);
    const refusals = [
      [synthesis, { input: { prompt: 'A cat', negative_prompt: 'dogs' } }, 'input.negative_prompt'],
      [synthesis, { input: { prompt: 'A cat', audio_url: 'https://a.example/a.mp3' } }, 'input.audio_url'],
      [synthesis, { input: { prompt: 'A cat' }, parameters: { size: '1000*300' } }, 'parameters.size'],
      [synthesis, { input: { prompt: 'A cat', img_url: 'oss://x' } }, 'input.img_url'],
      [interactions, { input: 'A cat', system_instruction: 'Be kind.' }, 'system_instruction'],
      [interactions, { input: [{ type: 'video', uri: 'https://a.example/v.mp4' }] }, 'input[0]'],
      [jobs, { prompt: 'A cat', seconds: '2.5' }, 'seconds'],
      [jobs, { prompt: 'A cat', size: 'large' }, 'size'],
      [jobs, { prompt: 'A cat', quality: 'high' }, 'quality'],
      [jobs, { prompt: ' ' }, 'prompt'],
    ] as const;
    const format = { response_format: { type: 'video' }, background: true };
    for (const [route, fields, field] of refusals) {
      assert.ok(route);
      const body = { model, ...(route === interactions && format), ...fields };
      const { status, bytes } = await call({ path: route.path, body });
      assert.equal(status, 400, field);
      assert.ok(bytes.toString().includes(`${field}:`), `${field}: ${bytes}`);
    }
    assert.equal(countSent('POST', arkTasks.kind.create), 0);
    state.body = { model, content: [{ type: 'text', text: 'A cat' }], generate_audio: false };
    const parameters = { prompt_extend: true, audio: false };
    const body = { model, input: { prompt: 'A cat' }, parameters };
    const created = await call({ path: synthesis?.path ?? '', body });
    assert.equal(created.headers.get('x-gateway-dropped'), 'parameters.prompt_extend');
  });

  it('have a first and a last picture where the upstream supports it', async () => {
    const url = `data:image/png;base64,${picture}`;
    const input = { prompt: 'A cat', first_frame_url: url, last_frame_url: url };
    const path = '/api/v1/services/aigc/video-generation/video-synthesis';
    await start(geminiVideos);
    const image = { bytesBase64Encoded: picture, mimeType: 'image/png' };
    state.body = { instances: [{ prompt: 'A cat', image, lastFrame: image }] };
    assert.equal((await call({ path, body: { model: geminiVideos.model, input } })).status, 200);
    await tasks.gateway.stop();
    await tasks.upstream.close();
    await start(newApiVideos);
    const refused = await call({ path, body: { model: newApiVideos.model, input } });
    assert.match(refused.json.message, /^input\.last_frame_url: .* has no last picture/);
  });

  it('can be requested by a form with a file', async () => {
    await start(arkTasks.kind);
    const form = new FormData();
    form.set('model', arkTasks.kind.model);
    form.set('prompt', 'A cat');
    form.set('input_reference', new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' }), 'a.png');
    const url = `data:image/png;base64,${picture}`;
    state.body = {
      model: arkTasks.kind.model,
      content: [
        { type: 'text', text: 'A cat' },
        { type: 'image_url', image_url: { url }, role: 'first_frame' },
      ],
    };
    const response = await fetch(new URL('/v1/videos', tasks.gateway.baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${tasks.gateway.credential}` },
      body: form,
    });
    assert.equal(response.status, 200, await response.text());
  });

  it('are the reply to an interaction that does not run in the background', async () => {
    await start(geminiVideos);
    state.record = [200, geminiVideos.completed(new URL(tasks.upstream.baseUrl).origin)];
    const { path, withoutPicture } = createRequest(geminiVideos, 'interactions');
    const { status, json } = await call({ path, body: { ...withoutPicture, background: false } });
    assert.equal(status, 200);
    assert.equal(json.status, 'completed');
    assert.deepEqual((await call({ path: json.steps[0].content[0].uri })).bytes, clip);
  });

  it('P1 T8 are read with the key from their own upstream, also after a redirect, and without it elsewhere', async () => {
    const other = await startUpstream((_request, res) => res.end('secret'));
    let target = '/v1beta/moved/f1';
    await start(geminiVideos, ({ method, path, headers }) => {
      if (path === '/v1beta/moved/f1') {
        assert.equal(headers['x-goog-api-key'], secretUpstreamKey);
        return [200, clip];
      }
      if (method !== 'GET' || path !== geminiVideos.result) return undefined;
      return [302, {}, { location: target }];
    });
    state.record = [200, geminiVideos.completed(new URL(tasks.upstream.baseUrl).origin)];
    const first = await createTask(geminiVideos);
    await readUntilStatus(first, 'completed');
    assert.deepEqual((await call({ path: `/v1/tasks/${first}/content` })).bytes, clip);
    target = `${other.baseUrl}/f1`;
    const second = await createTask(geminiVideos);
    await readUntilStatus(second, 'completed');
    const refused = await call({ path: `/v1/tasks/${second}/content` });
    assert.deepEqual([refused.status, refused.json.error.code], [502, 'result_not_fetched']);
    assert.equal(other.requests.length, 0);
    await other.close();
  });

  it('T7 whose operation name contains a path are read with this name as one segment', async () => {
    const name = '../../v1beta/files?x=1#y';
    const segment = `/v1beta/${encodeURIComponent(name)}`;
    await start(geminiVideos, ({ path }) => (path === segment ? [404, { error: { code: 404 } }] : undefined));
    state.created = [200, { name }];
    const id = await createTask(geminiVideos);
    await call({ path: `/v1/tasks/${id}` });
    assert.equal(countSent('GET', segment), 1);
  });
});
