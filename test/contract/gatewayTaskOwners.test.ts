import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createVideoSynthesis, type SentCall, sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';

const hash = (credential: string) => createHash('sha256').update(credential).digest('hex');
const credentialConfig = (name: string) => ({ name, sha256: hash(`canary-credential-${name}`) });
const asynchronous = { 'x-vendor-async': 'enable' };

/** Every way to read or change a task. */
const listCalls = (id: string): readonly SentCall[] => [
  { path: `/v1/tasks/${id}` },
  { path: `/v1/tasks/${id}/content` },
  { path: `/v1/tasks/${id}/cancel`, method: 'POST' },
  { path: `/v1/tasks/${id}`, method: 'DELETE' },
  { path: `/v1beta/interactions/${id}` },
  { path: `/v1beta/interactions/${id}?stream=true` },
  { path: `/v1beta/interactions/${id}/cancel`, method: 'POST' },
  { path: `/v1beta/interactions/${id}`, method: 'DELETE' },
  { path: `/api/v1/tasks/${id}/cancel`, method: 'POST' },
  { path: `/v1/videos/${id}` },
  { path: `/v1/videos/${id}/content` },
  { path: `/v1/videos/${id}`, method: 'DELETE' },
  { path: `/v1/responses/${id}` },
  { path: `/v1/responses/${id}/cancel`, method: 'POST' },
  { path: `/v1/responses/${id}`, method: 'DELETE' },
];

describe('the tasks of a named credential', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let kind: TaskKind;

  before(async () => {
    upstream = await startUpstream(({ method, path }, res) => {
      const isCreation = method === 'POST' && !path.endsWith('/cancel');
      const body = JSON.stringify(isCreation ? kind.created : kind.running);
      res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreams = taskKinds.map(({ config }, i) => ({ name: `u${i}`, ...config, baseUrl: origin }));
    gateway = await startGateway({
      config: { upstreams, credentials: [credentialConfig('ci'), credentialConfig('other')] },
    });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const as = (name: string) => ({ ...gateway, credential: `canary-credential-${name}` });
  const listIds = async (who: RunningGateway) => {
    const { data } = (await sendCall(who, { path: '/v1/tasks?limit=100' })).json;
    return (data as { id: string }[]).map(({ id }) => id);
  };

  async function assertHiddenFromOthers(id: string): Promise<void> {
    const requestCount = upstream.requests.length;
    for (const way of listCalls(id)) {
      const headers = { 'x-request-id': 'the-same' };
      const { status, bytes } = await sendCall(as('other'), { ...way, headers });
      assert.equal(status, 404, `${way.method ?? 'GET'} ${way.path}`);
      const never = await sendCall(as('other'), {
        ...way,
        headers,
        path: way.path.replace(id, 'task_never'),
      });
      assert.equal(never.bytes.toString(), bytes.toString(), 'it is reported like a task that never existed');
    }
    const { json } = await sendCall(as('other'), { path: `/api/v1/tasks/${id}` });
    assert.equal(json.output.task_status, 'UNKNOWN');
    assert.ok(!(await listIds(as('other'))).includes(id));
    assert.equal(upstream.requests.length, requestCount, 'no request was sent to an upstream');
  }

  async function assertVisibleToOwner(id: string): Promise<void> {
    for (const who of [as('ci'), gateway]) {
      assert.ok((await listIds(who)).includes(id));
      assert.equal((await sendCall(who, { path: `/v1/tasks/${id}` })).status, 200);
    }
  }

  taskKinds.forEach((each, i) => {
    it(`are inaccessible to another named credential, and accessible to the user: ${each.name}`, async () => {
      kind = each;
      const body = { ...kind.body, model: `u${i}/m` };
      const created = await sendCall(as('ci'), { path: kind.createPath, body, headers: asynchronous });
      const { id } = created.json;
      await assertHiddenFromOthers(id);
      await assertVisibleToOwner(id);
    });
  });

  it('of the demo are also inaccessible to others, and named credentials cannot access those of the user', async () => {
    const path = '/api/v1/services/aigc/video-generation/video-synthesis';
    const make = async (who: RunningGateway) =>
      (
        await sendCall(who, {
          path,
          body: createVideoSynthesis('A cat, never finish'),
          headers: asynchronous,
        })
      ).json.id;
    const id = await make(as('ci'));
    await assertHiddenFromOthers(id);
    await assertVisibleToOwner(id);
    await assertHiddenFromOthers(await make(gateway));
    const cancelled = await sendCall(as('ci'), { path: `/v1/tasks/${id}/cancel`, method: 'POST' });
    assert.equal(cancelled.json.status, 'cancelled');
    assert.equal((await sendCall(as('ci'), { path: `/v1/tasks/${id}`, method: 'DELETE' })).status, 200);
  });

  it('may have the same Idempotency-Key as tasks of another credential', async () => {
    [, , , kind] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];
    const headers = { 'idempotency-key': 'the-same' };
    const make = (who: RunningGateway, prompt: string) =>
      sendCall(who, { path: kind.createPath, body: { model: 'u3/m', prompt }, headers });
    const first = await make(as('ci'), 'A cat');
    const second = await make(as('other'), 'A dog');
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.notEqual(first.json.id, second.json.id);
    assert.equal((await make(as('ci'), 'A cat')).json.id, first.json.id);
    assert.equal((await make(as('ci'), 'A dog')).status, 422);
  });
});
