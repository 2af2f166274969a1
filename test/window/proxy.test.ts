import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { GatewayClient } from '../../src/client/gatewayClient.ts';
import type { Services } from '../../src/host/app/services.ts';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import type { FailureReason } from '../../src/wire/failures/gatewayError.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { useEditorsNetwork } from '../support/editorsNetwork.ts';
import { catchFailure, getServices, requests } from '../support/extensionServices.ts';
import { chatRequest } from '../support/faultServerCalls.ts';
import { makeCertificate, type TestCertificate } from '../support/faultServerCertificates.ts';
import {
  createBasicHeader,
  type ForwardProxy,
  type ForwardProxyOptions,
  findClosedPort,
  type ProxyFault,
  replyWithBytes,
  replyWithPage,
  startForwardProxy,
} from '../support/forwardProxy.ts';
import {
  type NamedGateway,
  readTestAuthority,
  setHttp,
  setTransport,
  startNamedGateway,
} from '../support/namedGateway.ts';

const credential = 'canary-credential-for-the-gateway';
const ignore = () => {};

describe('P14 a gateway behind a forward proxy', () => {
  let services: Services;
  let authority: TestCertificate;
  let gateway: NamedGateway;
  const closing: (() => unknown)[] = [];

  before(async () => {
    services = await getServices();
    authority = readTestAuthority();
  });

  beforeEach(async () => {
    gateway = await startNamedGateway(authority);
  });

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await gateway.close();
    await setHttp({
      proxy: undefined,
      noProxy: undefined,
      systemCertificates: undefined,
      proxySupport: undefined,
    });
  });

  after(() => setTransport(undefined));

  async function startProxy(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
    const proxy = await startForwardProxy({ target: gateway.server.port, ...options });
    closing.push(() => proxy.close());
    await setHttp({ proxy: proxy.url });
    return proxy;
  }

  async function connect(baseUrl = gateway.baseUrl): Promise<GatewayClient> {
    const client = await services.connection.openEndpoint({ baseUrl, credential: async () => credential });
    closing.push(() => client.close());
    return client;
  }

  function assertNothingArrived(): void {
    assert.deepEqual(gateway.lookedUp, [], 'no name was resolved without the proxy');
    assert.equal(gateway.server.connections, 0);
  }

  for (const transport of ['auto', 'host'] as const) {
    describe(`with the transport ${transport}`, () => {
      before(() => setTransport(transport));

      const open: readonly (readonly [
        title: string,
        (proxy: ForwardProxy) => string,
        options: () => ForwardProxyOptions,
      ])[] = [
        ['plain HTTP', ({ url }) => url, () => ({})],
        [
          'over TLS',
          ({ url }) => url,
          () => ({ tls: makeCertificate({ name: 'proxy', issuer: authority, address: '127.0.0.1' }) }),
        ],
        [
          'with credentials',
          ({ port }) => `http://jo:canary-password@127.0.0.1:${port}`,
          () => ({ credentials: createBasicHeader('jo:canary-password') }),
        ],
      ];
      for (const [title, address, options] of open) {
        it(`gets every request through the proxy, over reused connections: ${title}`, async () => {
          const proxy = await startProxy(options());
          await setHttp({ proxy: address(proxy) });
          const client = await connect();
          for (let round = 0; round < 3; round++) assert.equal((await client.listModels())[0]?.id, 'a');
          assert.equal((await client.chatCompletions(chatRequest, ignore)).outcome.kind, 'complete');
          assert.equal((await client.startInteraction({ model: 'm', input: 'x' })).id, 't');
          assert.equal(gateway.server.requests.length, 5);
          // The chat's reply closes its connection.
          assert.deepEqual(
            proxy.connectRequests.map((way) => way.authority),
            [gateway.authority, gateway.authority],
          );
          assert.doesNotMatch(
            JSON.stringify([proxy.connectRequests, proxy.plainRequests]),
            new RegExp(credential),
          );
          assert.deepEqual(gateway.lookedUp, []);
        });
      }

      const refusals: readonly (readonly [
        answer: string,
        fault: ProxyFault,
        reason: FailureReason,
        words: RegExp,
      ])[] = [
        ['407', replyWithPage(407), 'proxy-credentials', /sign in when VS Code prompts/],
        ['403', replyWithPage(403), 'proxy-refused', /refused to connect to gateway\.model\.test/],
        ['502', replyWithPage(502), 'proxy-refused', /could not reach gateway\.model\.test/],
        ['200 and hangs up', replyWithBytes('HTTP/1.1 200 OK\r\n\r\n'), 'reset', /through the proxy/],
        [
          '200 and something that is not TLS',
          replyWithBytes('HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n'),
          'tls-not-tls',
          /through the proxy/,
        ],
      ];
      for (const [answer, fault, reason, words] of refusals) {
        it(`F22 does not get a request if the proxy replies ${answer}, and the error names the proxy`, async () => {
          const proxy = await startProxy({ fault });
          const client = await connect();
          for (const request of requests) {
            const failure = await request(client);
            assert.deepEqual(
              [failure.kind, failure.reason, failure.wasSent, failure.status],
              ['unreachable', reason, false, undefined],
            );
            assert.match(failure.message, words);
            assert.ok(failure.message.includes(proxy.host), failure.message);
            assert.ok(!failureMessage(failure).actions.includes('set-credential'));
          }
          assert.equal(proxy.connectRequests.length, requests.length, 'one attempt each');
          assertNothingArrived();
        });
      }

      it('does not get a request if the proxy wants other credentials, and the given ones are not revealed', async () => {
        const proxy = await startProxy({ credentials: createBasicHeader('jo:right') });
        await setHttp({ proxy: `http://jo:canary-password@${proxy.host}` });
        const failure = await catchFailure((await connect()).listModels());
        assert.equal(failure.reason, 'proxy-credentials');
        assert.ok(failure.message.includes(proxy.host));
        assert.doesNotMatch(`${failure.stack} ${JSON.stringify(failureMessage(failure))}`, /canary|jo:/);
        assertNothingArrived();
      });

      const broken: readonly (readonly [title: string, start: () => Promise<string>, words: RegExp])[] = [
        [
          'that refuses connections',
          async () => `http://127.0.0.1:${await findClosedPort()}`,
          /proxy 127\.0\.0\.1:\d+ refuses connections/,
        ],
        [
          'whose name cannot be resolved',
          async () => 'http://proxy.model.test:3128',
          /name of the proxy proxy\.model\.test:3128 cannot be resolved/,
        ],
        [
          'that does not speak HTTP',
          () => startServerThatSends('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
          /The server at 127\.0\.0\.1:\d+ is not a proxy/,
        ],
        [
          'that closes the connection',
          () => startServerThatSends(''),
          /The proxy 127\.0\.0\.1:\d+ closed the connection/,
        ],
        [
          'that does not speak TLS',
          async () => (await startServerThatSends('HTTP/1.1 400 No\r\n\r\n')).replace('http:', 'https:'),
          /The proxy 127\.0\.0\.1:\d+ does not use TLS/,
        ],
        [
          'whose certificate is not trusted',
          async () =>
            (await startProxy({ tls: makeCertificate({ name: 'self', address: '127.0.0.1' }) })).url,
          /certificate of the proxy 127\.0\.0\.1:\d+ comes from an unknown authority/,
        ],
        [
          'whose certificate is for another host',
          async () =>
            (
              await startProxy({
                tls: makeCertificate({ name: 'other', issuer: authority, host: 'other.test' }),
              })
            ).url,
          /certificate of the proxy 127\.0\.0\.1:\d+ is for another host/,
        ],
        [
          'whose address VS Code cannot read',
          async () => 'proxy.model.test:3128',
          /VS Code cannot use the configured proxy \(proxy\.model\.test:3128\)/,
        ],
      ];
      for (const [title, start, words] of broken) {
        it(`does not get a request around a proxy ${title}, and the error names the proxy`, async () => {
          await setHttp({ proxy: await start() });
          const client = await connect();
          for (const request of requests) {
            const failure = await request(client);
            assert.deepEqual(
              [failure.kind, failure.reason, failure.wasSent],
              ['unreachable', 'proxy', false],
              failure.message,
            );
            assert.match(failure.message, words);
          }
          assertNothingArrived();
        });
      }

      it('does not get a request through a silent proxy: the connect timeout applies, and the error names the proxy', async () => {
        const proxy = await startProxy({ fault: ignore });
        const client = await connect();
        for (const request of requests) {
          const failure = await request(client, { timeouts: { connect: 300 } });
          assert.deepEqual([failure.reason, failure.wasSent], ['connect-timeout', false]);
          assert.match(failure.message, /within 300 ms/);
          assert.ok(failure.message.includes(`through the proxy ${proxy.host}`), failure.message);
        }
        // The client does not try again after a timeout.
        assert.equal(proxy.connectRequests.length, requests.length);
        await Promise.all([...proxy.openSockets].map((socket) => socket.closed || once(socket, 'close')));
        assertNothingArrived();
      });

      it('does not get a request if its certificate is wrong behind the proxy, and no other transport is tried', async () => {
        const stranger = await startNamedGateway(undefined);
        closing.push(() => stranger.close());
        const proxy = await startProxy({ target: stranger.server.port });
        for (const request of requests) {
          const failure = await request(await connect());
          assert.deepEqual([failure.reason, failure.wasSent], ['tls-unknown-authority', false]);
          assert.ok(failure.message.includes(`through the proxy ${proxy.host}`));
        }
        assert.equal(proxy.connectRequests.length, requests.length);
        assert.deepEqual(stranger.server.requests, []);
        assertNothingArrived();
      });

      it('is reached without the proxy if it is excepted or on this machine', async () => {
        const proxy = await startProxy();
        await setHttp({ noProxy: ['model.test'] });
        await (await connect()).listModels();
        const here = await startLocalServer();
        for (const host of ['127.0.0.1', 'localhost', 'gateway.localhost', '127.0.0.2'])
          assert.equal((await (await connect(`http://${host}:${here}`)).listModels())[0]?.id, 'here', host);
        assert.deepEqual([proxy.connectRequests, proxy.plainRequests], [[], []]);
        assert.deepEqual(gateway.lookedUp, ['gateway.model.test']);
      });

      it('is not verified by the system’s authorities if http.systemCertificates is off, with any transport', async () => {
        const proxy = await startProxy();
        await setHttp({ systemCertificates: false });
        assert.equal((await catchFailure((await connect()).listModels())).reason, 'tls-unknown-authority');
        await setHttp({ proxy: undefined });
        assert.equal((await catchFailure((await connect()).listModels())).reason, 'tls-unknown-authority');
        assert.equal(proxy.connectRequests.length, 1);
        await setHttp({ systemCertificates: true });
        assert.equal((await (await connect()).listModels())[0]?.id, 'a');
      });

      it('does not get a request if only a variable that VS Code does not know names a proxy', async () => {
        process.env.ALL_PROXY = 'socks5://jo:canary-password@127.0.0.1:9';
        closing.push(() => delete process.env.ALL_PROXY);
        const failure = await catchFailure((await connect()).listModels());
        assert.deepEqual([failure.reason, failure.wasSent], ['proxy', false]);
        assert.match(failure.message, /127\.0\.0\.1:9/);
        assert.doesNotMatch(failure.message, /canary/);
        assertNothingArrived();
      });
    });
  }

  it('is reached directly with the transport direct', async () => {
    const proxy = await startProxy();
    await setTransport('direct');
    assert.equal((await (await connect()).listModels())[0]?.id, 'a');
    assert.deepEqual(proxy.connectRequests, []);
    await setHttp({ systemCertificates: false });
    assert.equal((await catchFailure((await connect()).listModels())).reason, 'tls-unknown-authority');
  });

  it('has the proxy settings and a retry offered, but no other address, if connecting fails', async () => {
    await setTransport('auto');
    await setHttp({ proxy: 'proxy.model.test:3128' });
    const seen = await answerDialogs(undefined, () =>
      typeIntoInputs([gateway.baseUrl, credential], () =>
        vscode.commands.executeCommand('modelGateway.connect'),
      ),
    );
    assert.match(seen.at(-1)?.message ?? '', /^VS Code cannot use the configured proxy/);
    assert.deepEqual(seen.at(-1)?.buttons, ['Try Again', 'Open Proxy Settings', 'More…']);
  });

  it('is reached through a new proxy when the settings change, and old connections are closed', async () => {
    await setTransport('auto');
    const first = await startProxy();
    const configured = { name: 'behind', baseUrl: gateway.baseUrl };
    await services.credentials.store(configured, credential);
    await services.gateways.save(configured);
    await services.gateways.setCurrent('behind');
    closing.push(() => services.gateways.remove('behind'));
    assert.equal((await services.connection.refresh()).phase, 'ready');
    const remaining = [...first.openSockets];
    assert.ok(remaining.length > 0);
    const requestCount = first.connectRequests.length;
    const second = await startProxy();
    await Promise.all(remaining.map((socket) => socket.closed || once(socket, 'close')));
    assert.equal((await services.connection.refresh()).phase, 'ready');
    assert.ok(second.connectRequests.length > 0);
    assert.equal(first.connectRequests.length, requestCount);
  });

  it('F21 is reached after VS Code’s proxy dialog, which does not count as connect time', async () => {
    const proxy = await startProxy({ credentials: createBasicHeader('jo:right') });
    await setTransport('host');
    const requestReceived = Promise.withResolvers<void>();
    const typed = Promise.withResolvers<object>();
    const restore = useEditorsNetwork(proxy.port, () => {
      requestReceived.resolve();
      return typed.promise;
    });
    closing.push(restore);
    const client = await connect();
    const call = client.listModels({ timeouts: { connect: 1500 } });
    await requestReceived.promise;
    // Longer than the timeout for a connection, which is paused during the dialog.
    await setTimeout(2000);
    typed.resolve({ username: 'jo', password: 'right' });
    assert.equal((await call)[0]?.id, 'a');
  });

  it('T30 is still verified with NODE_TLS_REJECT_UNAUTHORIZED=0, and the user is warned once', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    closing.push(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    const stranger = await startNamedGateway(undefined);
    closing.push(() => stranger.close());
    const seen = await answerDialogs(undefined, async () => {
      for (const transport of ['direct', 'host', 'auto']) {
        await setTransport(transport);
        const client = await connect(stranger.baseUrl);
        assert.equal((await catchFailure(client.listModels())).reason, 'tls-unknown-authority', transport);
      }
    });
    assert.equal(seen.filter(({ message }) => message.includes('NODE_TLS_REJECT_UNAUTHORIZED')).length, 1);
    assert.deepEqual(stranger.server.requests, []);
  });

  /** A server on this machine's own addresses that replies with another list. */
  async function startLocalServer(): Promise<number> {
    const server = net.createServer((socket) => {
      socket.on('data', () =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 24\r\n\r\n{"data":[{"id":"here"}]}'),
      );
      socket.on('error', ignore);
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    closing.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  /** The address of a server that replies to any request with these bytes, and hangs up. */
  async function startServerThatSends(bytes: string): Promise<string> {
    const server = net.createServer((socket) => {
      socket.on('error', ignore).once('data', () => socket.end(bytes));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
