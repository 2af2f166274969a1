import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';

const json = { 'content-type': 'application/json' };

describe('an upstream that fails on a request about a task', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let kind: TaskKind;
  /** The reply to all requests except those that make a task; undefined for the state. */
  let failure: { readonly status: number; readonly headers?: Record<string, string> } | undefined;
  let state: object;

  before(async () => {
    upstream = await startUpstream(({ method, path }, res: ServerResponse) => {
      if (method === 'POST' && !path.endsWith('/cancel'))
        res.writeHead(200, json).end(JSON.stringify(kind.created));
      else if (failure && !(method === 'GET' && state === kind.completed)) {
        const body = JSON.stringify({ error: { message: 'Its own words.' } });
        res.writeHead(failure.status, { ...json, ...failure.headers }).end(body);
      } else res.writeHead(200, json).end(JSON.stringify(state));
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreams = taskKinds.map(({ config }, i) => ({
      name: `u${i}`,
      ...config,
      baseUrl: origin,
      models: ['m'],
    }));
    gateway = await startGateway({ config: { upstreams } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  async function createTask(now: object): Promise<string> {
    state = now;
    failure = undefined;
    const body = { ...kind.body, model: `u${taskKinds.indexOf(kind)}/m` };
    const { json } = await sendCall(gateway, {
      path: kind.createPath,
      body,
      headers: { 'x-vendor-async': 'enable' },
    });
    return json.id;
  }
  const sendTaskRequest = (id: string, method: 'GET' | 'DELETE' = 'GET') =>
    sendCall(gateway, { path: `/v1/tasks/${id}`, method });
  const cancel = (id: string) => sendCall(gateway, { path: `/v1/tasks/${id}/cancel`, method: 'POST' });

  for (const each of taskKinds) {
    describe(`(${each.name})`, () => {
      beforeEach(() => {
        kind = each;
      });

      if (each.cancelled)
        it('is reported with its status and message if it refuses a cancellation, and the task continues', async () => {
          const id = await createTask(kind.running);
          const expectedStatuses: readonly (readonly [status: number, as: number])[] = [
            ...[400, 404, 409, 422].map((status) => [status, 409] as const),
            ...[500, 502, 503, 504].map((status) => [status, status] as const),
            ...[401, 403].map((status) => [status, 424] as const),
          ];
          for (const [status, as] of expectedStatuses) {
            failure = { status, headers: { 'retry-after': '3' } };
            const { status: answered, json, headers } = await cancel(id);
            assert.equal(answered, as, `${status}`);
            assert.match(json.error.message, new RegExp(`${status}.*: Its own words`));
            if (as >= 500) assert.equal(headers.get('retry-after'), '3');
          }
          failure = undefined;
          assert.ok(['queued', 'running'].includes((await sendTaskRequest(id)).json.status));
        });

      it('does not lose the task when it fails to delete it', async () => {
        const id = await createTask(kind.completed);
        while ((await sendTaskRequest(id)).json.status !== 'completed');
        const deletes = ['responses in the background', 'interactions in the background', 'video jobs'];
        failure = { status: 503 };
        const { status, json } = await sendTaskRequest(id, 'DELETE');
        if (!deletes.includes(kind.name)) {
          assert.equal(status, 200, 'the upstream cannot delete tasks');
          return;
        }
        assert.equal(status, 503);
        assert.match(json.error.message, /returned 503 to the request to delete this task: Its own words\./);
        failure = { status: 403 };
        assert.equal((await sendTaskRequest(id, 'DELETE')).status, 424);
        assert.equal((await sendTaskRequest(id)).json.status, 'completed');
        failure = { status: 404 };
        assert.equal(
          (await sendTaskRequest(id, 'DELETE')).status,
          200,
          'the upstream has already deleted it',
        );
        assert.equal((await sendTaskRequest(id)).status, 404);
      });
    });
  }

  // This test is last because the pause continues.
  describe('with 429', () => {
    it('F77 does not get requests about its tasks before its retry time, while another upstream does', async () => {
      const createTaskOf = async (place: number) => {
        kind = taskKinds[place] as TaskKind;
        return createTask(kind.running);
      };
      const other = await createTaskOf(0);
      const [first, second] = [await createTaskOf(3), await createTaskOf(3)];
      failure = { status: 429, headers: { 'retry-after': '600' } };
      const countReads = () => upstream.requests.filter(({ method }) => method === 'GET').length;
      assert.equal((await sendTaskRequest(first)).headers.get('x-gateway-stale'), 'upstream_429');
      const readsBefore = countReads();
      const { headers, json } = await sendTaskRequest(second);
      assert.deepEqual([headers.get('x-gateway-stale'), json.status], ['upstream_429', 'queued']);
      assert.equal(countReads(), readsBefore);
      failure = undefined;
      kind = taskKinds[0] as TaskKind;
      state = kind.running;
      assert.equal((await sendTaskRequest(other)).headers.get('x-gateway-stale'), null);
    });
  });
});
