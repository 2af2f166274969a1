import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { sendCall } from '../support/gatewayTaskCalls.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from '../support/scriptedUpstream.ts';
import { type TaskKind, taskKinds } from '../support/upstreamTaskKinds.ts';

const [responses, interactions] = taskKinds as readonly [TaskKind, TaskKind];

const createEvent = (data: string) => `event: x\ndata: ${data}\n\n`;
// Spaces, an escape, a number that is not a double and an unknown field are passed on unchanged.
const first = createEvent(
  '{"type":"response.created","sequence_number":0,"response":{ "id" : "resp_1", "object":"response","status":"queued","n":12345678901234567890,"later":"resp_1 é\\u00e9"}}',
);
const delta = createEvent(
  '{"type":"response.output_text.delta","sequence_number":1,"item_id":"msg_1","delta":"resp_1"}',
);
const last = createEvent(
  '{"type":"response.completed","sequence_number":2,"response":{"id":"resp_1","object":"response","status":"completed","output":[]}}',
);
const replaceId = (text: string, id: string) => text.replace(/("id" ?: ?)"resp_1"/g, `$1"${id}"`);
const eventStream = { 'content-type': 'text/event-stream' };

describe('streaming the events of a task', function () {
  this.timeout(60_000);
  let upstream: ScriptedUpstream;
  let gateway: RunningGateway;
  let respond: (request: UpstreamRequest, res: ServerResponse) => void;

  before(async () => {
    upstream = await startUpstream((request, res) => respond(request, res));
    const { origin } = new URL(upstream.baseUrl);
    const upstreamConfig = (name: string, { config }: TaskKind) => ({ name, ...config, baseUrl: origin });
    gateway = await startGateway({
      config: { upstreams: [upstreamConfig('r', responses), upstreamConfig('i', interactions)] },
    });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const sent = { model: 'r/m', input: 'Say hi', background: true, stream: true };
  const create = (body: object = sent, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${gateway.baseUrl}/v1/responses`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.credential}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const findId = (text: string) => /"(task_[\w-]+)"/.exec(text)?.[1] ?? '';

  /** The first piece of a reply, and a reader of the rest. */
  async function begin(reply: Response) {
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.ok(reader);
    const { value: firstEvents = '' } = await reader.read();
    const rest = async () => {
      let text = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        text += value;
      }
    };
    return { firstEvents, rest };
  }

  it('passes the events on at once, with only the id of the task changed', async () => {
    let upstreamReply: ServerResponse | undefined;
    respond = (_request, res) => {
      upstreamReply = res.writeHead(200, { ...eventStream, 'x-request-id': 'of-upstream' });
      res.write(first);
    };
    const reply = await create();
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/event-stream');
    assert.equal(reply.headers.get('x-upstream-request-id'), 'of-upstream');
    const { firstEvents, rest } = await begin(reply);
    const id = findId(firstEvents);
    assert.equal(firstEvents, replaceId(first, id));
    const { data } = (await sendCall(gateway, { path: '/v1/tasks?limit=1' })).json;
    assert.deepEqual([data[0].id, data[0].upstream_id, data[0].status], [id, 'resp_1', 'queued']);
    // The rest may be split anywhere.
    for (const byte of Buffer.from(delta + last)) upstreamReply?.write(Buffer.of(byte));
    upstreamReply?.end();
    assert.equal(await rest(), replaceId(delta + last, id));
    assert.deepEqual(JSON.parse(String(upstream.requests.at(-1)?.body)), { ...sent, model: 'm' });

    respond = (_request, res) => res.end(JSON.stringify(responses.completed));
    const { json } = await sendCall(gateway, { path: `/v1/responses/${id}` });
    assert.deepEqual([json.id, json.status], [id, 'completed']);
  });

  it('can be repeated from any position, and closes the upstream when the caller disconnects', async () => {
    const closed = Promise.withResolvers<void>();
    respond = (_request, res) => {
      res.once('close', closed.resolve);
      res.writeHead(200, eventStream).write(first);
    };
    const caller = new AbortController();
    const { firstEvents } = await begin(await create(sent, {}, caller.signal));
    const id = findId(firstEvents);
    caller.abort();
    await closed.promise;

    respond = ({ path }, res) => {
      assert.equal(path, '/v1/responses/resp_1?stream=true&starting_after=0&include[]=x');
      res.writeHead(200, eventStream).end(delta + last);
    };
    const path = `/v1/responses/${id}?stream=true&starting_after=0&include[]=x`;
    assert.equal((await sendCall(gateway, { path })).bytes.toString(), replaceId(delta + last, id));

    respond = (_request, res) =>
      res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":1}');
    const refused = await sendCall(gateway, { path });
    assert.deepEqual([refused.status, refused.json], [400, { error: 1 }]);
    respond = (_request, res) => res.end(JSON.stringify(responses.running));
    assert.equal(
      (await sendCall(gateway, { path })).json.id,
      id,
      'an upstream without events reports the state',
    );
  });

  it('stores the task even if the caller disconnects before the first event', async () => {
    const requestReceived = Promise.withResolvers<ServerResponse>();
    respond = (_request, res) => requestReceived.resolve(res.writeHead(200, eventStream));
    const caller = new AbortController();
    const aborted = create(sent, {}, caller.signal);
    const res = await requestReceived.promise;
    res.flushHeaders();
    caller.abort();
    await assert.rejects(aborted);
    const closed = once(res, 'close');
    res.write(first);
    await closed;
    const { data } = (await sendCall(gateway, { path: '/v1/tasks?limit=1' })).json;
    assert.deepEqual([data[0].upstream_id, data[0].status], ['resp_1', 'queued']);
  });

  it('is repeated for the same idempotency key, without creating another task', async () => {
    respond = ({ method }, res) => {
      res.writeHead(200, eventStream).end(method === 'POST' ? first : first + delta);
    };
    const before = upstream.requests.length;
    const key = { 'idempotency-key': 'streamed-once' };
    const text = await (await create(sent, key)).text();
    const id = findId(text);
    assert.equal(await (await create(sent, key)).text(), replaceId(first + delta, id));
    const methods = upstream.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(methods, ['POST /v1/responses', 'GET /v1/responses/resp_1?stream=true']);
  });

  it('reports the task as unknown if the stream ends before its id, and passes on the received part', async () => {
    const failed = createEvent('{"type":"error","code":"server_error","message":"It broke."}');
    respond = (_request, res) => res.writeHead(200, eventStream).end(failed);
    const reply = await create();
    assert.equal(await reply.text(), failed);
    assert.equal(reply.headers.get('x-should-retry'), 'false');
    const { json } = await sendCall(gateway, { path: `/v1/tasks/${reply.headers.get('x-gateway-task')}` });
    assert.equal(json.status, 'unknown');

    respond = (_request, res) => {
      res.writeHead(200, eventStream).flushHeaders();
      res.destroy();
    };
    const cut = await create();
    assert.equal(cut.status, 502);
    assert.match(await cut.text(), /outcome_unknown/);
  });

  it('passes on the refusal of an upstream that does not stream in the background', async () => {
    const refusal = '{"error":{"message":"No background streams.","param":"stream"}}';
    respond = (_request, res) => res.writeHead(400, { 'content-type': 'application/json' }).end(refusal);
    const refused = await create();
    assert.deepEqual([refused.status, await refused.text()], [400, refusal]);
    respond = (_request, res) => res.end(JSON.stringify(responses.created));
    const { id } = JSON.parse(await (await create()).text());
    assert.match(id, /^task_/, 'a reply that is not streamed is passed on whole');
  });

  it('sends the upstream’s events of an interaction, or its final state if there are none', async () => {
    respond = (_request, res) => res.end(JSON.stringify(interactions.created));
    const body = { ...interactions.body, model: 'i/m' };
    const { id } = (await sendCall(gateway, { path: '/v1beta/interactions', body })).json;
    const events = createEvent(
      '{"event_type":"interaction.created","event_id":"e1","interaction":{"id":"v1_Chd1"}}',
    );
    respond = ({ path }, res) => {
      if (path.includes('stream=true')) res.writeHead(200, eventStream).end(events);
      else res.end(JSON.stringify(interactions.running));
    };
    const path = `/v1beta/interactions/${id}?stream=true`;
    const text = (await sendCall(gateway, { path })).bytes.toString();
    assert.equal(text, events.replace('v1_Chd1', id));
    assert.equal(upstream.requests.at(-1)?.path, '/v1beta/interactions/v1_Chd1?stream=true');

    respond = ({ path }, res) => {
      if (path.includes('stream=true')) res.writeHead(400).end('{"error":{"code":"invalid_request"}}');
      else res.end(JSON.stringify(interactions.completed));
    };
    const resumed = await sendCall(gateway, { path: `${path}&last_event_id=e1` });
    assert.equal(resumed.status, 400);
    const ended = (await sendCall(gateway, { path })).bytes.toString();
    assert.match(ended, /interaction\.completed/);
    assert.match(ended, /Hi there/);
    const requestCount = upstream.requests.length;
    const rest = (await sendCall(gateway, { path: `${path}&last_event_id=${id}-1` })).bytes.toString();
    assert.doesNotMatch(rest, /interaction\.created/);
    assert.equal(upstream.requests.length, requestCount);
  });

  it('is refused without sending if the format has no events during creation', async () => {
    const requestCount = upstream.requests.length;
    const body = { ...interactions.body, model: 'i/m', stream: true };
    const refused = await sendCall(gateway, { path: interactions.createPath, body });
    assert.equal(refused.status, 400);
    assert.match(refused.json.error.message, /^stream: /);
    assert.equal(upstream.requests.length, requestCount);
  });

  for (const compresses of ['on request', 'always']) {
    it(`is not required to read a task whose upstream compresses its replies ${compresses}`, async () => {
      respond = ({ headers, method }, res) => {
        const isCompressed = compresses === 'always' || /gzip/.test(String(headers['accept-encoding']));
        const text = JSON.stringify(method === 'POST' ? responses.created : responses.completed);
        res.writeHead(200, isCompressed ? { 'content-encoding': 'gzip' } : {});
        res.end(isCompressed ? gzipSync(text) : text);
      };
      const created = await (await create({ ...sent, stream: false })).text();
      const { json } = await sendCall(gateway, { path: `/v1/tasks/${findId(created)}` });
      assert.equal(json.status, 'completed');
    });
  }
});
