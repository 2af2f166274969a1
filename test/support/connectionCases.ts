import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { CheckedStep, StepName } from '../../src/client/connectionCheck/checkedStep.ts';
import { checkGateway, type GatewayCheck } from '../../src/client/connectionCheck/checkGateway.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { catalogueEntry } from '../../src/wire/failures/failureCatalogue.ts';
import { startBlackHole } from './blackHole.ts';
import { answering, type ConnectionScript, startFaultServer } from './faultServer.ts';
import { testCredential } from './faultServerCalls.ts';
import { makeCertificate, type TestCertificate } from './faultServerCertificates.ts';
import { closedPort } from './forwardProxy.ts';

/** The host of the servers of checked connections. */
export const address = '127.0.0.1';

/** The client options for a check of a connection, and a function that closes the server. */
export interface Way {
  readonly options: Partial<ClientOptions> & { readonly baseUrl: string };
  readonly close?: () => Promise<unknown>;
}

export async function serve(script: ConnectionScript, certificate?: TestCertificate): Promise<Way> {
  const server = await startFaultServer(script, certificate && { tls: certificate });
  return { options: { baseUrl: server.baseUrl }, close: () => server.close() };
}

/** A server that accepts connections and passes them to `serve`. */
export async function listening(serve: (socket: net.Socket) => void, scheme = 'https'): Promise<Way> {
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

export async function check(way: Way, signal = new AbortController().signal): Promise<GatewayCheck> {
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

export const states = ({ steps }: GatewayCheck) => steps.map(({ name, state }) => `${name} ${state}`);

export function failedStep({ steps }: GatewayCheck): Extract<CheckedStep, { state: 'failed' }> {
  const last = steps.at(-1);
  assert.ok(last?.state === 'failed', 'the last step failed');
  return last;
}

/** A failing connection, and the report expected of the check. */
export interface ConnectionCase {
  readonly title: string;
  readonly way: () => Promise<Way>;
  readonly step: StepName;
  /** Its kind and reason. */
  readonly failure: string;
  readonly words: RegExp;
  readonly firstStep: string;
}

const secured = (options: Parameters<typeof makeCertificate>[0]) => () =>
  serve((connection) => connection.respond(200, {}, '{"data":[{"id":"model-a"}]}'), makeCertificate(options));

/**
 * Failing connections, one for each class of failures.
 *
 * @param authority returns a certificate authority that is trusted here
 */
export function connectionCases(authority: () => TestCertificate): readonly ConnectionCase[] {
  return [
    {
      title: 'an address that is not allowed',
      way: async () => ({ options: { baseUrl: 'http://gateway.example' } }),
      step: 'address',
      failure: 'unreachable/unusable-address',
      words: /Plain http/,
      firstStep: 'change-address',
    },
    {
      title: 'an unknown host',
      way: async () => ({ options: { baseUrl: 'https://gateway.invalid', transport: 'direct' } }),
      step: 'name',
      failure: 'unreachable/dns',
      words: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'an unknown host, with the default transport',
      way: async () => ({ options: { baseUrl: 'https://gateway.invalid' } }),
      step: 'name',
      failure: 'unreachable/dns',
      words: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'a port that refuses connections',
      way: async () => ({ options: { baseUrl: `https://${address}:${await closedPort()}` } }),
      step: 'connection',
      failure: 'unreachable/refused',
      words: /refuses connections/,
      firstStep: 'again',
    },
    {
      title: 'an address that does not respond',
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
      title: 'a proxy that does not respond',
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
      title: 'a server that accepts connections and stays silent',
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
      title: 'an expired certificate',
      way: async () => secured({ name: 'old', address, issuer: authority(), validTo: new Date(0) })(),
      step: 'tls',
      failure: 'unreachable/tls-expired',
      words: /has expired or is not valid yet/,
      firstStep: 'again',
    },
    {
      title: 'a certificate of another host',
      way: async () => secured({ name: 'other', address: '127.0.0.9', issuer: authority() })(),
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
      words: /does not use TLS/,
      firstStep: 'change-address',
    },
    {
      title: 'a connection that is reset',
      way: () => listening((socket) => socket.once('data', () => socket.resetAndDestroy())),
      step: 'tls',
      failure: 'unreachable/reset',
      words: /closed the connection/,
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
      title: 'a server that does not reply to the request',
      way: async () => {
        const way = await serve(() => {});
        return { ...way, options: { ...way.options, timeouts: { firstByte: 200 } } };
      },
      step: 'models',
      failure: 'unreachable/first-byte-timeout',
      words: /did not respond within 200 ms/,
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
      title: 'a proxy whose name cannot be resolved',
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
      words: /VS Code cannot use the configured proxy/,
      firstStep: 'again',
    },
  ];
}

/** Fails unless a check of the connection ends at the expected step, with the expected class and advice. */
export async function assertCase({ way, step, failure, words, firstStep }: ConnectionCase): Promise<void> {
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
}
