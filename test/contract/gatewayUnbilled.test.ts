import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import { createChatBody, postChat } from '../support/chatCompletionsCalls.ts';
import { withFaultServer } from '../support/faultServerCalls.ts';
import { type RunningGateway, startGateway } from '../support/gatewayProcess.ts';
import { createUpstreamConfig, setUpUpstreams } from '../support/testUpstreams.ts';

const json = { 'content-type': 'application/json' };
const error = (message: string) => JSON.stringify({ error: { message } });
const refuse = (status: number, message: string) => (res: ServerResponse) =>
  void res.writeHead(status, { ...json, 'x-gateway-unbilled': 'true' }).end(error(message));

describe('an unbilled request of the local gateway', function () {
  this.timeout(30_000);
  const { startScriptedUpstream, stopAfterTest } = setUpUpstreams();
  let serve: (res: ServerResponse) => void;
  let gateway: RunningGateway;

  async function start(more: object = {}, fields: object = {}): Promise<void> {
    const upstream = await startScriptedUpstream((_, res) => serve(res));
    const one = createUpstreamConfig('one', upstream.baseUrl, { models: ['m'], ...fields });
    const keyless = createUpstreamConfig('two', upstream.baseUrl, { models: ['m'], keyEnv: 'NOT_SET' });
    gateway = await startGateway({ demo: false, config: { upstreams: [one, keyless], ...more } });
    stopAfterTest(gateway);
  }

  const send = (model = 'one/m') => postChat(gateway, { body: createChatBody('hi', { model }) });

  /** The spending that a client counts for one request; undefined if it counts nothing. */
  async function countSpent(
    { baseUrl, credential }: { readonly baseUrl: string; readonly credential: string },
    isLocalGateway: boolean,
    model = 'one/m',
  ): Promise<unknown> {
    const settled: unknown[] = [];
    const client = createGatewayClient({
      baseUrl,
      credential: async () => credential,
      isLocalGateway,
      spending: { reserve: async () => ({ settle: (spent) => settled.push(spent) }) },
    });
    await client.chatCompletions({ model, messages: [{ role: 'user', content: 'Hi' }] }, () => {});
    client.close();
    assert.equal(settled.length, 1);
    return settled[0];
  }

  for (const [name, refusal] of [
    ['a refused key', refuse(401, 'Words')],
    ['a key that is refused with 400', refuse(400, 'API key not valid.')],
  ] as const) {
    it(`with ${name} does not count for the limits of the gateway and of the window`, async () => {
      await start({ limits: [{ per: 'day', tokens: 10_000 }] });
      serve = refusal;
      for (let sent = 0; sent < 3; sent += 1) {
        const reply = await send();
        assert.deepEqual([reply.status, reply.headers.get('x-gateway-unbilled')], [424, 'true']);
      }
      assert.equal(await countSpent(gateway, true), undefined);
      serve = (res) => void res.writeHead(200, json).end('{"choices":[]}');
      assert.equal((await send()).status, 200);
    });
  }

  it('to an upstream that has no key or cannot be reached does not count for the limits of the window', async () => {
    await start({}, { baseUrl: 'http://127.0.0.1:9/v1' });
    for (const [model, status] of [
      ['one/m', 502],
      ['two/m', 424],
    ] as const) {
      const reply = await send(model);
      assert.deepEqual([reply.status, reply.headers.get('x-gateway-unbilled')], [status, 'true']);
      assert.equal(await countSpent(gateway, true, model), undefined);
      assert.notEqual(await countSpent(gateway, false, model), undefined);
    }
  });

  for (const [name, refusal] of [
    ['a 424 of an upstream about its key', refuse(424, 'API key not valid.')],
    ['a timeout with a message about a key', refuse(408, 'Invalid API key')],
    ['a 503', refuse(503, 'Words')],
  ] as const) {
    it(`is not recognized by words or headers of an upstream: ${name}`, async () => {
      await start({ limits: [{ per: 'day', tokens: 10_000 }] });
      serve = refusal;
      assert.notEqual(await countSpent(gateway, true), undefined);
      assert.equal((await send()).status, 429);
    });
  }

  it('is not recognized by the header of another gateway', async () => {
    await withFaultServer(
      (connection) =>
        connection.respond(424, { ...json, 'x-gateway-unbilled': 'true' }, error('Nothing was made')),
      async ({ server }) => {
        const other = { baseUrl: server.baseUrl, credential: 'test-credential' };
        assert.notEqual(await countSpent(other, false), undefined);
      },
    );
  });

  it('at the last model of an alias is not reported if an earlier model may have replied', async () => {
    await start({ aliases: [{ name: 'sure', models: ['one/m', 'two/m'], nextOnServerError: true }] });
    serve = (res) => void res.destroy();
    const reply = await send('sure');
    assert.deepEqual([reply.status, reply.headers.get('x-gateway-unbilled')], [424, null]);
    assert.match(await reply.text(), /Models tried before: one\/m \(502, may be billed\)/);
    assert.notEqual(await countSpent(gateway, true, 'sure'), undefined);
  });
});
