import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import type { CheckedStep, StepName } from '../../src/client/connectionCheck/checkedStep.ts';
import { checkGateway, type GatewayCheck } from '../../src/client/connectionCheck/checkGateway.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { GatewayError } from '../../src/wire/failure.ts';
import { catalogueEntry } from '../../src/wire/failureCatalogue.ts';
import { startBlackHole } from '../support/blackHole.ts';
import { answering, type ConnectionScript, startFaultServer } from '../support/faultServer.ts';
import { testCredential } from '../support/faultServerCalls.ts';
import { makeCertificate, type TestCertificate } from '../support/faultServerCertificates.ts';
import { closedPort } from '../support/forwardProxy.ts';

const list = '{"object":"list","data":[{"id":"model-a"},{"id":"model-b"}]}';
const address = '127.0.0.1';

/** Where a check goes, and what of it is seen. */
interface Way {
  readonly options: Partial<ClientOptions> & { readonly baseUrl: string };
  readonly close?: () => Promise<unknown>;
}

async function serve(script: ConnectionScript, certificate?: TestCertificate): Promise<Way> {
  const server = await startFaultServer(script, certificate && { tls: certificate });
  return { options: { baseUrl: server.baseUrl }, close: () => server.close() };
}

/** A server that takes connections and does what `serve` does with them. */
async function listening(serve: (socket: net.Socket) => void, scheme = 'https'): Promise<Way> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  });
  await once(server.listen(0, address), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    options: { baseUrl: `${scheme}://${address}:${port}` },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function check(way: Way, signal = new AbortController().signal): Promise<GatewayCheck> {
  const timeouts = { connect: 2000, ...way.options.timeouts };
  try {
    return await checkGateway(
      { credential: async () => testCredential, ...way.options, timeouts },
      { signal },
    );
  } finally {
    await way.close?.();
  }
}

const states = ({ steps }: GatewayCheck) => steps.map(({ name, state }) => `${name} ${state}`);

function failedStep({ steps }: GatewayCheck): Extract<CheckedStep, { state: 'failed' }> {
  const last = steps.at(-1);
  assert.ok(last?.state === 'failed', 'the last step failed');
  return last;
}

describe('the check of a connection', () => {
  const authority = makeCertificate({ name: 'Test authority', authority: true });
  const trusted = tls.getCACertificates('default');
  before(() => tls.setDefaultCACertificates([...trusted, authority.cert]));
  after(() => tls.setDefaultCACertificates(trusted));

  it('passes every step of a gateway that is in order, tells what each found, and sends one request', async () => {
    const seen: string[] = [];
    const way = await serve(
      (connection, { method, path }) => {
        seen.push(`${method} ${path}`);
        return connection.respond(200, {}, list);
      },
      makeCertificate({ name: 'good', issuer: authority, address }),
    );
    const result = await check(way);
    assert.deepEqual(states(result), [
      'address passed',
      'name skipped',
      'connection passed',
      'proxy passed',
      'tls passed',
      'models passed',
      'credential passed',
    ]);
    assert.equal(result.error, undefined);
    assert.deepEqual(seen, ['GET /v1/models']);
    assert.deepEqual(
      result.models.map(({ id }) => id),
      ['model-a', 'model-b'],
    );
    const secured = result.steps.find((step) => step.name === 'tls' && step.state === 'passed');
    assert.ok(secured?.name === 'tls' && secured.state === 'passed');
    assert.match(secured.found.protocol ?? '', /^TLSv1/);
    assert.equal(secured.found.certificates[0]?.subject, 'good');
    assert.equal(secured.found.certificates[0]?.issuer, 'Test authority');
  });

  it('tells the addresses of a name', async () => {
    const way = await serve((connection) => connection.respond(200, {}, list));
    const baseUrl = way.options.baseUrl.replace(address, 'gateway.localhost');
    const { steps } = await check({ ...way, options: { baseUrl } });
    const named = steps.find(({ name }) => name === 'name');
    assert.ok(named?.name === 'name' && named.state === 'passed');
    assert.ok(named.found.addresses.includes(address));
  });

  interface Case {
    readonly title: string;
    readonly way: () => Promise<Way>;
    readonly step: StepName;
    /** Its kind and reason. */
    readonly failure: string;
    readonly words: RegExp;
    readonly firstStep: string;
  }

  const secured = (options: Parameters<typeof makeCertificate>[0]) => () =>
    serve((connection) => connection.respond(200, {}, list), makeCertificate(options));

  const cases: readonly Case[] = [
    {
      title: 'an address that may not be used',
      way: async () => ({ options: { baseUrl: 'http://gateway.example' } }),
      step: 'address',
      failure: 'unreachable/unusable-address',
      words: /Plain http/,
      firstStep: 'change-address',
    },
    {
      title: 'no such host',
      way: async () => ({ options: { baseUrl: 'https://gateway.invalid', transport: 'direct' } }),
      step: 'name',
      failure: 'unreachable/dns',
      words: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'no such host, where VS Code may know another way',
      way: async () => ({ options: { baseUrl: 'https://gateway.invalid' } }),
      step: 'name',
      failure: 'unreachable/dns',
      words: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'a port that refuses',
      way: async () => ({ options: { baseUrl: `https://${address}:${await closedPort()}` } }),
      step: 'connection',
      failure: 'unreachable/refused',
      words: /refuses connections/,
      firstStep: 'again',
    },
    {
      title: 'a black hole',
      way: async () => {
        const { port, close } = await startBlackHole();
        return { options: { baseUrl: `https://${address}:${port}`, timeouts: { connect: 200 } }, close };
      },
      step: 'connection',
      failure: 'unreachable/connect-timeout',
      words: /within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that is a black hole',
      way: async () => {
        const { port, close } = await startBlackHole();
        const proxy = () => `${address}:${port}`;
        return { options: { baseUrl: 'https://gateway.invalid', proxy, timeouts: { connect: 200 } }, close };
      },
      step: 'connection',
      failure: 'unreachable/connect-timeout',
      words: /proxy 127\.0\.0\.1:\d+.*within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a black hole behind a connection',
      way: async () => {
        const way = await listening(() => {});
        return { ...way, options: { ...way.options, timeouts: { connect: 200 } } };
      },
      step: 'tls',
      failure: 'unreachable/connect-timeout',
      words: /within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a certificate of an unknown authority',
      way: secured({
        name: 'stranger',
        address,
        issuer: makeCertificate({ name: 'Nobody', authority: true }),
      }),
      step: 'tls',
      failure: 'unreachable/tls-unknown-authority',
      words: /unknown authority/,
      firstStep: 'again',
    },
    {
      title: 'a certificate out of date',
      way: secured({ name: 'old', address, issuer: authority, validTo: new Date(0) }),
      step: 'tls',
      failure: 'unreachable/tls-expired',
      words: /out of date/,
      firstStep: 'again',
    },
    {
      title: 'a certificate of another host',
      way: secured({ name: 'other', address: '127.0.0.9', issuer: authority }),
      step: 'tls',
      failure: 'unreachable/tls-wrong-host',
      words: /is for another host/,
      firstStep: 'change-address',
    },
    {
      title: 'plain HTTP on a TLS port',
      way: () => listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      step: 'tls',
      failure: 'unreachable/tls-not-tls',
      words: /does not speak TLS/,
      firstStep: 'change-address',
    },
    {
      title: 'a connection that is broken off',
      way: () => listening((socket) => socket.once('data', () => socket.resetAndDestroy())),
      step: 'tls',
      failure: 'unreachable/reset',
      words: /broke off the connection/,
      firstStep: 'again',
    },
    {
      title: 'a web page',
      way: () =>
        serve((connection) =>
          connection.respond(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>'),
        ),
      step: 'models',
      failure: 'unreachable/not-a-gateway',
      words: /web page/,
      firstStep: 'change-address',
    },
    {
      title: 'a redirect',
      way: () => serve((connection) => connection.respond(302, { location: 'https://elsewhere.example/x' })),
      step: 'models',
      failure: 'unreachable/redirect',
      words: /redirects to https:\/\/elsewhere\.example/,
      firstStep: 'change-address',
    },
    {
      title: 'a server that is silent',
      way: async () => {
        const way = await serve(() => {});
        return { ...way, options: { ...way.options, timeouts: { firstByte: 200 } } };
      },
      step: 'models',
      failure: 'unreachable/first-byte-timeout',
      words: /no answer within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a credential that is refused',
      way: () => serve(answering(401, '{"error":{"message":"Incorrect key"}}')),
      step: 'credential',
      failure: 'authentication',
      words: /refused the credential \(HTTP 401\)/,
      firstStep: 'set-credential',
    },
    {
      title: 'an empty list',
      way: () => serve(answering(200, '{"object":"list","data":[]}')),
      step: 'models',
      failure: 'model-unavailable/no-models',
      words: /lists no models for this account/,
      firstStep: 'set-credential',
    },
    {
      title: 'a server that fails',
      way: () => serve(answering(503, '')),
      step: 'models',
      failure: 'server',
      words: /HTTP 503/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that refuses connections',
      way: async () => {
        const proxy = `${address}:${await closedPort()}`;
        return { options: { baseUrl: 'https://gateway.invalid', proxy: () => proxy } };
      },
      step: 'connection',
      failure: 'unreachable/proxy',
      words: /The proxy 127\.0\.0\.1:\d+ refuses connections/,
      firstStep: 'again',
    },
    {
      title: 'a proxy without a name server’s answer',
      way: async () => ({
        options: { baseUrl: 'https://gateway.invalid', proxy: () => 'proxy.invalid:3128' },
      }),
      step: 'name',
      failure: 'unreachable/proxy',
      words: /name of the proxy proxy\.invalid:3128 cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that VS Code cannot use',
      way: async () => ({
        options: { baseUrl: 'https://gateway.invalid', proxy: () => 'at an unreadable address' },
      }),
      step: 'proxy',
      failure: 'unreachable/proxy',
      words: /VS Code cannot use the proxy/,
      firstStep: 'again',
    },
  ];
  for (const { title, way, step, failure, words, firstStep } of cases) {
    it(`ends at the step ${step} for ${title}, with its class and what helps`, async () => {
      const result = await check(await way());
      const failed = failedStep(result);
      const { kind, reason, message } = failed.error;
      assert.equal(failed.name, step, states(result).join(', '));
      assert.equal([kind, reason].filter(Boolean).join('/'), failure);
      assert.match(message, words);
      assert.equal(catalogueEntry(failed.error).steps[0], firstStep);
      assert.equal(result.error, failed.error);
      assert.ok(
        result.steps.slice(0, -1).every(({ state }) => state !== 'failed'),
        states(result).join(', '),
      );
    });
  }

  it('names the certificates that were shown, and sends nothing over such a connection', async () => {
    const issuer = makeCertificate({ name: 'Nobody', authority: true });
    let requests = 0;
    const way = await serve(() => requests++, makeCertificate({ name: 'stranger', address, issuer }));
    const { certificates = [] } = failedStep(await check(way));
    assert.deepEqual(
      certificates.map(({ subject, issuer: by }) => [subject, by]),
      [['stranger', 'Nobody']],
    );
    assert.match(certificates[0]?.hosts ?? '', /127\.0\.0\.1/);
    assert.match(certificates[0]?.sha256 ?? '', /^[\dA-F:]{95}$/);
    assert.equal(requests, 0);
  });

  it('says of a refused credential that the gateway answered', async () => {
    const result = await check(await serve(answering(403, '{}')));
    assert.deepEqual(states(result).slice(-2), ['models passed', 'credential failed']);
  });

  it('says whether a credential is set', async () => {
    const way = await serve(answering(200, list));
    const { steps } = await check({ ...way, options: { ...way.options, credential: async () => undefined } });
    const last = steps.at(-1);
    assert.ok(last?.name === 'credential' && last.state === 'passed' && !last.found.isSet);
  });

  it('ends at once when it is cancelled, and leaves no connection', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    const way = await listening((socket) => {
      socket.on('close', () => closed.resolve());
      controller.abort();
    });
    await assert.rejects(
      checkGateway({ credential: async () => testCredential, ...way.options }, { signal: controller.signal }),
      (error) => GatewayError.is(error, 'cancelled'),
    );
    await closed.promise;
    await way.close?.();
  });
});
