import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createChatBody, getModels, postChat } from '../support/chatCompletionsCalls.ts';
import { connectControl, waitForLog } from '../support/gatewayControl.ts';
import { type RunningGateway, startGateway, writeConfig } from '../support/gatewayProcess.ts';
import type { ScriptedUpstream } from '../support/scriptedUpstream.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

describe('an upstream of the local gateway under load', function () {
  this.timeout(30_000);
  const { startScriptedUpstream, startGatewayFor, stopAfterTest } = setUpUpstreams();

  /** An upstream whose chats a test completes, in the order of arrival. */
  async function startHeldUpstream() {
    const arrived: ServerResponse[] = [];
    const next: ((res: ServerResponse) => void)[] = [];
    const upstream = await startScriptedUpstream(({ method }, res) => {
      if (method === 'GET') return void res.end('{"data":[{"id":"m"},{"id":"n"}]}');
      const deliver = next.shift();
      if (deliver) deliver(res);
      else arrived.push(res);
    });
    const waitForArrival = () =>
      new Promise<ServerResponse>((resolve) => {
        const res = arrived.shift();
        if (res) resolve(res);
        else next.push(resolve);
      });
    return { upstream, waitForArrival };
  }

  const post = (gateway: RunningGateway, model = 'm', signal?: AbortSignal) =>
    postChat(gateway, { body: createChatBody('hi', { model }), ...(signal && { signal }) });

  function countPosts({ requests }: ScriptedUpstream): number {
    return requests.filter(({ method }) => method === 'POST').length;
  }

  async function readCode(reply: Response): Promise<string> {
    return ((await reply.json()) as { error: { code: string } }).error.code;
  }

  /** A gateway with two upstreams of the same limits. */
  async function startGatewayWithTwo(
    one: ScriptedUpstream,
    two: ScriptedUpstream,
    limits: object,
    aliases: readonly object[],
  ): Promise<RunningGateway> {
    const upstreams = [
      createUpstreamConfig('one', one.baseUrl, limits),
      createUpstreamConfig('two', two.baseUrl, limits),
    ];
    const gateway = await startGateway({ demo: false, config: { upstreams, aliases } });
    stopAfterTest(gateway);
    return gateway;
  }

  it('lets requests wait at its limit, up to a queue size, and does not get requests of callers that disconnected', async () => {
    const { upstream, waitForArrival } = await startHeldUpstream();
    const gateway = await startGatewayFor([
      createUpstreamConfig('one', upstream.baseUrl, { concurrentRequests: 1, waitingRequests: 1 }),
    ]);
    const first = post(gateway);
    const held = await waitForArrival();
    const callers = [new AbortController(), new AbortController()];
    const others = callers.map(async ({ signal }, i) => ({ i, reply: await post(gateway, 'm', signal) }));
    const { i, reply: refused } = await Promise.race(others);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(await readCode(refused), 'upstream_queue_full');
    callers[1 - i]?.abort();
    await assert.rejects(others[1 - i] ?? Promise.resolve());
    // The place in the queue is free once the gateway has seen the caller leave.
    let last: Promise<Response>;
    let full: boolean;
    do {
      last = post(gateway);
      full = (await Promise.race([last, waitShortly()]))?.status === 429;
    } while (full);
    held.end('{}');
    assert.equal((await first).status, 200);
    (await waitForArrival()).end('{}');
    assert.equal((await last).status, 200);
    assert.equal(countPosts(upstream), 2);
  });

  it('is skipped by an alias while another of its models has capacity', async () => {
    const [one, two] = [await startHeldUpstream(), await startHeldUpstream()];
    const limits = { concurrentRequests: 1 };
    for (const strategy of ['fallback', 'round-robin', 'weighted']) {
      const gateway = await startGatewayWithTwo(one.upstream, two.upstream, limits, [
        { name: 'fast', models: ['one/m', 'two/m'], strategy },
      ]);
      const first = post(gateway, 'one/m');
      const held = await one.waitForArrival();
      const other = post(gateway, 'fast');
      (await two.waitForArrival()).end('{}');
      const reply = await other;
      assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
      assert.equal(reply.headers.get('x-gateway-skipped-models'), 'one/m (busy)');
      held.end('{}');
      await first;
    }
  });

  it('waits in one queue with the others of an alias, and the first with capacity gets the request, once', async () => {
    const [one, two] = [await startHeldUpstream(), await startHeldUpstream()];
    const gateway = await startGatewayWithTwo(one.upstream, two.upstream, { concurrentRequests: 1 }, [
      { name: 'fast', models: ['one/m', 'two/m'] },
    ]);
    const running = [post(gateway, 'one/m'), post(gateway, 'two/m')];
    const [atOne, atTwo] = [await one.waitForArrival(), await two.waitForArrival()];
    const waiting = post(gateway, 'fast');
    assert.equal(await Promise.race([waiting, waitShortly()]), undefined);
    atTwo.end('{}');
    (await two.waitForArrival()).end('{}');
    const reply = await waiting;
    assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
    assert.equal(reply.headers.get('x-gateway-skipped-models'), 'one/m (busy)');
    atOne.end('{}');
    await Promise.all(running);
    const last = post(gateway, 'one/m');
    (await one.waitForArrival()).end('{}');
    assert.equal((await last).status, 200, 'it left the queue of the other one');
    assert.deepEqual([countPosts(one.upstream), countPosts(two.upstream)], [2, 2]);
  });

  it('does not get a request when the queues of all models of an alias are full, and the caller gets 429', async () => {
    const [one, two] = [await startHeldUpstream(), await startHeldUpstream()];
    const full = { concurrentRequests: 1, waitingRequests: 0 };
    const gateway = await startGatewayWithTwo(one.upstream, two.upstream, full, [
      { name: 'fast', models: ['one/m', 'two/m'] },
    ]);
    const running = [post(gateway, 'one/m'), post(gateway, 'two/m')];
    const held = [await one.waitForArrival(), await two.waitForArrival()];
    const refused = await post(gateway, 'fast');
    assert.equal(refused.status, 429);
    assert.equal(await readCode(refused), 'upstream_queue_full');
    for (const res of held) res.end('{}');
    await Promise.all(running);
    assert.deepEqual([countPosts(one.upstream), countPosts(two.upstream)], [1, 1]);
  });

  it('is paused for its retry time, only for the refused model', async () => {
    const upstream = await startScriptedUpstream(({ body }, res) => {
      const { model } = JSON.parse(body.toString() || '{}');
      if (model === 'm') res.writeHead(429, { 'retry-after': '30' }).end('{"error":{"message":"slow"}}');
      else res.end('{}');
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const refused = await post(gateway);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '30');
    await refused.text();
    const alone = await post(gateway);
    assert.equal(alone.status, 503);
    assert.ok(Number(alone.headers.get('retry-after')) > 20);
    assert.equal(await readCode(alone), 'upstream_paused');
    assert.equal((await post(gateway, 'n')).status, 200);
    assert.equal(countPosts(upstream), 2);
    const control = await connectControl(gateway);
    stopAfterTest({ stop: () => control.dispose() });
    const [one] = (await control.readStatus()).upstreams;
    assert.equal(one?.failingUntil, undefined);
    assert.deepEqual(
      one?.failingModels?.map(({ id, until }) => [id, until > Date.now()]),
      [['m', true]],
    );
  });

  it('is paused for its retry time also after a web page or an empty reply', async () => {
    for (const headers of [{ 'content-type': 'text/html' }, { 'content-length': '0' }]) {
      const upstream = await startScriptedUpstream(({ method }, res) => {
        if (method === 'GET') res.end('{"data":[{"id":"m"}]}');
        else res.writeHead(429, { 'retry-after': '30', ...headers }).end();
      });
      const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
      const refused = await post(gateway);
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
      assert.equal(await readCode(await post(gateway)), 'upstream_paused');
      assert.equal(countPosts(upstream), 1);
    }
  });

  it('is paused after consecutive failures, with a report to windows, until it can be reached again', async () => {
    let isDown = true;
    const upstream = await startScriptedUpstream(({ method }, res) => {
      if (isDown) res.destroy();
      else res.end(method === 'GET' ? '{"data":[{"id":"m"}]}' : '{}');
    });
    const gateway = await startGatewayFor([createUpstreamConfig('one', upstream.baseUrl)]);
    const control = await connectControl(gateway);
    stopAfterTest({ stop: () => control.dispose() });
    const changed = new Promise<void>((resolve) => control.onDidChange(resolve));
    for (let i = 0; i < 3; i++) assert.equal((await post(gateway)).status, 502);
    await changed;
    assert.equal(await readCode(await post(gateway)), 'upstream_paused');
    const [one] = (await control.readStatus()).upstreams;
    assert.ok((one?.failingUntil ?? 0) > Date.now() - 10_000);
    isDown = false;
    assert.equal((await getModels(gateway)).status, 200);
    assert.equal((await post(gateway)).status, 200);
    assert.equal((await control.readStatus()).upstreams[0]?.failingUntil, undefined);
  });

  it('gets new limits when the configuration changes, without ending open streams', async () => {
    const { upstream, waitForArrival } = await startHeldUpstream();
    const createConfig = (concurrentRequests: number) => ({
      upstreams: [createUpstreamConfig('one', upstream.baseUrl, { concurrentRequests })],
    });
    const config = writeConfig(createConfig(1));
    stopAfterTest({ stop: () => config.remove() });
    const gateway = await startGateway({ demo: false, args: ['--config', config.path] });
    stopAfterTest(gateway);
    const streaming = post(gateway);
    const stream = await waitForArrival();
    stream.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"n":1}\n\n');
    const waiting = post(gateway);
    config.write(createConfig(2));
    await waitForLog(gateway, /was read again/);
    (await waitForArrival()).end('{}');
    assert.equal((await waiting).status, 200);
    stream.end('data: [DONE]\n\n');
    assert.equal(await (await streaming).text(), 'data: {"n":1}\n\ndata: [DONE]\n\n');
  });
});

/** Long enough for a reply that is not delayed. */
function waitShortly(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), 300));
}
