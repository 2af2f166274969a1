import assert from 'node:assert/strict';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';
import { createVideo } from '../support/upstreamTaskKinds.ts';

describe('a form for a video job', () => {
  const { startScriptedUpstream, startGatewayFor } = setUpUpstreams();

  async function post(baseUrl: string, credential: string, fields: Readonly<Record<string, string>>) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const headers = { authorization: `Bearer ${credential}`, 'idempotency-key': 'once' };
    const reply = await fetch(`${baseUrl}/v1/videos`, { method: 'POST', headers, body: form });
    return { reply, form, json: (await reply.json()) as { readonly id: string } };
  }

  it('is sent to its upstream unchanged, and counts as the same request with another boundary', async () => {
    const upstream = await startScriptedUpstream((_request, res) =>
      res.end(JSON.stringify(createVideo('queued'))),
    );
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl, { videos: true })]);
    const fields = { model: 'm', prompt: 'A cat' };
    const { reply, form, json } = await post(gateway.baseUrl, gateway.credential, fields);
    assert.equal(reply.status, 200);
    assert.equal((await sendCall(gateway, { path: `/v1/tasks/${json.id}` })).json.prompt, 'A cat');
    const [request] = upstream.requests;
    const type = request?.headers['content-type'] ?? '';
    const body = new Uint8Array(request?.body ?? []);
    assert.deepEqual(
      [...(await new Response(body, { headers: { 'content-type': type } }).formData())],
      [...form],
    );
    const again = await post(gateway.baseUrl, gateway.credential, fields);
    assert.equal(again.json.id, json.id);
    assert.equal(upstream.requests.filter(({ method }) => method === 'POST').length, 1);
  });

  it('creates a video of the demo', async () => {
    const gateway = await startGatewayFor([createUpstreamConfig('one', 'http://127.0.0.1:9/v1')], {
      demo: true,
    });
    const fields = { model: 'demo/video', prompt: 'A cat', size: '1280x720', seconds: '4' };
    const { json } = await post(gateway.baseUrl, gateway.credential, fields);
    const read = await sendCall(gateway, { path: `/v1/videos/${json.id}` });
    assert.equal(read.json.object, 'video');
    assert.equal((await sendCall(gateway, { path: `/v1/tasks/${json.id}` })).json.prompt, 'A cat');
  });

  it('can be replaced by JSON, which is rejected if its seconds are not a number', async () => {
    const gateway = await startGatewayFor([createUpstreamConfig('one', 'http://127.0.0.1:9/v1')], {
      demo: true,
    });
    for (const [seconds, status] of [
      ['4', 200],
      [4, 200],
      [{ toString: 1 }, 400],
      [[4], 400],
    ] as const) {
      const body = { model: 'demo/video', prompt: 'A cat', seconds };
      const reply = await sendCall(gateway, { method: 'POST', path: '/v1/videos', body });
      assert.equal(reply.status, status, JSON.stringify(seconds));
    }
  });
});
