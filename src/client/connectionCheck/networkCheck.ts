import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { lookUp } from '../../http/dnsLookup.ts';
import { createPrivateLookup, readLiteralAddress } from '../../http/privateAddress.ts';
import { ProxyError } from '../../http/proxy.ts';
import { createSecureContext } from '../../http/trustedCertificates.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { createCancelledFailure, type FailureDetails } from '../../wire/failures/replyFailure.ts';
import { createCallIdentity, createUnsentError } from '../callIdentity.ts';
import { createNetworkFailure, createProxyFailure } from '../networkFailure.ts';
import { createTimeoutFailure, defaultTimeouts } from '../requestTimeouts.ts';
import type { ClientOptions } from '../types.ts';
import { readCertificates } from './certificates.ts';
import type { StepRecorder } from './checkedStep.ts';
import { connectTo, type Peer, resolveName, startTls } from './probes.ts';

/** The connection to probe: to the gateway itself, or to the proxy on the way to it. */
export interface ProbedConnection {
  readonly url: URL;
  readonly peer: Peer;
  /** Host and port of the proxy, if the peer is a proxy. */
  readonly proxy: string | undefined;
  /** The time limit of all steps in milliseconds; 0 means no limit. */
  readonly budgetMs: number;
}

/**
 * Checks the steps below HTTP one by one and records them. It uses a connection of its own and does not send an HTTP
 * request. With a proxy the check ends after the connection to it, because only VS Code's network stack can sign
 * in to the proxy.
 *
 * @throws {StepFailure} for the failed step
 */
export async function checkNetwork(
  connection: ProbedConnection,
  options: ClientOptions,
  steps: StepRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { url, peer, proxy, budgetMs } = connection;
  const limitedSignal = budgetMs > 0 ? AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]) : signal;
  const toError = (error: unknown) => {
    if (signal.aborted) return createUnsentError(createCancelledFailure(), createCallIdentity({}));
    return createUnsentError(
      createProbeFailure(error, connection, limitedSignal.aborted),
      createCallIdentity({}),
    );
  };
  let addresses: readonly LookupAddress[] = [];
  const lookup = options.plainHttp === 'private-network' ? createPrivateLookup() : lookUp;
  if (readLiteralAddress(peer.hostname) !== undefined) steps.skip('name', 'no-name');
  else {
    await steps.runStep('name', toError, async () => {
      addresses = await resolveName(peer, lookup, limitedSignal);
      return { host: peer.hostname, addresses: addresses.map(({ address }) => address) };
    });
  }
  let socket: Socket | undefined;
  try {
    await steps.runStep('connection', toError, async () => {
      socket = await connectTo(peer, addresses, limitedSignal);
      return { peer: `${peer.hostname}:${peer.port}` };
    });
    if (proxy !== undefined || socket === undefined) return;
    await steps.runStep('proxy', toError, async () => ({ proxy: undefined }));
    if (url.protocol === 'http:') steps.skip('tls', 'plain-http');
    else
      await checkTls(
        socket,
        connection,
        createSecureContext({ systemCertificates: options.systemCertificates }),
        {
          steps,
          toError,
          limitedSignal,
        },
      );
  } finally {
    socket?.destroy();
  }
}

interface TlsCheck {
  readonly steps: StepRecorder;
  readonly toError: (error: unknown) => GatewayError;
  readonly limitedSignal: AbortSignal;
}

async function checkTls(
  socket: Socket,
  { peer }: ProbedConnection,
  context: SecureContext | undefined,
  { steps, toError, limitedSignal }: TlsCheck,
): Promise<void> {
  let tlsSocket: TLSSocket | undefined;
  try {
    await steps.runStep(
      'tls',
      toError,
      async () => {
        tlsSocket = await startTls(socket, peer, context, limitedSignal);
        if (!tlsSocket.authorized) throw createRefusedCertificateError(tlsSocket.authorizationError);
        return { protocol: tlsSocket.getProtocol() ?? '', certificates: readCertificates(tlsSocket) };
      },
      () => (tlsSocket ? readCertificates(tlsSocket) : []),
    );
  } finally {
    tlsSocket?.destroy();
  }
}

/** Node reports a refused certificate only by a code. */
function createRefusedCertificateError(code: unknown): Error {
  return Object.assign(new Error('the certificate was refused'), { code: String(code) });
}

function createProbeFailure(
  error: unknown,
  { url, proxy, budgetMs }: ProbedConnection,
  isLate: boolean,
): FailureDetails {
  const { host } = url;
  if (isLate) {
    const through = proxy === undefined ? host : { host, proxy };
    return createTimeoutFailure('connect', { ...defaultTimeouts, connect: budgetMs }, through);
  }
  if (proxy === undefined) return createNetworkFailure(error, host, 'connecting');
  return createProxyFailure(new ProxyError('unusable', proxy, { cause: error }), host);
}
