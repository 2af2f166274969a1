import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { CheckedStep, StepName } from '../../src/client/connectionCheck/checkedStep.ts';
import { checkGateway, type GatewayCheck } from '../../src/client/connectionCheck/checkGateway.ts';
import type { ClientOptions } from '../../src/client/types.ts';
import { catalogueEntry } from '../../src/wire/failures/failureCatalogue.ts';
import { startBlackHole } from './blackHole.ts';
import { type ConnectionScript, replyWith, startFaultServer } from './faultServer.ts';
import { testCredential } from './faultServerCalls.ts';
import { makeCertificate, type TestCertificate } from './faultServerCertificates.ts';
import { findClosedPort } from './forwardProxy.ts';

/** The host of the servers of checked connections. */
export const address = '127.0.0.1';

/** The client options for a check of a connection, and a function that closes the server. */
export interface CheckTarget {
  readonly options: Partial<ClientOptions> & { readonly baseUrl: string };
  readonly close?: () => Promise<unknown>;
}

export async function startServer(
  script: ConnectionScript,
  certificate?: TestCertificate,
): Promise<CheckTarget> {
  const server = await startFaultServer(script, certificate && { tls: certificate });
  return { options: { baseUrl: server.baseUrl }, close: () => server.close() };
}

/** A server that accepts connections and passes them to `serve`. */
export async function startListener(
  serve: (socket: net.Socket) => void,
  scheme = 'https',
): Promise<CheckTarget> {
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

export async function checkConnection(
  target: CheckTarget,
  signal = new AbortController().signal,
): Promise<GatewayCheck> {
  const timeouts = { connect: 2000, ...target.options.timeouts };
  try {
    return await checkGateway(
      { credential: async () => testCredential, ...target.options, timeouts },
      { signal },
    );
  } finally {
    await target.close?.();
  }
}

export const listStates = ({ steps }: GatewayCheck) => steps.map(({ name, state }) => `${name} ${state}`);

export function readFailedStep({ steps }: GatewayCheck): Extract<CheckedStep, { state: 'failed' }> {
  const last = steps.at(-1);
  assert.ok(last?.state === 'failed', 'the last step failed');
  return last;
}

/** A failing connection, and the report expected of the check. */
export interface ConnectionCase {
  readonly title: string;
  readonly start: () => Promise<CheckTarget>;
  readonly step: StepName;
  /** Its kind and reason. */
  readonly failure: string;
  readonly message: RegExp;
  readonly firstStep: string;
}

const createSecureServer = (options: Parameters<typeof makeCertificate>[0]) => () =>
  startServer(
    (connection) => connection.respond(200, {}, '{"data":[{"id":"model-a"}]}'),
    makeCertificate(options),
  );

/**
 * Failing connections, one for each class of failures.
 *
 * @param authority returns a certificate authority that is trusted here
 */
export function createConnectionCases(authority: () => TestCertificate): readonly ConnectionCase[] {
  return [
    {
      title: 'an address that is not allowed',
      start: async () => ({ options: { baseUrl: 'http://gateway.example' } }),
      step: 'address',
      failure: 'unreachable/unusable-address',
      message: /Plain http/,
      firstStep: 'change-address',
    },
    {
      title: 'an unknown host',
      start: async () => ({ options: { baseUrl: 'https://gateway.invalid', transport: 'direct' } }),
      step: 'name',
      failure: 'unreachable/dns',
      message: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'an unknown host, with the default transport',
      start: async () => ({ options: { baseUrl: 'https://gateway.invalid' } }),
      step: 'name',
      failure: 'unreachable/dns',
      message: /name gateway\.invalid cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'a port that refuses connections',
      start: async () => ({ options: { baseUrl: `https://${address}:${await findClosedPort()}` } }),
      step: 'connection',
      failure: 'unreachable/refused',
      message: /refuses connections/,
      firstStep: 'again',
    },
    {
      title: 'an address that does not respond',
      start: async () => {
        const { port, close } = await startBlackHole();
        return { options: { baseUrl: `https://${address}:${port}`, timeouts: { connect: 200 } }, close };
      },
      step: 'connection',
      failure: 'unreachable/connect-timeout',
      message: /within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that does not respond',
      start: async () => {
        const { port, close } = await startBlackHole();
        const proxy = () => `${address}:${port}`;
        return { options: { baseUrl: 'https://gateway.invalid', proxy, timeouts: { connect: 200 } }, close };
      },
      step: 'connection',
      failure: 'unreachable/connect-timeout',
      message: /proxy 127\.0\.0\.1:\d+.*within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a server that accepts connections and stays silent',
      start: async () => {
        const target = await startListener(() => {});
        return { ...target, options: { ...target.options, timeouts: { connect: 200 } } };
      },
      step: 'tls',
      failure: 'unreachable/connect-timeout',
      message: /within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a certificate of an unknown authority',
      start: createSecureServer({
        name: 'stranger',
        address,
        issuer: makeCertificate({ name: 'Nobody', authority: true }),
      }),
      step: 'tls',
      failure: 'unreachable/tls-unknown-authority',
      message: /unknown authority/,
      firstStep: 'again',
    },
    {
      title: 'an expired certificate',
      start: async () =>
        createSecureServer({ name: 'old', address, issuer: authority(), validTo: new Date(0) })(),
      step: 'tls',
      failure: 'unreachable/tls-expired',
      message: /has expired or is not valid yet/,
      firstStep: 'again',
    },
    {
      title: 'a certificate of another host',
      start: async () => createSecureServer({ name: 'other', address: '127.0.0.9', issuer: authority() })(),
      step: 'tls',
      failure: 'unreachable/tls-wrong-host',
      message: /is for another host/,
      firstStep: 'change-address',
    },
    {
      title: 'plain HTTP on a TLS port',
      start: () => startListener((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      step: 'tls',
      failure: 'unreachable/tls-not-tls',
      message: /does not use TLS/,
      firstStep: 'change-address',
    },
    {
      title: 'a connection that is reset',
      start: () => startListener((socket) => socket.once('data', () => socket.resetAndDestroy())),
      step: 'tls',
      failure: 'unreachable/reset',
      message: /closed the connection/,
      firstStep: 'again',
    },
    {
      title: 'a web page',
      start: () =>
        startServer((connection) =>
          connection.respond(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>'),
        ),
      step: 'models',
      failure: 'unreachable/not-a-gateway',
      message: /web page/,
      firstStep: 'change-address',
    },
    {
      title: 'a redirect',
      start: () =>
        startServer((connection) => connection.respond(302, { location: 'https://elsewhere.example/x' })),
      step: 'models',
      failure: 'unreachable/redirect',
      message: /redirects to https:\/\/elsewhere\.example/,
      firstStep: 'change-address',
    },
    {
      title: 'a server that does not reply to the request',
      start: async () => {
        const target = await startServer(() => {});
        return { ...target, options: { ...target.options, timeouts: { firstByte: 200 } } };
      },
      step: 'models',
      failure: 'unreachable/first-byte-timeout',
      message: /did not respond within 200 ms/,
      firstStep: 'again',
    },
    {
      title: 'a credential that is refused',
      start: () => startServer(replyWith(401, '{"error":{"message":"Incorrect key"}}')),
      step: 'credential',
      failure: 'authentication',
      message: /refused the credential \(HTTP 401\)/,
      firstStep: 'set-credential',
    },
    {
      title: 'an empty list',
      start: () => startServer(replyWith(200, '{"object":"list","data":[]}')),
      step: 'models',
      failure: 'model-unavailable/no-models',
      message: /lists no models for this account/,
      firstStep: 'set-credential',
    },
    {
      title: 'a server that fails',
      start: () => startServer(replyWith(503, '')),
      step: 'models',
      failure: 'server',
      message: /HTTP 503/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that refuses connections',
      start: async () => {
        const proxy = `${address}:${await findClosedPort()}`;
        return { options: { baseUrl: 'https://gateway.invalid', proxy: () => proxy } };
      },
      step: 'connection',
      failure: 'unreachable/proxy',
      message: /The proxy 127\.0\.0\.1:\d+ refuses connections/,
      firstStep: 'again',
    },
    {
      title: 'a proxy whose name cannot be resolved',
      start: async () => ({
        options: { baseUrl: 'https://gateway.invalid', proxy: () => 'proxy.invalid:3128' },
      }),
      step: 'name',
      failure: 'unreachable/proxy',
      message: /name of the proxy proxy\.invalid:3128 cannot be resolved/,
      firstStep: 'again',
    },
    {
      title: 'a proxy that VS Code cannot use',
      start: async () => ({
        options: { baseUrl: 'https://gateway.invalid', proxy: () => 'at an unreadable address' },
      }),
      step: 'proxy',
      failure: 'unreachable/proxy',
      message: /VS Code cannot use the configured proxy/,
      firstStep: 'again',
    },
  ];
}

/** Fails unless a check of the connection ends at the expected step, with the expected class and advice. */
export async function assertCase({
  start,
  step,
  failure,
  message: words,
  firstStep,
}: ConnectionCase): Promise<void> {
  const result = await checkConnection(await start());
  const failed = readFailedStep(result);
  const { kind, reason, message } = failed.error;
  assert.equal(failed.name, step, listStates(result).join(', '));
  assert.equal([kind, reason].filter(Boolean).join('/'), failure);
  assert.match(message, words);
  assert.equal(catalogueEntry(failed.error).steps[0], firstStep);
  assert.equal(result.error, failed.error);
  assert.ok(
    result.steps.slice(0, -1).every(({ state }) => state !== 'failed'),
    listStates(result).join(', '),
  );
}
