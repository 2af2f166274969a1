import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { call, clientOf, readUntil } from '../support/gatewayTaskCalls.ts';
import { ageTasks, failTasks } from '../support/gatewayTaskRows.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { startAnsweringUpstream, type UpstreamAnswer } from '../support/upstreamAnswers.ts';
import { interaction, type TaskKind, taskKinds, video } from '../support/upstreamTaskKinds.ts';

const asynchronous = { 'x-vendor-async': 'enable' };
const clip = Buffer.from('....ftypmp42 the bytes of a clip');

describe('tasks that upstreams make', function () {
  this.timeout(60_000);
  let folder: string;
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  /** What the upstream answers from now on. */
  let answer: UpstreamAnswer;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-upstream-tasks-'));
  });
  afterEach(async () => {
    await gateway.stop();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(kind: TaskKind): Promise<void> {
    upstream = await startAnsweringUpstream((...asked) => answer(...asked));
    await startAgain(kind);
  }

  async function startAgain({ config }: TaskKind): Promise<void> {
    const { origin } = new URL(upstream.baseUrl);
    gateway = await startGateway({
      demo: false,
      tasks: join(folder, 'tasks.sqlite'),
      config: { upstreams: [{ name: 'one', ...config, baseUrl: origin }] },
    });
  }

  const create = ({ create: path, body }: TaskKind, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway, { path, body, headers: { ...asynchronous, ...headers } });
  const read = (id: string) => call(gateway, { path: `/v1/tasks/${id}` });
  const sent = (method: string, path: string) =>
    upstream.requests.filter((each) => each.method === method && each.path === path).length;

  /** Reads until the state is as wanted: the gateway asks the upstream once a second at most. */
  async function readTo(id: string, status: string) {
    for (;;) {
      const { json } = await read(id);
      if (json.status === status) return json;
      assert.ok(['queued', 'running'].includes(json.status), JSON.stringify(json));
    }
  }

  for (const kind of taskKinds) {
    describe(kind.name, () => {
      it('are made, run and complete, in the form of their route and with ids of the gateway', async () => {
        answer = () => [200, kind.made];
        await start(kind);
        const made = await create(kind);
        assert.equal(made.status, 200);
        assert.equal(made.headers.get('x-upstream'), 'one');
        const { id } = made.json;
        assert.match(id, /^task_/);
        assert.equal(kind.idOf(made.json), id);
        const [request] = upstream.requests;
        assert.deepEqual(JSON.parse(String(request?.body)), kind.body);
        assert.equal(request?.path, kind.create);

        answer = () => [200, kind.running];
        const running = await readTo(id, 'running');
        assert.equal(running.upstream, 'one');
        assert.equal(running.upstream_id, kind.upstreamRead.split('/').at(-1));
        answer = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, kind.completed]);
        const completed = await readTo(id, 'completed');
        assert.equal(completed.progress, 100);
        const own = await call(gateway, { path: kind.read(id) });
        assert.equal(kind.statusWord(own.json), kind.completedWord);
        assert.equal(kind.idOf(own.json), id);
        assert.ok(!own.bytes.toString().includes(kind.upstreamRead.split('/').at(-1) ?? ''));
        // A task that has ended is not asked for again.
        const asked = sent('GET', kind.upstreamRead);
        await read(id);
        assert.equal(sent('GET', kind.upstreamRead), asked);
      });

      it('fail with the reason of their upstream', async () => {
        answer = ({ method }) => [200, method === 'POST' ? kind.made : kind.failed];
        await start(kind);
        const { id } = (await create(kind)).json;
        const { error } = await readTo(id, 'failed');
        assert.equal(error.message, 'It broke.');
        const client = clientOf(gateway);
        const task = await readUntil(client, id, ({ status }) => status === 'failed');
        assert.equal(task.error?.message, 'It broke.');
        await client.close();
      });

      it('are cancelled where their upstream can, and otherwise told that they cannot be', async () => {
        let isCancelled = false;
        answer = ({ path, method }) => {
          if (path.endsWith('/cancel')) {
            isCancelled = true;
            return [200, { request_id: 'x' }];
          }
          if (isCancelled && kind.cancelled) return [200, kind.cancelled];
          return [200, method === 'POST' ? kind.made : kind.running];
        };
        await start(kind);
        const { id } = (await create(kind)).json;
        const { status, json } = await call(gateway, { path: `/v1/tasks/${id}/cancel`, method: 'POST' });
        if (kind.cancelled) {
          assert.equal(json.status, 'cancelled');
          return;
        }
        assert.equal(status, 409);
        assert.equal(json.error.code, 'task_not_cancellable');
        assert.match(json.error.message, /'one' has no way to stop it/);
      });

      it('whose answer is lost are told as unknown and not sent again', async () => {
        answer = (_request, res) => {
          res.destroy();
          return undefined;
        };
        await start(kind);
        const key = { 'idempotency-key': 'once' };
        const lost = await create(kind, key);
        assert.equal(lost.status, 502);
        assert.equal(lost.headers.get('x-should-retry'), 'false');
        const id = lost.headers.get('x-gateway-task') ?? '';
        assert.match(lost.bytes.toString(), new RegExp(id));
        const { json } = await read(id);
        assert.equal(json.status, 'unknown');
        assert.equal(json.error.code, 'outcome_unknown');
        const client = clientOf(gateway);
        assert.equal((await client.readTask(id)).status, 'failed');
        await client.close();
        const again = await create(kind, key);
        assert.equal(again.status, 409);
        assert.equal(sent('POST', kind.create), 1);
        assert.equal((await call(gateway, { path: `/v1/tasks/${id}/cancel`, method: 'POST' })).status, 409);
        const deleted = await call(gateway, { path: `/v1/tasks/${id}`, method: 'DELETE' });
        assert.equal(deleted.status, 200);
        assert.equal((await read(id)).status, 404);
      });

      it('that are refused are none, and the refusal comes as it was', async () => {
        const refusal = { error: { code: 'invalid_request', message: 'No such size.' } };
        answer = () => [400, refusal];
        await start(kind);
        const key = { 'idempotency-key': 'once' };
        const refused = await create(kind, key);
        assert.equal(refused.status, 400);
        assert.deepEqual(refused.json, refusal);
        assert.deepEqual((await call(gateway, { path: '/v1/tasks' })).json.data, []);
        answer = () => [200, kind.made];
        assert.equal((await create(kind, key)).status, 200);
      });

      it('survive a gateway that is killed, and another one follows them', async () => {
        answer = () => [200, kind.made];
        await start(kind);
        const { id } = (await create(kind)).json;
        const ended = once(gateway.process, 'exit');
        gateway.process.kill('SIGKILL');
        await ended;
        answer = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, kind.completed]);
        await startAgain(kind);
        const { json } = await call(gateway, { path: kind.read(id) });
        assert.equal(kind.statusWord(json), kind.completedWord);
        assert.equal(sent('POST', kind.create), 1);
      });

      it('are asked for once by many readers at once, and show the last state while the upstream is down', async () => {
        answer = ({ method }) => [200, method === 'POST' ? kind.made : kind.running];
        await start(kind);
        const { id } = (await create(kind)).json;
        await Promise.all(Array.from({ length: 20 }, () => read(id)));
        assert.equal(sent('GET', kind.upstreamRead), 1);
        answer = () => [503, { error: { message: 'down' } }];
        for (;;) {
          const { headers, json } = await read(id);
          assert.equal(json.status, 'running');
          if (headers.get('x-gateway-stale') === 'upstream_503') break;
        }
      });
    });
  }

  const [responses, interactions, , videos] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];

  it('give the text of a response and an interaction to the extension', async () => {
    answer = ({ method }) => [200, method === 'POST' ? responses.made : responses.completed];
    await start(responses);
    const { id } = (await create(responses)).json;
    const { record } = await readTo(id, 'completed');
    assert.equal(record.id, id);
    assert.equal(record.output[0].content[0].text, 'Hi there');
  });

  it('give the bytes of a video job, keep them, and delete them with the task', async () => {
    let isGone = false;
    answer = ({ path, method }) => {
      if (method === 'DELETE') return [200, { id: 'video_1', object: 'video.deleted', deleted: true }];
      if (path.endsWith('/content')) return isGone ? [404, { error: { message: 'gone' } }] : [200, clip];
      return [200, method === 'POST' ? videos.made : videos.completed];
    };
    await start(videos);
    const { id } = (await create(videos)).json;
    const { results } = await readTo(id, 'completed');
    assert.equal(results[0].url, `/v1/tasks/${id}/content`);
    const content = await call(gateway, { path: `/v1/videos/${id}/content` });
    assert.deepEqual(content.bytes, clip);
    assert.equal(content.headers.get('content-type'), 'video/mp4');
    isGone = true;
    await gateway.stop();
    await startAgain(videos);
    const part = await call(gateway, { path: results[0].url, headers: { range: 'bytes=4-7' } });
    assert.equal(part.status, 206);
    assert.deepEqual(part.bytes, clip.subarray(4, 8));
    assert.equal(readdirSync(join(folder, 'tasks.results')).length, 1);
    const deleted = await call(gateway, { path: `/v1/videos/${id}`, method: 'DELETE' });
    assert.deepEqual(deleted.json, { id, object: 'video.deleted', deleted: true });
    assert.equal(sent('DELETE', '/v1/videos/video_1'), 1);
    assert.equal(readdirSync(join(folder, 'tasks.results')).length, 0);
  });

  it('F27 F28 F88 keep no result that is cut or cannot be read, say so, and try again', async () => {
    const type = { 'content-type': 'video/mp4' };
    const bad: readonly (readonly [says: RegExp, send: (res: ServerResponse) => void])[] = [
      [
        /: it was cut\.$/,
        (res) => void res.writeHead(200, { ...type, 'content-length': '99' }).write('a', () => res.destroy()),
      ],
      [/: it was cut\.$/, (res) => res.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end('a')],
      [/an unknown way\.$/, (res) => res.writeHead(200, { ...type, 'content-encoding': 'x' }).end('a')],
      [/: it is empty\.$/, (res) => res.writeHead(200, { ...type, 'transfer-encoding': 'chunked' }).end()],
    ];
    let send = bad[0]?.[1];
    answer = ({ path, method }, res) => {
      if (!path.endsWith('/content')) return [200, method === 'POST' ? videos.made : videos.completed];
      send?.(res);
      return undefined;
    };
    await start(videos);
    const { id } = (await create(videos)).json;
    await readTo(id, 'completed');
    for (const [says, next] of bad) {
      send = next;
      const { status, json } = await call(gateway, { path: `/v1/videos/${id}/content` });
      assert.deepEqual([status, json.error.code], [502, 'result_not_fetched']);
      assert.match(json.error.message, says);
    }
    send = (res) => res.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(gzipSync(clip));
    const content = await call(gateway, { path: `/v1/videos/${id}/content` });
    assert.deepEqual(content.bytes, clip);
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });

  it('keep a result at their own address with the key, and fetch none elsewhere on this machine', async () => {
    const other = await startUpstream((_request, res) => res.end('secret'));
    let completed = interactions.made;
    answer = ({ path, method }) => {
      if (path.startsWith('/v1beta/files/')) return [200, clip];
      return [200, method === 'POST' ? interactions.made : completed];
    };
    await start(interactions);
    const { origin } = new URL(upstream.baseUrl);
    const content = [
      { type: 'video', mime_type: 'video/mp4', uri: `${origin}/v1beta/files/abc` },
      { type: 'video', mime_type: 'video/mp4', uri: `${other.baseUrl}/latest/meta-data` },
    ];
    completed = interaction('completed', { steps: [{ type: 'model_output', content }] });
    const { id } = (await create(interactions)).json;
    await readTo(id, 'completed');
    const kept = await call(gateway, { path: `/v1/tasks/${id}/content` });
    assert.deepEqual(kept.bytes, clip);
    const refused = await call(gateway, { path: `/v1/tasks/${id}/content?index=1` });
    assert.equal(refused.status, 502);
    assert.equal(refused.json.error.code, 'result_not_fetched');
    assert.equal(other.requests.length, 0);
    const file = upstream.requests.find(({ path }) => path.startsWith('/v1beta/files/abc'));
    assert.equal(file?.path, '/v1beta/files/abc?alt=media');
    const own = await call(gateway, { path: `/v1beta/interactions/${id}` });
    const [first, second] = own.json.steps[0].content;
    assert.equal(first.uri, `${gateway.baseUrl}/v1/tasks/${id}/content`);
    assert.equal(second.uri, `${other.baseUrl}/latest/meta-data`);
    await other.close();
  });

  it('take a result that the record holds as data out of it, and put it back in their own form', async () => {
    const large = Buffer.alloc(100_000, 7);
    const content = [{ type: 'video', mime_type: 'video/mp4', data: large.toString('base64') }];
    const completed = interaction('completed', { steps: [{ type: 'model_output', content }] });
    answer = ({ method }) => [200, method === 'POST' ? interactions.made : completed];
    await start(interactions);
    const { id } = (await create(interactions)).json;
    const { record } = await readTo(id, 'completed');
    assert.ok(JSON.stringify(record).length < 2_000);
    assert.deepEqual((await call(gateway, { path: `/v1/tasks/${id}/content` })).bytes, large);
    const own = await call(gateway, { path: `/v1beta/interactions/${id}` });
    assert.deepEqual(own.json.steps[0].content, content);
  });

  it('are unknown where the upstream accepts them with an id that is none', async () => {
    for (const id of ['', '..', 'a\u0000b', 'x'.repeat(5_000), 7.5, null]) {
      answer = () => [200, { ...videos.made, id }];
      if (!existsSync(join(folder, 'tasks.sqlite'))) await start(videos);
      const made = await create(videos);
      assert.equal(made.status, 502);
      assert.equal(made.json.error.code, 'outcome_unknown');
    }
  });

  for (const [what, told] of [
    ['of another task', video('completed', { id: 'video_2' })],
    ['of no task, with an error', { error: { code: 'overloaded', message: 'Try again.' } }],
    ['of nothing', {}],
    ['a list', []],
  ] as const) {
    it(`keep their state where the upstream tells ${what}, however old they are`, async () => {
      answer = ({ method }) => [200, method === 'POST' ? videos.made : told];
      await start(videos);
      const { id } = (await create(videos)).json;
      await gateway.stop();
      ageTasks(join(folder, 'tasks.sqlite'));
      await startAgain(videos);
      const { json, headers } = await read(id);
      assert.equal(json.status, 'queued');
      assert.equal(headers.get('x-gateway-stale'), 'upstream_unreadable');
      assert.equal((await call(gateway, { path: `/v1/videos/${id}` })).json.status, 'queued');
    });
  }

  it('F75 keep their state where their upstream says once that it does not have them, however old they are', async () => {
    answer = () => [200, videos.made];
    await start(videos);
    const { id } = (await create(videos)).json;
    await gateway.stop();
    ageTasks(join(folder, 'tasks.sqlite'));
    await startAgain(videos);
    for (const [status, body] of [
      [404, { error: { message: 'No video video_1.' } }],
      [410, { error: { message: 'Gone.' } }],
    ] as const) {
      answer = () => [status, body];
      const { json, headers } = await read(id);
      assert.equal(json.status, 'queued');
      assert.equal(headers.get('x-gateway-stale'), 'upstream_404');
    }
    answer = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, videos.completed]);
    assert.equal((await readTo(id, 'completed')).progress, 100);
  });

  it('come back where their upstream had lost them, and has them again', async () => {
    answer = () => [200, videos.made];
    await start(videos);
    const { id } = (await create(videos)).json;
    await gateway.stop();
    const failure = { code: 'upstream_task_missing', message: 'Gone.' };
    failTasks(join(folder, 'tasks.sqlite'), { progress: 0, results: [], failure });
    answer = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, videos.completed]);
    await startAgain(videos);
    const { json } = await read(id);
    assert.equal(json.status, 'completed');
    assert.equal(json.error, null);
  });

  it('are unknown after a gateway that was killed before the answer came', async () => {
    const asked = new Promise<void>((resolve) => {
      answer = () => {
        resolve();
        return undefined;
      };
    });
    await start(videos);
    const key = { 'idempotency-key': 'once' };
    const made = create(videos, key).catch(() => undefined);
    await asked;
    assert.equal((await call(gateway, { path: '/v1/tasks' })).json.data[0].status, 'unknown');
    const ended = once(gateway.process, 'exit');
    gateway.process.kill('SIGKILL');
    await ended;
    assert.equal(await made, undefined);
    await startAgain(videos);
    const [task] = (await call(gateway, { path: '/v1/tasks?status=unknown' })).json.data;
    assert.equal(task.error.code, 'outcome_unknown');
    assert.equal((await create(videos, key)).status, 409);
    assert.equal(upstream.requests.length, 1);
  });

  it('are recorded though their caller has left', async () => {
    let end = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = (_request, res) => {
        end = () => res.end(JSON.stringify(videos.made));
        resolve();
        return undefined;
      };
    });
    await start(videos);
    const leaving = new AbortController();
    const made = fetch(`${gateway.baseUrl}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(videos.body),
      signal: leaving.signal,
    });
    await asked;
    leaving.abort();
    await assert.rejects(made);
    end();
    for (;;) {
      const [task] = (await call(gateway, { path: '/v1/tasks' })).json.data;
      if (task.upstream_id === 'video_1') break;
    }
  });
});
