import assert from 'node:assert/strict';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream } from '../support/scriptedUpstream.ts';
import { createVideo, type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';

const [responses, interactions, , videos] = taskKinds as readonly [TaskKind, TaskKind, TaskKind, TaskKind];
const clip = Buffer.from('....ftypmp42 the bytes of a clip');

const request = { id: 'msg_0', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };

const events = [
  { type: 'response.created', sequence_number: 0, response: responses.created },
  { type: 'response.output_text.delta', sequence_number: 1, item_id: 'msg_1', delta: 'Hi there' },
  { type: 'response.completed', sequence_number: 2, response: responses.completed },
];

describe('tasks at upstreams, used with the providers’ client libraries', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let client: OpenAI;

  before(async () => {
    upstream = await startUpstream(({ method, path, body }, res) => {
      if (path.includes('/input_items')) {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ object: 'list', data: [request], has_more: false }));
      } else if (path.endsWith('/content')) {
        res.writeHead(200, { 'content-type': 'video/mp4' }).end(clip);
      } else if (path.endsWith('/remix')) {
        res.end(
          JSON.stringify({ ...createVideo('queued'), id: 'video_2', remixed_from_video_id: 'video_1' }),
        );
      } else if (path.startsWith('/v1/videos')) {
        res.end(JSON.stringify(createVideo('completed')));
      } else if (path.startsWith('/v1beta')) {
        res.end(JSON.stringify(method === 'POST' ? interactions.created : interactions.completed));
      } else if (path.includes('stream=true') || body.includes('"stream":true')) {
        const after = Number(new URL(path, 'http://x').searchParams.get('starting_after') ?? -1);
        const rest = events.filter((event) => event.sequence_number > after);
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(rest.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
      } else {
        res.end(JSON.stringify(method === 'POST' ? responses.created : responses.completed));
      }
    });
    const { origin } = new URL(upstream.baseUrl);
    const upstreamConfig = (name: string, { config }: TaskKind) => ({
      name,
      ...config,
      models: ['m'],
      baseUrl: origin,
    });
    gateway = await startGateway({
      config: {
        upstreams: [
          upstreamConfig('r', responses),
          upstreamConfig('i', interactions),
          upstreamConfig('v', videos),
        ],
      },
    });
    client = new OpenAI({ baseURL: `${gateway.baseUrl}/v1`, apiKey: gateway.credential, maxRetries: 0 });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  it('are background responses of openai: read, streamed, streamed again, continued and deleted', async () => {
    const { id } = await client.responses.create({ model: 'r/m', input: 'hi', background: true });
    assert.equal((await client.responses.retrieve(id)).output_text, 'Hi there');
    const received: string[] = [];
    let streamed = '';
    const sent = { model: 'r/m', input: 'hi', background: true, stream: true } as const;
    for await (const event of await client.responses.create(sent)) {
      received.push(event.type);
      if (event.type === 'response.completed') streamed = event.response.id;
    }
    assert.deepEqual(
      received,
      events.map(({ type }) => type),
    );
    const again: number[] = [];
    const from = { stream: true, starting_after: 0 } as const;
    for await (const event of await client.responses.retrieve(streamed, from))
      again.push(event.sequence_number);
    assert.deepEqual(again, [1, 2]);
    await client.responses.create({ model: 'r/m', input: 'on', background: true, previous_response_id: id });
    assert.equal(JSON.parse(String(upstream.requests.at(-1)?.body)).previous_response_id, 'resp_1');
    const items: object[] = [];
    for await (const item of client.responses.inputItems.list(id, { limit: 5 })) items.push(item);
    assert.deepEqual(items, [request]);
    assert.equal(upstream.requests.at(-1)?.path, '/v1/responses/resp_1/input_items?limit=5');
    await client.responses.delete(id);
    await assert.rejects(client.responses.retrieve(id), OpenAI.NotFoundError);
  });

  it('are videos of openai: created, read, listed page by page, downloaded and deleted', async () => {
    const createdIds: string[] = [];
    for (let i = 0; i < 3; i++)
      createdIds.push((await client.videos.create({ model: 'v/m', prompt: 'A cat' })).id);
    const listed: string[] = [];
    for await (const { id, status } of client.videos.list({ limit: 2, order: 'asc' })) {
      listed.push(id);
      assert.equal(status, 'completed');
    }
    assert.deepEqual(listed, createdIds);
    const [id = ''] = createdIds;
    assert.equal((await client.videos.retrieve(id)).status, 'completed');
    const content = await client.videos.downloadContent(id);
    assert.deepEqual(Buffer.from(await content.arrayBuffer()), clip);
    assert.equal((await client.videos.delete(id)).deleted, true);
    await assert.rejects(client.videos.retrieve(id), OpenAI.NotFoundError);
  });

  it('can be videos that are created from another video, at the upstream of that video', async () => {
    const { id } = await client.videos.create({ model: 'v/m', prompt: 'A cat' });
    const remix = await client.videos.remix(id, { prompt: 'A dog' });
    const request = upstream.requests.at(-1);
    assert.deepEqual(
      [request?.method, request?.path, JSON.parse(String(request?.body))],
      ['POST', '/v1/videos/video_1/remix', { prompt: 'A dog' }],
    );
    assert.match(remix.id, /^task_/);
    assert.notEqual(remix.id, id);
    assert.deepEqual([remix.status, remix.remixed_from_video_id], ['queued', id]);
    const listed = await client.videos.list({ limit: 1 });
    assert.equal(listed.data[0]?.id, remix.id);
  });

  it('return clear errors for operations that are not supported', async () => {
    const { id } = await client.videos.create({ model: 'v/m' as never, prompt: 'a cat' });
    await assert.rejects(client.responses.inputItems.list(id), { status: 501, code: 'not_implemented' });
    const background = await client.responses.create({ model: 'r/m', input: 'hi', background: true });
    const remix = client.videos.remix(background.id, { prompt: 'a dog' });
    await assert.rejects(remix, { status: 400, code: 'unsupported_operation' });
    const before = upstream.requests.length;
    const edit = client.videos.edit({ prompt: 'a dog', video: { id } });
    await assert.rejects(edit, {
      status: 400,
      code: 'unsupported_operation',
      message: /does not pass on edits of videos/,
    });
    assert.equal(upstream.requests.length, before);
  });

  it('are background interactions of @google/genai', async () => {
    const { baseUrl, credential } = gateway;
    const genai = new GoogleGenAI({ apiKey: credential, httpOptions: { baseUrl } });
    const { id } = await genai.interactions.create({ model: 'i/m', input: 'hi', background: true });
    assert.match(String(id), /^task_/);
    assert.equal((await genai.interactions.get(String(id))).status, 'completed');
  });
});
