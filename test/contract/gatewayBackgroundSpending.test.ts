import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ReadReply, sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';

const formats = [
  {
    kind: 'responses',
    path: '/v1/responses',
    body: { max_output_tokens: 1_000 },
    createUsage: (output_tokens: number) => ({ input_tokens: 10, output_tokens }),
  },
  {
    kind: 'interactions',
    path: '/v1beta/interactions',
    body: { generation_config: { max_output_tokens: 1_000 } },
    createUsage: (total_output_tokens: number) => ({ total_input_tokens: 10, total_output_tokens }),
  },
] as const;

describe('P17 spending limits of the local gateway for replies in the background', function () {
  this.timeout(120_000);
  let state: string;
  let upstream: ScriptedUpstream;
  let record: object;
  /** Replies instead of the record. */
  let upstreamReply: ((response: ServerResponse) => void) | undefined;
  let gateway: RunningGateway | undefined;

  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'gateway-background-'));
    upstreamReply = undefined;
    upstream = await startUpstream((_, response) => {
      if (upstreamReply) return upstreamReply(response);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(record));
    });
  });

  afterEach(async () => {
    await gateway?.stop();
    await upstream.close();
    rmSync(state, { recursive: true, force: true });
  });

  /** Starts a gateway whose replies cost one dollar for 1000 tokens. Its limit is one dollar a day. */
  async function start(kind: string): Promise<RunningGateway> {
    const { origin } = new URL(upstream.baseUrl);
    const prices = [{ models: 'm', input: 0, output: 1_000 }];
    gateway = await startGateway({
      demo: false,
      state,
      config: {
        upstreams: [{ name: 'one', kind, baseUrl: origin, models: ['m'], prices }],
        limits: [{ per: 'day', money: 1 }],
      },
    });
    return gateway;
  }

  function create({ path, body }: (typeof formats)[number]): Promise<ReadReply> {
    assert.ok(gateway);
    record = { id: 'r_1', status: 'in_progress' };
    return sendCall(gateway, { path, body: { model: 'm', input: 'Hi', background: true, ...body } });
  }

  /** Retrieves a reply until it has ended. */
  async function retrieve({ path }: (typeof formats)[number], id: string): Promise<void> {
    assert.ok(gateway);
    for (let status = 'in_progress'; ['queued', 'in_progress'].includes(status); )
      ({ status } = (await sendCall(gateway, { path: `${path}/${id}` })).json);
  }

  for (const format of formats) {
    const { kind, createUsage } = format;

    it(`count ${kind} with their maximum until they end, then once with their reported usage`, async () => {
      await start(kind);
      for (const status of ['completed', 'failed', 'cancelled']) {
        const { json } = await create(format);
        const refused = await create(format);
        assert.equal(refused.status, 429);
        record = { id: 'r_1', status, usage: createUsage(200) };
        await retrieve(format, json.id);
        await retrieve(format, json.id);
      }
      const { json } = await create(format);
      const refused = await create(format);
      assert.match(refused.json.error.message, /1\.6 USD of 1 USD used/);
      record = { id: 'r_1', status: 'completed', usage: createUsage(200) };
      await retrieve(format, json.id);
      assert.equal((await create(format)).status, 200, '0.8 USD are used');
      const { bytes } = await sendCall(gateway ?? assert.fail(), { path: '/metrics' });
      assert.match(bytes.toString(), /model_gateway_cost_usd_total\{.*upstream="one",credential=""\} 0\.8\n/);
      assert.match(
        bytes.toString(),
        /model_gateway_tokens_total\{.*upstream="one",direction="output"\} 800\n/,
      );
    });

    it(`count ${kind} whose usage is unknown with their maximum`, async () => {
      await start(kind);
      const { json } = await create(format);
      record = { id: 'r_1', status: 'failed', usage: createUsage(0) };
      await retrieve(format, json.id);
      const refused = await create(format);
      assert.match(refused.json.error.message, /1 USD of 1 USD used \(1 USD of it for failed tasks/);
    });
  }

  it('count a reply that is retrieved after the gateway was killed', async () => {
    const [responses] = formats;
    const first = await start(responses.kind);
    const { json } = await create(responses);
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    await start(responses.kind);
    assert.equal((await create(responses)).status, 429);
    record = { id: 'r_1', status: 'completed', usage: responses.createUsage(200) };
    await retrieve(responses, json.id);
    assert.equal((await create(responses)).status, 200);
  });

  it('count the larger one of the usages that a stream and a later record report, and its cost once', async () => {
    const [responses] = formats;
    const { baseUrl, credential } = await start(responses.kind);
    const ended = (usage: object) => ({ id: 'r_1', status: 'completed', usage });
    upstreamReply = (response) => {
      const events = [
        { type: 'response.created', response: { id: 'r_1', status: 'in_progress' } },
        { type: 'response.completed', response: ended(responses.createUsage(400)) },
      ];
      response.setHeader('content-type', 'text/event-stream');
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    };
    const body = { model: 'm', input: 'Hi', background: true, stream: true, ...responses.body };
    const streamed = await fetch(`${baseUrl}${responses.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const [, id = ''] = /"(task_[\w-]+)"/.exec(await streamed.text()) ?? [];
    await sendCall(gateway ?? assert.fail(), { path: `${responses.path}/${id}?stream=true` });
    upstreamReply = undefined;
    record = ended(responses.createUsage(1));
    await retrieve(responses, id);
    await create(responses);
    const refused = await create(responses);
    assert.match(refused.json.error.message, /1\.4 USD of 1 USD used/);
    const { bytes } = await sendCall(gateway ?? assert.fail(), { path: '/metrics' });
    assert.match(bytes.toString(), /model_gateway_cost_usd_total\{.*upstream="one",credential=""\} 0\.4\n/);
    const tokens = bytes.toString().match(/^model_gateway_tokens_total\{.*direction="output"\} .*$/gm);
    assert.deepEqual(tokens, ['model_gateway_tokens_total{model="m",upstream="one",direction="output"} 400']);
  });

  it('count a reply with almost no reported usage by its text', async () => {
    const [responses] = formats;
    await start(responses.kind);
    const { json } = await create(responses);
    const content = [{ type: 'output_text', text: 'word '.repeat(100_000) }];
    const output = [{ type: 'message', role: 'assistant', content }];
    record = { id: 'r_1', status: 'completed', output, usage: responses.createUsage(1) };
    await retrieve(responses, json.id);
    assert.equal((await create(responses)).status, 429);
  });
});
