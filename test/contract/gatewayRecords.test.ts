import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import { decodeModelList } from '../../src/wire/apis/models/modelList.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import {
  createClient,
  createVideoInteraction,
  createVideoSynthesis,
  hasEnded,
  readUntil,
  type SentCall,
  sendCall,
} from '../support/gatewayTaskCalls.ts';

const quickPrompt = 'A cat, queue for 0 seconds, take 0 seconds';

describe('the local gateway, called on the routes of any provider,', function () {
  this.timeout(20_000);
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

  const get = (path: string, headers = {}) => sendCall(gateway, { path, headers });
  const sendSuccessfully = async (sent: SentCall) => {
    const { status, json } = await sendCall(gateway, sent);
    assert.equal(status, 200, `${sent.path} ${JSON.stringify(json)}`);
    return json;
  };

  it('returns the list of models in the format of the caller', async () => {
    const cases: readonly (readonly [path: string, headers: object, first: object])[] = [
      [
        '/v1/models',
        {},
        {
          id: 'demo/chat',
          object: 'model',
          created: 1_767_225_600,
          owned_by: 'demo',
          supports_assistant_prefill: true,
          upstream: 'demo',
        },
      ],
      ...['anthropic-version', 'vendor-version'].map(
        (name) =>
          [
            '/v1/models?limit=1',
            { [name]: '2023-06-01' },
            {
              type: 'model',
              id: 'demo/chat',
              display_name: 'demo/chat',
              created_at: '2026-01-01T00:00:00.000Z',
              upstream: 'demo',
            },
          ] as const,
      ),
      [
        '/v1beta/models?pageSize=1',
        {},
        {
          name: 'models/demo/chat',
          baseModelId: 'demo/chat',
          version: '1',
          displayName: 'demo/chat',
          description: 'A model of demo.',
          supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
          upstream: 'demo',
        },
      ],
    ];
    for (const [path, headers, first] of cases) {
      const { json } = await get(path, headers);
      assert.deepEqual((json.data ?? json.models)[0], first);
      const ids = (decodeModelList(json) ?? []).map(({ id }) => id);
      const all = path === '/v1/models' ? ['demo/chat', 'demo/reasoning', 'demo/video'] : ['demo/chat'];
      assert.deepEqual(ids, all);
    }
  });

  it('returns a single model under any spelling of its id', async () => {
    for (const id of ['demo/video', 'demo%2Fvideo', 'models/demo/video', 'publishers/demo/models/video']) {
      assert.equal((await sendSuccessfully({ path: `/v1/models/${id}` })).id, 'demo/video');
      const model = await sendSuccessfully({ path: `/v1beta/models/${id}` });
      assert.deepEqual([model.name, model.supportedGenerationMethods], ['models/demo/video', []]);
    }
    const messages = await get('/v1/models/demo%2Fchat', { 'anthropic-version': '2023-06-01' });
    assert.equal(messages.json.type, 'model');
  });

  it('returns 404 for an unknown model, in the format of the caller', async () => {
    const cases: readonly (readonly [path: string, headers: object, pattern: RegExp])[] = [
      ['/v1/models/demo/none', {}, /^\{"error":\{"message":"This local.*"code":"model_not_found"/],
      ['/v1/models/none', { 'anthropic-version': 'x' }, /^\{"type":"error".*"type":"not_found_error"/],
      ['/v1beta/models/none', {}, /^\{"error":\{"code":404,.*"status":"NOT_FOUND"/],
    ];
    for (const [path, headers, pattern] of cases) {
      const { status, bytes } = await get(path, headers);
      assert.equal(status, 404);
      assert.match(bytes.toString(), pattern);
    }
  });

  it('generates content with a model id that has a slash, with or without `models/` before it', async () => {
    const body = { contents: [{ parts: [{ text: 'hello' }] }] };
    const ids = ['demo/chat', 'models/demo/chat', 'models%2Fdemo%2Fchat', 'models/models/demo%2Fchat'];
    for (const id of [...ids, 'publishers/demo/models/chat', 'models/publishers/demo/models/chat']) {
      for (const version of ['v1', 'v1beta']) {
        const { modelVersion } = await sendSuccessfully({ path: `/${version}/${id}:generateContent`, body });
        assert.equal(modelVersion, 'demo/chat', id);
      }
      assert.ok((await sendSuccessfully({ path: `/v1beta/${id}:countTokens`, body })).totalTokens > 0);
      const streamed = await sendCall(gateway, { path: `/v1beta/${id}:streamGenerateContent?alt=sse`, body });
      assert.match(streamed.bytes.toString(), /^data: /);
    }
    const { status, json } = await sendCall(gateway, { path: '/v1beta/tunedModels/x:generateContent', body });
    assert.equal(status, 404);
    assert.match(json.error.message, /no model "tunedModels\/x"/);
  });

  it('marks the token counts of the demo as estimates', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'x'.repeat(400) }] }];
    const messages = [{ role: 'user', content: 'x'.repeat(400) }];
    const model = 'demo/chat';
    const counts = [
      await sendSuccessfully({ path: '/v1beta/models/demo/chat:countTokens', body: { contents } }),
      await sendSuccessfully({
        path: '/v1beta/models/demo/chat:countTokens',
        body: { generateContentRequest: { model: 'models/demo/chat', contents } },
      }),
      await sendSuccessfully({ path: '/v1/messages/count_tokens', body: { model, messages } }),
      await sendSuccessfully({ path: '/v1/responses/input_tokens', body: { model, input: 'x'.repeat(400) } }),
    ];
    for (const count of counts) {
      assert.equal(count.totalTokens ?? count.input_tokens, 104);
      assert.match(count.note, /estimate/);
    }
  });

  it('does not count tokens for an unknown model, a model without text, or an invalid request', async () => {
    const contents = [{ parts: [{ text: 'x' }] }];
    const messages = [{ role: 'user', content: 'x' }];
    const countPath = (model: string) => `/v1beta/models/${model}:countTokens`;
    const cases: readonly (readonly [path: string, body: object, status: number, pattern: RegExp])[] = [
      [countPath('demo/chta'), { contents }, 404, /no model "demo\/chta"/],
      [countPath('demo/video'), { contents }, 400, /cannot write text/],
      [countPath('demo/chat'), { contents, generateContentRequest: true }, 400, /generateContentRequest/],
      ['/v1/messages/count_tokens', { model: 'demo/chta', messages }, 404, /no model/],
      ['/v1/responses/input_tokens', { model: 'demo/chta', input: 'x' }, 404, /no model/],
    ];
    for (const [path, body, status, pattern] of cases) {
      const refused = await sendCall(gateway, { path, body });
      assert.equal(refused.status, status, path);
      assert.match(refused.json.error.message, pattern);
    }
  });

  it('returns a task in the format of the requested route', async () => {
    const created = [
      await client.startInteraction(createVideoInteraction(quickPrompt)),
      await client.videoSynthesis(createVideoSynthesis(quickPrompt)),
    ];
    for (const { id } of created) {
      await readUntil(client, id, hasEnded);
      const interaction = await sendSuccessfully({ path: `/v1beta/interactions/${id}?stream=false` });
      assert.deepEqual([interaction.id, interaction.status], [id, 'completed']);
      const [step, ...others] = interaction.steps;
      assert.deepEqual([step.type, step.content[0].mime_type, others], ['model_output', 'video/mp4', []]);
      const video = Buffer.from(step.content[0].data, 'base64');
      const reply = await sendSuccessfully({ path: `/v1/interactions/${id}?include_input=true` });
      assert.deepEqual(reply.steps[0], {
        type: 'user_input',
        content: [{ type: 'text', text: quickPrompt }],
      });

      const { output, usage } = await sendSuccessfully({ path: `/api/v1/tasks/${id}` });
      assert.deepEqual([output.task_id, output.task_status], [id, 'SUCCEEDED']);
      assert.match(output.end_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
      assert.deepEqual(usage, { duration: 5, video_count: 1, size: '640*360' });
      assert.deepEqual((await sendCall(gateway, { path: output.video_url })).bytes, video);
    }
  });

  it('returns a result as an address if the interaction requested one', async () => {
    const format = { type: 'video', delivery: 'uri' };
    const { id } = await client.startInteraction(
      createVideoInteraction(quickPrompt, { response_format: format }),
    );
    await readUntil(client, id, hasEnded);
    const { steps } = await sendSuccessfully({ path: `/v1beta/interactions/${id}` });
    assert.equal(steps[0].content[0].uri, `${gateway.baseUrl}/v1/tasks/${id}/content`);
  });

  it('returns the reason of a failed task in the format of each route', async () => {
    const failing = createVideoInteraction(`${quickPrompt}, fail with content filter`);
    const { id } = await client.startInteraction(failing);
    await readUntil(client, id, hasEnded);
    const interaction = await sendSuccessfully({ path: `/v1beta/interactions/${id}` });
    assert.equal(interaction.status, 'failed');
    assert.equal(interaction.errors[0].code, 'content_filter');
    const { output } = await sendSuccessfully({ path: `/api/v1/tasks/${id}` });
    assert.deepEqual([output.task_status, output.code], ['FAILED', 'content_filter']);
  });

  it('cancels and deletes a task by any route', async () => {
    const endless = 'A cat, never finish';
    const synthesis = await client.videoSynthesis(createVideoSynthesis(endless));
    const path = `/v1beta/interactions/${synthesis.id}`;
    const early = await sendCall(gateway, { path, method: 'DELETE' });
    assert.deepEqual([early.status, early.json.error.code], [409, 'invalid_request']);
    const cancelled = await sendSuccessfully({ path: `${path}/cancel`, body: {} });
    assert.deepEqual([cancelled.id, cancelled.status], [synthesis.id, 'cancelled']);
    assert.deepEqual(await sendSuccessfully({ path, method: 'DELETE' }), {});
    assert.equal((await get(path)).status, 404);

    const interaction = await client.startInteraction(createVideoInteraction(endless));
    const task = `/api/v1/tasks/${interaction.id}`;
    assert.deepEqual(Object.keys(await sendSuccessfully({ path: `${task}/cancel`, body: {} })), [
      'request_id',
    ]);
    assert.equal((await sendSuccessfully({ path: task })).output.task_status, 'CANCELED');
    const again = await sendCall(gateway, { path: `${task}/cancel`, body: {} });
    assert.deepEqual([again.status, again.json.code], [400, 'UnsupportedOperation']);
    assert.equal((await client.readTask(interaction.id)).rawStatus, 'cancelled');
  });

  it('returns the state UNKNOWN for a missing task in native video synthesis', async () => {
    const { output } = await sendSuccessfully({ path: '/api/v1/tasks/nothing' });
    assert.deepEqual(output, { task_id: 'nothing', task_status: 'UNKNOWN' });
  });

  it('streams an interaction, and continues after the last received event', async () => {
    const { id } = await client.startInteraction(
      createVideoInteraction('A cat, queue for 0s, take 1 second'),
    );
    const stream = async (more = '') =>
      (await get(`/v1beta/interactions/${id}?stream=true${more}`)).bytes.toString().split('\n\n');
    const events = await stream();
    const names = events.map((event) => /^event: (.*)/.exec(event)?.[1] ?? event);
    const steps = ['step.start', 'step.delta', 'step.stop'];
    const all = ['interaction.created', ...steps, 'interaction.completed', 'data: [DONE]', ''];
    assert.deepEqual(names, all);
    assert.deepEqual(await stream(`&last_event_id=${id}-3`), events.slice(3));
  });

  it('ends a stream without an error when the caller disconnects', async () => {
    const { id } = await client.startInteraction(createVideoInteraction('A cat, never finish'));
    const caller = new AbortController();
    const headers = { authorization: `Bearer ${gateway.credential}`, 'x-request-id': 'left-a-task' };
    const { signal } = caller;
    const path = `/v1beta/interactions/${id}?stream=true`;
    const response = await fetch(gateway.baseUrl + path, { headers, signal });
    await response.body?.getReader().read();
    caller.abort();
    const logged = /interactions\/\{task_id\} 200, \d+ ms, left-a-task, cut off/;
    while (!logged.test(gateway.stderr())) await once(gateway.process.stderr ?? process.stderr, 'data');
    await client.cancelTask(id);
    assert.doesNotMatch(gateway.stderr(), /unexpected/);
  });
});
