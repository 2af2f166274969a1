import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import {
  listRequestedModels,
  models,
  sendChat,
  setUpAliases,
  unreachableUrl,
} from '../support/testAliases.ts';
import { createUpstreamConfig } from '../support/testUpstreams.ts';

describe('an alias of the local gateway', function () {
  this.timeout(30_000);
  const { startModelUpstream, startWorkingUpstream, startFailingUpstream, startGatewayWith } = setUpAliases();

  it('uses the next model when an upstream cannot be reached, and reports which model replied', async () => {
    const two = await startWorkingUpstream();
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', unreachableUrl, { models: ['m'] }),
        createUpstreamConfig('two', two.baseUrl),
      ],
      [{ name: 'fast', models }],
    );
    const reply = await sendChat(gateway);
    assert.equal(await reply.text(), '{"fine":true}');
    assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
    assert.equal(reply.headers.get('x-upstream'), 'two');
    assert.equal(reply.headers.get('x-gateway-skipped-models'), 'one/m (not sent)');
    assert.deepEqual(listRequestedModels(two), ['m']);
    const direct = await postChat(gateway, { body: createChatBody('hi', { model: 'two/m' }) });
    assert.equal(direct.headers.get('x-gateway-model'), null);
  });

  it('uses the next model after 429, and skips the first one until its retry time', async () => {
    const [one, two] = [
      await startFailingUpstream(429, { 'retry-after': '60' }),
      await startWorkingUpstream(),
    ];
    const gateway = await startGatewayWith(
      [createUpstreamConfig('one', one.baseUrl), createUpstreamConfig('two', two.baseUrl)],
      [{ name: 'fast', models }],
    );
    const reply = await sendChat(gateway);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-gateway-skipped-models'), 'one/m (429)');
    assert.equal((await sendChat(gateway)).headers.get('x-gateway-skipped-models'), 'one/m (not sent)');
    assert.deepEqual([listRequestedModels(one).length, listRequestedModels(two).length], [1, 2]);
  });

  it('does not use another model after 5xx or a broken connection, unless it is configured to', async () => {
    for (const first of [await startFailingUpstream(503), await startModelUpstream((res) => res.destroy())]) {
      const two = await startWorkingUpstream();
      const gateway = await startGatewayWith(
        [createUpstreamConfig('one', first.baseUrl), createUpstreamConfig('two', two.baseUrl)],
        [
          { name: 'fast', models },
          { name: 'sure', models, nextOnServerError: true },
        ],
      );
      const reply = await sendChat(gateway);
      assert.ok(reply.status >= 502);
      assert.equal(reply.headers.get('x-gateway-model'), 'one/m');
      assert.equal(listRequestedModels(two).length, 0);
      const sure = await sendChat(gateway, { model: 'sure' });
      assert.equal(await sure.text(), '{"fine":true}');
      assert.match(sure.headers.get('x-gateway-skipped-models') ?? '', /^one\/m \(50[23], may be billed\)$/);
      await gateway.stop();
      assert.match(gateway.stderr(), /two\/m by two for sure, after one\/m \(50\d, may be billed\)/);
      assert.deepEqual([listRequestedModels(first).length, listRequestedModels(two).length], [2, 1]);
    }
  });

  it('does not use another model after a refusal', async () => {
    for (const code of [400, 401, 404, 422]) {
      const [one, two] = [await startFailingUpstream(code), await startWorkingUpstream()];
      const gateway = await startGatewayWith(
        [createUpstreamConfig('one', one.baseUrl), createUpstreamConfig('two', two.baseUrl)],
        [{ name: 'fast', models, nextOnServerError: true }],
      );
      assert.equal((await sendChat(gateway)).status, code === 401 ? 424 : code);
      assert.equal(listRequestedModels(two).length, 0);
    }
  });

  it('does not use another model once a part of a reply was passed on', async () => {
    const one = await startModelUpstream((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {"n":1}\n\n', () => setTimeout(() => res.destroy(), 50));
    });
    const two = await startWorkingUpstream();
    const gateway = await startGatewayWith(
      [createUpstreamConfig('one', one.baseUrl), createUpstreamConfig('two', two.baseUrl)],
      [{ name: 'fast', models, nextOnServerError: true, nextAfterSeconds: 10 }],
    );
    const reply = await sendChat(gateway, { stream: true });
    assert.equal(reply.status, 200);
    await assert.rejects(reply.text());
    assert.equal(listRequestedModels(two).length, 0);
  });

  it('uses the next model when a reply does not begin within its configured time', async () => {
    const closed = Promise.withResolvers<void>();
    const silent = await startModelUpstream((res) => void once(res, 'close').then(() => closed.resolve()));
    const headOnly = await startModelUpstream((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const last = await startWorkingUpstream();
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', silent.baseUrl),
        createUpstreamConfig('two', headOnly.baseUrl),
        createUpstreamConfig('three', last.baseUrl),
      ],
      [{ name: 'fast', models: [...models, 'three/m'], nextAfterSeconds: 0.3 }],
    );
    const reply = await sendChat(gateway, { stream: true });
    assert.equal(await reply.text(), '{"fine":true}');
    assert.equal(
      reply.headers.get('x-gateway-skipped-models'),
      'one/m (no reply, may be billed); two/m (no reply, may be billed)',
    );
    await closed.promise;
  });

  it('passes on the refusal it received when the other models cannot be reached', async () => {
    const one = await startFailingUpstream(429, { 'x-content': 'yes' });
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', one.baseUrl),
        createUpstreamConfig('two', unreachableUrl, { models: ['m'] }),
      ],
      [{ name: 'fast', models }],
    );
    const reply = await sendChat(gateway);
    assert.equal(reply.status, 429);
    assert.match(await reply.text(), /says 429/);
    assert.equal(reply.headers.get('x-content'), 'yes');
    assert.equal(reply.headers.get('x-gateway-model'), 'one/m');
  });

  it('sends the shortest retry time when all of its models are paused', async () => {
    const upstreams = [
      await startFailingUpstream(429, { 'retry-after': '40' }),
      await startFailingUpstream(429, { 'retry-after': '7' }),
      await startFailingUpstream(429, { 'retry-after': '90' }),
    ];
    const gateway = await startGatewayWith(
      upstreams.map(({ baseUrl }, i) => createUpstreamConfig(`u${i}`, baseUrl)),
      [{ name: 'fast', models: ['u0/m', 'u1/m', 'u2/m'] }],
    );
    assert.equal((await sendChat(gateway)).status, 429);
    const alone = await sendChat(gateway);
    assert.equal(alone.status, 503);
    assert.ok(Number(alone.headers.get('retry-after')) <= 7);
    assert.deepEqual(
      upstreams.map((upstream) => listRequestedModels(upstream).length),
      [1, 1, 1],
    );
  });

  it('uses the next model when a request cannot be converted for the first', async () => {
    const [one, two] = [await startWorkingUpstream(), await startWorkingUpstream()];
    const gateway = await startGatewayWith(
      [
        createUpstreamConfig('one', one.baseUrl, { formats: ['messages'] }),
        createUpstreamConfig('two', two.baseUrl),
      ],
      [{ name: 'fast', models }],
    );
    const reply = await sendChat(gateway, { seed: 5 });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-gateway-model'), 'two/m');
    assert.equal(listRequestedModels(one).length, 0);
  });
});
