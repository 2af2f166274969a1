import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';

const [responses, interactions, , videos] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];
const other = 'canary-credential-other';

interface Row {
  readonly kind: TaskKind;
  readonly field: string;
  readonly upstreamId: string;
  readonly model: string;
}

const rows: readonly Row[] = [
  { kind: responses, field: 'previous_response_id', upstreamId: 'resp_1', model: 'r/m' },
  { kind: interactions, field: 'previous_interaction_id', upstreamId: 'v1_Chd1', model: 'i/m' },
];

describe('a request that continues an earlier task', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;

  before(async () => {
    // Providers echo the id that they received.
    let earlier: unknown = null;
    upstream = await startUpstream(({ body, path }, res) => {
      const kind =
        [responses, interactions, videos].find(({ createPath }) => path.startsWith(createPath)) ?? responses;
      const field = kind === responses ? 'previous_response_id' : 'previous_interaction_id';
      if (body.length > 0) earlier = JSON.parse(body.toString())[field] ?? null;
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ ...kind.created, [field]: earlier }));
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreamConfig = (name: string, { config }: TaskKind) => ({ name, ...config, baseUrl: origin });
    const credentials = [{ name: 'other', sha256: createHash('sha256').update(other).digest('hex') }];
    const upstreams = [
      upstreamConfig('r', responses),
      upstreamConfig('i', interactions),
      upstreamConfig('v', videos),
      upstreamConfig('r2', responses),
      upstreamConfig('i2', interactions),
    ];
    gateway = await startGateway({ config: { upstreams, credentials } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const create = (kind: TaskKind, body: object, who = gateway) =>
    sendCall(who, { path: kind.createPath, body: { ...kind.body, ...body } });
  const countPosts = () => upstream.requests.filter(({ method }) => method === 'POST').length;
  const readLastBody = () => String(upstream.requests.at(-1)?.body);

  for (const { kind, field, upstreamId, model } of rows) {
    it(`is sent with the upstream's own id in ${field}, in the background and in the foreground`, async () => {
      const { id } = (await create(kind, { model })).json;
      const next = await create(kind, { model, [field]: id });
      assert.equal(JSON.parse(readLastBody())[field], upstreamId);
      assert.equal(next.json[field], id, 'the reply names this gateway’s id');
      const { record } = (await sendCall(gateway, { path: `/v1/tasks/${next.json.id}` })).json;
      assert.equal(record[field], id);

      const foreground = `{ "${field}" : "${id}", "unknown":1e2,"input":"on","model":"${model}" }`;
      const reply = await fetch(gateway.baseUrl + kind.createPath, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.credential}`, 'content-type': 'application/json' },
        body: foreground,
      });
      assert.equal(reply.status, 200);
      await reply.text();
      assert.equal(readLastBody(), foreground.replace(id, upstreamId).replace(model, 'm'));
    });

    it(`is passed on unchanged if ${field} is not a task of its caller`, async () => {
      const { id } = (await create(kind, { model })).json;
      for (const [earlier, who] of [
        ['task_never', gateway],
        [upstreamId, gateway],
        [id, { ...gateway, credential: other }],
      ] as const) {
        assert.equal((await create(kind, { model, [field]: earlier }, who)).status, 200);
        assert.equal(JSON.parse(readLastBody())[field], earlier);
      }
    });

    it(`is refused with an error that names ${field} if its upstream cannot continue that task`, async () => {
      const { id } = (await create(kind, { model })).json;
      const { id: film } = (await create(videos, { model: 'v/m' })).json;
      const postedBefore = countPosts();
      const refused: readonly (readonly [body: object, pattern: RegExp])[] = [
        [
          { model: model.replace('/', '2/'), [field]: id },
          /was made by upstream '[ri]'; name a model of that/,
        ],
        [{ model, [field]: film }, /this task is not of the kind /],
      ];
      for (const [body, pattern] of refused) {
        for (const background of [true, false]) {
          const { status, json } = await create(kind, { ...body, background, response_format: undefined });
          assert.equal(status, 400);
          assert.match(json.error.message, pattern);
          assert.ok(json.error.message.startsWith(`${field}: `));
        }
      }
      assert.equal(countPosts(), postedBefore);
    });
  }
});
