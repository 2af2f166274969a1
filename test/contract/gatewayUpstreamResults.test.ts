import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createClient, sendCall } from '../support/gatewayTaskCalls.ts';
import { startUpstream } from '../support/scriptedUpstream.ts';
import { createInteraction, type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';
import { UpstreamTasks } from '../support/upstreamTasks.ts';

const clip = Buffer.from('....ftypmp42 the bytes of a clip');

describe('results of tasks at upstreams', function () {
  this.timeout(60_000);
  const tasks = new UpstreamTasks();
  beforeEach(() => tasks.begin());
  afterEach(() => tasks.end());
  const { create, readUntilStatus, countSent: sent } = tasks;
  const [, interactions, , videos] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];

  it('return the bytes of a video job, are stored, and are deleted with the task', async () => {
    let isGone = false;
    tasks.reply = ({ path, method }) => {
      if (method === 'DELETE') return [200, { id: 'video_1', object: 'video.deleted', deleted: true }];
      if (path.endsWith('/content')) return isGone ? [404, { error: { message: 'gone' } }] : [200, clip];
      return [200, method === 'POST' ? videos.created : videos.completed];
    };
    await tasks.start(videos);
    const { id } = (await create(videos)).json;
    const { results } = await readUntilStatus(id, 'completed');
    assert.equal(results[0].url, `${tasks.gateway.baseUrl}/v1/tasks/${id}/content`);
    const content = await sendCall(tasks.gateway, { path: `/v1/videos/${id}/content` });
    assert.deepEqual(content.bytes, clip);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    isGone = true;
    await tasks.gateway.stop();
    await tasks.restart(videos);
    const { pathname } = new URL(results[0].url);
    const part = await sendCall(tasks.gateway, { path: pathname, headers: { range: 'bytes=4-7' } });
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, clip.subarray(4, 8));
    assert.equal(readdirSync(join(tasks.folder, 'tasks.results')).length, 1);
    const deleted = await sendCall(tasks.gateway, { path: `/v1/videos/${id}`, method: 'DELETE' });
    assert.deepEqual(deleted.json, { id, object: 'video.deleted', deleted: true });
    assert.equal(sent('DELETE', '/v1/videos/video_1'), 1);
    assert.equal(readdirSync(join(tasks.folder, 'tasks.results')).length, 0);
  });

  it('F27 F28 F88 are not stored if they are cut or unreadable, with an error, and are fetched again later', async () => {
    const type = { 'content-type': 'video/mp4' };
    const bad: readonly (readonly [pattern: RegExp, send: (res: ServerResponse) => void])[] = [
      [
        /: it was cut off\.$/,
        (res) => void res.writeHead(200, { ...type, 'content-length': '99' }).write('a', () => res.destroy()),
      ],
      [/: it was cut off\.$/, (res) => res.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end('a')],
      [
        /its compression is not supported\.$/,
        (res) => res.writeHead(200, { ...type, 'content-encoding': 'x' }).end('a'),
      ],
      [/: it is empty\.$/, (res) => res.writeHead(200, { ...type, 'transfer-encoding': 'chunked' }).end()],
    ];
    let send = bad[0]?.[1];
    tasks.reply = ({ path, method }, res) => {
      if (!path.endsWith('/content')) return [200, method === 'POST' ? videos.created : videos.completed];
      send?.(res);
      return undefined;
    };
    await tasks.start(videos);
    const { id } = (await create(videos)).json;
    await readUntilStatus(id, 'completed');
    for (const [pattern, next] of bad) {
      send = next;
      const { status, json } = await sendCall(tasks.gateway, { path: `/v1/videos/${id}/content` });
      assert.deepEqual([status, json.error.code], [502, 'result_not_fetched']);
      assert.match(json.error.message, pattern);
    }
    send = (res) => res.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(gzipSync(clip));
    const content = await sendCall(tasks.gateway, { path: `/v1/videos/${id}/content` });
    assert.deepEqual(content.bytes, clip);
    assert.doesNotMatch(tasks.gateway.stderr(), /unexpected/);
  });

  it('are fetched with the key from their own upstream, and never from another address of this machine', async () => {
    const other = await startUpstream((_request, res) => res.end('secret'));
    let completed = interactions.created;
    tasks.reply = ({ path, method }) => {
      if (path.startsWith('/v1beta/files/')) return [200, clip];
      return [200, method === 'POST' ? interactions.created : completed];
    };
    await tasks.start(interactions);
    const { origin } = new URL(tasks.upstream.baseUrl);
    const content = [
      { type: 'video', mime_type: 'video/mp4', uri: `${origin}/v1beta/files/abc` },
      { type: 'video', mime_type: 'video/mp4', uri: `${other.baseUrl}/latest/meta-data` },
    ];
    completed = createInteraction('completed', { steps: [{ type: 'model_output', content }] });
    const { id } = (await create(interactions)).json;
    await readUntilStatus(id, 'completed');
    const stored = await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/content` });
    assert.deepEqual(stored.bytes, clip);
    const refused = await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/content?index=1` });
    assert.equal(refused.status, 502);
    assert.equal(refused.json.error.code, 'result_not_fetched');
    assert.equal(other.requests.length, 0);
    const file = tasks.upstream.requests.find(({ path }) => path.startsWith('/v1beta/files/abc'));
    assert.equal(file?.path, '/v1beta/files/abc?alt=media');
    const own = await sendCall(tasks.gateway, { path: `/v1beta/interactions/${id}` });
    const [first, second] = own.json.steps[0].content;
    assert.equal(first.uri, `${tasks.gateway.baseUrl}/v1/tasks/${id}/content`);
    assert.equal(second.uri, `${other.baseUrl}/latest/meta-data`);
    await other.close();
  });

  it('include a picture of a background response, which its own route still returns inline', async () => {
    const [responses] = taskKinds as readonly [TaskKind];
    const picture = Buffer.alloc(3_000, 7);
    const output = [{ id: 'ig_1', type: 'image_generation_call', result: picture.toString('base64') }];
    const completed = { ...responses.completed, output };
    tasks.reply = ({ method }) => [200, method === 'POST' ? responses.created : completed];
    await tasks.start(responses);
    const { id } = (await create(responses)).json;
    const { results, record } = await readUntilStatus(id, 'completed');
    assert.deepEqual(
      results.map(({ type, mime_type }: { type: string; mime_type: string }) => [type, mime_type]),
      [['file', 'image/png']],
    );
    assert.ok(JSON.stringify(record).length < 1_000);
    assert.deepEqual((await sendCall(tasks.gateway, { path: results[0].url })).bytes, picture);
    const own = await sendCall(tasks.gateway, { path: `/v1/responses/${id}` });
    assert.deepEqual(own.json.output, output);
  });

  /** Starts with an interaction whose video is a file of the upstream; the test decides when its bytes arrive. */
  async function startWithFile(content: readonly object[]) {
    const bytes = Promise.withResolvers<void>();
    const completed = createInteraction('completed', { steps: [{ type: 'model_output', content }] });
    tasks.reply = ({ path, method }, res) => {
      if (!path.startsWith('/v1beta/files/'))
        return [200, method === 'POST' ? interactions.created : completed];
      void bytes.promise.then(() => res.writeHead(200, { 'content-type': 'video/mp4' }).end(clip));
      return undefined;
    };
    await tasks.start(interactions);
    return { id: (await create(interactions)).json.id as string, bytes };
  }

  it('have an address at the gateway in the first record that is completed, and it returns the bytes', async () => {
    const video = { type: 'video', mime_type: 'video/mp4', uri: '/v1beta/files/abc' };
    const { id, bytes } = await startWithFile([video]);
    const client = createClient(tasks.gateway);
    const { status, results } = await client.waitForTask(id, { intervalMs: 100 });
    const url = `${tasks.gateway.baseUrl}/v1/tasks/${id}/content`;
    assert.deepEqual([status, results.map((each) => each.url)], ['completed', [url]]);
    for (const path of [`/v1/tasks/${id}`, '/v1/tasks', `/v1beta/interactions/${id}`, `/v1/videos/${id}`]) {
      const text = JSON.stringify((await sendCall(tasks.gateway, { path })).json);
      assert.doesNotMatch(text, /v1beta\/files/, path);
    }
    const dashscope = (await sendCall(tasks.gateway, { path: `/api/v1/tasks/${id}` })).json;
    assert.equal(dashscope.output.video_url, url);
    const received: Uint8Array[] = [];
    const downloading = client.download(url, {
      begin: async () => {},
      write: async (chunk) => void received.push(Buffer.from(chunk)),
    });
    bytes.resolve();
    await downloading;
    assert.deepEqual(Buffer.concat(received), clip);
    await client.close();
  });

  it('have an address at the gateway in the events of an interaction', async () => {
    const { id, bytes } = await startWithFile([]);
    bytes.resolve();
    const { origin } = new URL(tasks.upstream.baseUrl);
    const file = `${origin}/v1beta/files/abc:download?alt=media&n=1`;
    const events = [
      { event_type: 'step.start', index: 0, step: { type: 'user_input' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'image', uri: `${origin}/v1beta/files/input` } },
      { event_type: 'step.start', index: 1, step: { type: 'model_output' } },
      { event_type: 'step.delta', index: 1, delta: { type: 'video', uri: file } },
      { event_type: 'interaction.completed', interaction: { id: 'v1_Chd1', output: [{ uri: file }] } },
    ];
    const written = events.map((each) => `data: ${JSON.stringify(each).replaceAll('=', '\\u003d')}\n\n`);
    tasks.reply = (_request, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end(written.join(''));
      return undefined;
    };
    const reply = await sendCall(tasks.gateway, { path: `/v1beta/interactions/${id}?stream=true` });
    const sent = reply.bytes
      .toString()
      .split('\n\n')
      .filter((each) => each !== '')
      .map((each) => JSON.parse(each.slice('data: '.length)));
    const url = `${tasks.gateway.baseUrl}/v1/tasks/${id}/content`;
    assert.deepEqual(sent.slice(0, 3), events.slice(0, 3));
    assert.equal(sent[3].delta.uri, url);
    assert.deepEqual(sent[4].interaction, { id, output: [{ uri: url }] });
  });

  it('P1 are not fetched from an address with a user name or a password, even at their own origin', async () => {
    let completed = interactions.created;
    tasks.reply = ({ path, method }) =>
      path.startsWith('/v1beta/files/')
        ? [200, clip]
        : [200, method === 'POST' ? interactions.created : completed];
    await tasks.start(interactions);
    const { host } = new URL(tasks.upstream.baseUrl);
    const content = ['user:word@', 'user@', ':word@'].map((who) => ({
      type: 'video',
      mime_type: 'video/mp4',
      uri: `http://${who}${host}/v1beta/files/abc`,
    }));
    completed = createInteraction('completed', { steps: [{ type: 'model_output', content }] });
    const { id } = (await create(interactions)).json;
    await readUntilStatus(id, 'completed');
    for (const index of content.keys()) {
      const refused = await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/content?index=${index}` });
      assert.deepEqual([refused.status, refused.json.error.code], [502, 'result_not_fetched']);
    }
    assert.equal(sent('GET', '/v1beta/files/abc'), 0);
  });

  it('T10 are not served as SVG for any content type', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'.padEnd(400));
    for (const type of ['image/svg+xml', 'image/SVG+XML', 'image/svg', 'image/svg+xml; charset=utf-8']) {
      const content = [{ type: 'image', mime_type: type, data: svg.toString('base64') }];
      const completed = createInteraction('completed', { steps: [{ type: 'model_output', content }] });
      tasks.reply = ({ method }) => [200, method === 'POST' ? interactions.created : completed];
      await tasks.start(interactions);
      const { id } = (await create(interactions)).json;
      await readUntilStatus(id, 'completed');
      const shown = await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/content` });
      assert.doesNotMatch(shown.headers.get('content-type') ?? '', /svg|xml|html/i, type);
      assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
      await tasks.end();
      await tasks.begin();
    }
    tasks.reply = ({ path, method }, res) => {
      if (!path.includes('/content')) return [200, method === 'POST' ? videos.created : videos.completed];
      res.writeHead(200, { 'content-type': 'image/SVG+xml' }).end(svg);
      return undefined;
    };
    await tasks.start(videos);
    const { id } = (await create(videos)).json;
    for (const path of [`/v1/videos/${id}/content?variant=thumbnail`, `/v1/videos/${id}/content`]) {
      const shown = await sendCall(tasks.gateway, { path });
      assert.doesNotMatch(shown.headers.get('content-type') ?? '', /svg|xml|html/i, path);
      assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('are moved out of the record if they are inline data, and still returned inline by their own route', async () => {
    const large = Buffer.alloc(100_000, 7);
    const content = [{ type: 'video', mime_type: 'video/mp4', data: large.toString('base64') }];
    const completed = createInteraction('completed', { steps: [{ type: 'model_output', content }] });
    tasks.reply = ({ method }) => [200, method === 'POST' ? interactions.created : completed];
    await tasks.start(interactions);
    const { id } = (await create(interactions)).json;
    const { record } = await readUntilStatus(id, 'completed');
    assert.ok(JSON.stringify(record).length < 2_000);
    assert.deepEqual((await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/content` })).bytes, large);
    const own = await sendCall(tasks.gateway, { path: `/v1beta/interactions/${id}` });
    assert.deepEqual(own.json.steps[0].content, content);
  });
});
