import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, readUntil, sendCall } from '../support/gatewayTaskCalls.ts';
import { ageTasks, failTasks } from '../support/gatewayTaskRows.ts';
import { createVideo, type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';
import { UpstreamTasks } from '../support/upstreamTasks.ts';

const clip = Buffer.from('....ftypmp42 the bytes of a clip');

describe('tasks at upstreams', function () {
  this.timeout(60_000);
  const tasks = new UpstreamTasks();
  beforeEach(() => tasks.begin());
  afterEach(() => tasks.end());
  const { create, read, readUntilStatus, countSent } = tasks;

  for (const kind of taskKinds) {
    describe(`(${kind.name})`, () => {
      it('are created, run and complete, in the format of their route and with ids of the gateway', async () => {
        tasks.reply = () => [200, kind.created];
        await tasks.start(kind);
        const created = await create(kind);
        assert.equal(created.status, 200);
        assert.equal(created.headers.get('x-upstream'), 'one');
        const { id } = created.json;
        assert.match(id, /^task_/);
        assert.equal(kind.readId(created.json), id);
        const [request] = tasks.upstream.requests;
        assert.deepEqual(JSON.parse(String(request?.body)), kind.body);
        assert.equal(request?.path, kind.createPath);

        tasks.reply = () => [200, kind.running];
        const running = await readUntilStatus(id, 'running');
        assert.equal(running.upstream, 'one');
        assert.equal(running.upstream_id, kind.upstreamReadPath.split('/').at(-1));
        tasks.reply = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, kind.completed]);
        const completed = await readUntilStatus(id, 'completed');
        assert.equal(completed.progress, 100);
        const own = await sendCall(tasks.gateway, { path: kind.getReadPath(id) });
        assert.equal(kind.readStatus(own.json), kind.completedStatus);
        assert.equal(kind.readId(own.json), id);
        assert.ok(!own.bytes.toString().includes(kind.upstreamReadPath.split('/').at(-1) ?? ''));
        // A task that has ended is not polled again.
        const reads = countSent('GET', kind.upstreamReadPath);
        await read(id);
        assert.equal(countSent('GET', kind.upstreamReadPath), reads);
      });

      it('fail with the reason of their upstream', async () => {
        tasks.reply = ({ method }) => [200, method === 'POST' ? kind.created : kind.failed];
        await tasks.start(kind);
        const { id } = (await create(kind)).json;
        const { error } = await readUntilStatus(id, 'failed');
        assert.equal(error.message, 'It broke.');
        const client = createClient(tasks.gateway);
        const task = await readUntil(client, id, ({ status }) => status === 'failed');
        assert.equal(task.error?.message, 'It broke.');
        await client.close();
      });

      it('are cancelled if their upstream supports it, and otherwise return task_not_cancellable', async () => {
        let isCancelled = false;
        tasks.reply = ({ path, method }) => {
          if (path.endsWith('/cancel')) {
            isCancelled = true;
            return [200, { request_id: 'x' }];
          }
          if (isCancelled && kind.cancelled) return [200, kind.cancelled];
          return [200, method === 'POST' ? kind.created : kind.running];
        };
        await tasks.start(kind);
        const { id } = (await create(kind)).json;
        const { status, json } = await sendCall(tasks.gateway, {
          path: `/v1/tasks/${id}/cancel`,
          method: 'POST',
        });
        if (kind.cancelled) {
          assert.equal(json.status, 'cancelled');
          return;
        }
        assert.equal(status, 409);
        assert.equal(json.error.code, 'task_not_cancellable');
        assert.match(json.error.message, /'one' cannot cancel it/);
      });

      it('are unknown after a lost reply, and are not sent again', async () => {
        tasks.reply = (_request, res) => {
          res.destroy();
          return undefined;
        };
        await tasks.start(kind);
        const key = { 'idempotency-key': 'once' };
        const lost = await create(kind, key);
        assert.equal(lost.status, 502);
        assert.equal(lost.headers.get('x-should-retry'), 'false');
        const id = lost.headers.get('x-gateway-task') ?? '';
        assert.match(lost.bytes.toString(), new RegExp(id));
        const { json } = await read(id);
        assert.equal(json.status, 'unknown');
        assert.equal(json.error.code, 'outcome_unknown');
        const client = createClient(tasks.gateway);
        assert.equal((await client.readTask(id)).status, 'failed');
        await client.close();
        const again = await create(kind, key);
        assert.deepEqual([again.status, again.headers.get('x-should-retry')], [409, 'false']);
        assert.equal(countSent('POST', kind.createPath), 1);
        assert.equal(
          (await sendCall(tasks.gateway, { path: `/v1/tasks/${id}/cancel`, method: 'POST' })).status,
          409,
        );
        const deleted = await sendCall(tasks.gateway, { path: `/v1/tasks/${id}`, method: 'DELETE' });
        assert.equal(deleted.status, 200);
        assert.equal((await read(id)).status, 404);
      });

      it('are not stored if they are refused, and the refusal is passed on unchanged', async () => {
        const refusal = { error: { code: 'invalid_request', message: 'No such size.' } };
        tasks.reply = () => [400, refusal];
        await tasks.start(kind);
        const key = { 'idempotency-key': 'once' };
        const refused = await create(kind, key);
        assert.equal(refused.status, 400);
        assert.deepEqual(refused.json, refusal);
        assert.deepEqual((await sendCall(tasks.gateway, { path: '/v1/tasks' })).json.data, []);
        tasks.reply = () => [200, kind.created];
        assert.equal((await create(kind, key)).status, 200);
      });

      it('survive a gateway that is killed, and the next gateway follows them', async () => {
        tasks.reply = () => [200, kind.created];
        await tasks.start(kind);
        const { id } = (await create(kind)).json;
        const ended = once(tasks.gateway.process, 'exit');
        tasks.gateway.process.kill('SIGKILL');
        await ended;
        tasks.reply = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, kind.completed]);
        await tasks.restart(kind);
        const { json } = await sendCall(tasks.gateway, { path: kind.getReadPath(id) });
        assert.equal(kind.readStatus(json), kind.completedStatus);
        assert.equal(countSent('POST', kind.createPath), 1);
      });

      it('are requested once for many simultaneous readers, and show their last state while the upstream is down', async () => {
        tasks.reply = ({ method }) => [200, method === 'POST' ? kind.created : kind.running];
        await tasks.start(kind);
        const { id } = (await create(kind)).json;
        await Promise.all(Array.from({ length: 20 }, () => read(id)));
        assert.equal(countSent('GET', kind.upstreamReadPath), 1);
        tasks.reply = () => [503, { error: { message: 'down' } }];
        for (;;) {
          const { headers, json } = await read(id);
          assert.equal(json.status, 'running');
          if (headers.get('x-gateway-stale') === 'upstream_503') break;
        }
      });
    });
  }

  const [responses, , , videos] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];

  it('contain the text of a background response in their record', async () => {
    tasks.reply = ({ method }) => [200, method === 'POST' ? responses.created : responses.completed];
    await tasks.start(responses);
    const { id } = (await create(responses)).json;
    const { record } = await readUntilStatus(id, 'completed');
    assert.equal(record.id, id);
    assert.equal(record.output[0].content[0].text, 'Hi there');
  });

  it('are unknown if the upstream returns an invalid id', async () => {
    for (const id of ['', '..', 'a\u0000b', 'x'.repeat(5_000), 7.5, null]) {
      tasks.reply = () => [200, { ...videos.created, id }];
      if (!existsSync(join(tasks.folder, 'tasks.sqlite'))) await tasks.start(videos);
      const reply = await create(videos);
      assert.deepEqual([reply.status, reply.headers.get('x-should-retry')], [502, 'false']);
      assert.equal(reply.json.error.code, 'outcome_unknown');
    }
  });

  for (const [what, reply] of [
    ['another task', createVideo('completed', { id: 'video_2' })],
    ['an error without a task', { error: { code: 'overloaded', message: 'Try again.' } }],
    ['an empty object', {}],
    ['a list', []],
  ] as const) {
    it(`keep their state at any age if the upstream returns ${what}`, async () => {
      tasks.reply = ({ method }) => [200, method === 'POST' ? videos.created : reply];
      await tasks.start(videos);
      const { id } = (await create(videos)).json;
      await tasks.gateway.stop();
      ageTasks(join(tasks.folder, 'tasks.sqlite'));
      await tasks.restart(videos);
      const { json, headers } = await read(id);
      assert.equal(json.status, 'queued');
      assert.equal(headers.get('x-gateway-stale'), 'upstream_unreadable');
      assert.equal((await sendCall(tasks.gateway, { path: `/v1/videos/${id}` })).json.status, 'queued');
    });
  }

  it('F75 keep their state at any age if the upstream reports once that they are missing', async () => {
    tasks.reply = () => [200, videos.created];
    await tasks.start(videos);
    const { id } = (await create(videos)).json;
    await tasks.gateway.stop();
    ageTasks(join(tasks.folder, 'tasks.sqlite'));
    await tasks.restart(videos);
    for (const [status, body] of [
      [404, { error: { message: 'No video video_1.' } }],
      [410, { error: { message: 'Gone.' } }],
    ] as const) {
      tasks.reply = () => [status, body];
      const { json, headers } = await read(id);
      assert.equal(json.status, 'queued');
      assert.equal(headers.get('x-gateway-stale'), 'upstream_404');
    }
    tasks.reply = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, videos.completed]);
    assert.equal((await readUntilStatus(id, 'completed')).progress, 100);
  });

  it('are completed when an upstream that had lost them finds them again', async () => {
    tasks.reply = () => [200, videos.created];
    await tasks.start(videos);
    const { id } = (await create(videos)).json;
    await tasks.gateway.stop();
    const failure = { code: 'upstream_task_missing', message: 'Gone.' };
    failTasks(join(tasks.folder, 'tasks.sqlite'), { progress: 0, results: [], failure });
    tasks.reply = ({ path }) => (path.endsWith('/content') ? [200, clip] : [200, videos.completed]);
    await tasks.restart(videos);
    const { json } = await read(id);
    assert.equal(json.status, 'completed');
    assert.equal(json.error, null);
  });

  it('are unknown if the gateway was killed before the upstream replied', async () => {
    const requestReceived = new Promise<void>((resolve) => {
      tasks.reply = () => {
        resolve();
        return undefined;
      };
    });
    await tasks.start(videos);
    const key = { 'idempotency-key': 'once' };
    const creation = create(videos, key).catch(() => undefined);
    await requestReceived;
    assert.equal((await sendCall(tasks.gateway, { path: '/v1/tasks' })).json.data[0].status, 'unknown');
    const ended = once(tasks.gateway.process, 'exit');
    tasks.gateway.process.kill('SIGKILL');
    await ended;
    assert.equal(await creation, undefined);
    await tasks.restart(videos);
    const [task] = (await sendCall(tasks.gateway, { path: '/v1/tasks?status=unknown' })).json.data;
    assert.equal(task.error.code, 'outcome_unknown');
    assert.equal((await create(videos, key)).status, 409);
    assert.equal(tasks.upstream.requests.length, 1);
  });

  it('are stored even if their caller disconnects', async () => {
    let end = () => {};
    const requestReceived = new Promise<void>((resolve) => {
      tasks.reply = (_request, res) => {
        end = () => res.end(JSON.stringify(videos.created));
        resolve();
        return undefined;
      };
    });
    await tasks.start(videos);
    const caller = new AbortController();
    const creation = fetch(`${tasks.gateway.baseUrl}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tasks.gateway.credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(videos.body),
      signal: caller.signal,
    });
    await requestReceived;
    caller.abort();
    await assert.rejects(creation);
    end();
    for (;;) {
      const [task] = (await sendCall(tasks.gateway, { path: '/v1/tasks' })).json.data;
      if (task.upstream_id === 'video_1') break;
    }
  });
});
