import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { lookUp } from '../../http/lookup.ts';
import { literalAddress, privateLookup } from '../../http/privateAddress.ts';
import { ProxyError } from '../../http/proxy.ts';
import { secureContext } from '../../http/trust.ts';
import { cancelled, type FailureDetails } from '../../wire/errorMapping.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { identify, unsent } from '../call.ts';
import { failureOfNetworkError, failureOfProxyError } from '../networkFailure.ts';
import { failureOfTimeout } from '../requestTimeouts.ts';
import { defaultTimeouts } from '../timeouts.ts';
import type { ClientOptions } from '../types.ts';
import { certificatesOf } from './certificates.ts';
import { agreeOnTls, connectTo, type Peer, resolveName } from './probes.ts';
import type { StepRecorder } from './stepRecorder.ts';

/** What is probed: the gateway itself, or the proxy on the way to it. */
export interface ProbedWay {
  readonly url: URL;
  readonly peer: Peer;
  /** Host and port of the proxy, where the peer is one. */
  readonly proxy: string | undefined;
  /** How long all of it may take, in milliseconds; 0 for no limit. */
  readonly budgetMs: number;
}

/**
 * Takes the steps below HTTP one by one, over a connection of its own that carries nothing, and records them. Through a
 * proxy it ends once that takes the connection: only VS Code's network stack can sign in there.
 *
 * @throws {StepFailure} for the step that failed
 */
export async function checkNetwork(
  way: ProbedWay,
  options: ClientOptions,
  steps: StepRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { url, peer, proxy, budgetMs } = way;
  const until = budgetMs > 0 ? AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]) : signal;
  const failure = (error: unknown) => {
    if (signal.aborted) return unsent(cancelled(), identify({}));
    return unsent(failureOfProbe(error, way, until.aborted), identify({}));
  };
  let addresses: readonly LookupAddress[] = [];
  const lookup = options.plainHttp === 'private-network' ? privateLookup() : lookUp;
  if (literalAddress(peer.hostname) !== undefined) steps.skip('name', 'no-name');
  else {
    await steps.take('name', failure, async () => {
      addresses = await resolveName(peer, lookup, until);
      return { host: peer.hostname, addresses: addresses.map(({ address }) => address) };
    });
  }
  let socket: Socket | undefined;
  try {
    await steps.take('connection', failure, async () => {
      socket = await connectTo(peer, addresses, until);
      return { peer: hostAndPort(peer) };
    });
    if (proxy !== undefined || socket === undefined) return;
    await steps.take('proxy', failure, async () => ({ proxy: undefined }));
    if (url.protocol === 'http:') steps.skip('tls', 'plain-http');
    else
      await checkTls(socket, way, secureContext({ systemCertificates: options.systemCertificates }), {
        steps,
        failure,
        until,
      });
  } finally {
    socket?.destroy();
  }
}

interface TlsCheck {
  readonly steps: StepRecorder;
  readonly failure: (error: unknown) => GatewayError;
  readonly until: AbortSignal;
}

async function checkTls(
  socket: Socket,
  { peer }: ProbedWay,
  context: SecureContext | undefined,
  { steps, failure, until }: TlsCheck,
): Promise<void> {
  let secured: TLSSocket | undefined;
  try {
    await steps.take(
      'tls',
      failure,
      async () => {
        secured = await agreeOnTls(socket, peer, context, until);
        if (!secured.authorized) throw refusedCertificate(secured.authorizationError);
        return { protocol: secured.getProtocol() ?? '', certificates: certificatesOf(secured) };
      },
      () => (secured ? certificatesOf(secured) : []),
    );
  } finally {
    secured?.destroy();
  }
}

/** Node tells a refused certificate by its code alone. */
function refusedCertificate(code: unknown): Error {
  return Object.assign(new Error('the certificate was refused'), { code: String(code) });
}

function failureOfProbe(
  error: unknown,
  { url, proxy, budgetMs }: ProbedWay,
  isLate: boolean,
): FailureDetails {
  const { host } = url;
  if (isLate) {
    const through = proxy === undefined ? host : { host, proxy };
    return failureOfTimeout('connect', { ...defaultTimeouts, connect: budgetMs }, through);
  }
  if (proxy === undefined) return failureOfNetworkError(error, host, 'connecting');
  return failureOfProxyError(new ProxyError('unusable', proxy, { cause: error }), host);
}

function hostAndPort({ hostname, port }: Peer): string {
  return `${hostname}:${port}`;
}
