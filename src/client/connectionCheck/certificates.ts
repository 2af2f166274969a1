import http from 'node:http';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { untilAborted } from '../../base/cancellation.ts';
import { lookUp } from '../../http/dnsLookup.ts';
import { readLiteralAddress } from '../../http/privateAddress.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { connectTo, type Peer, resolveName, startTls } from './probes.ts';

/**
 * The parts of a certificate that explain why it was refused. All texts come from the issuer and are untrusted.
 */
export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  /** The hosts and addresses for which it is valid. */
  readonly hosts: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly sha256: string;
}

/** The maximum length of a chain. Servers do not need longer ones. */
const maxChain = 10;

/**
 * Returns the certificate chain of the server or the proxy, its own certificate first. The last certificate names the
 * authority to trust.
 */
export function readCertificates(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.fingerprint256 && chain.length < maxChain) {
    chain.push(readCertificate(certificate));
    // A self-signed certificate is its own issuer.
    const issuer: DetailedPeerCertificate = certificate.issuerCertificate;
    certificate = issuer === certificate ? undefined : issuer;
  }
  return chain;
}

function readCertificate(certificate: DetailedPeerCertificate): Certificate {
  const { subject, issuer, subjectaltname = '', valid_from, valid_to, fingerprint256 } = certificate;
  return {
    subject: readName(subject),
    issuer: readName(issuer),
    hosts: subjectaltname,
    validFrom: valid_from,
    validTo: valid_to,
    sha256: fingerprint256,
  };
}

/** If a certificate contains a name twice, Node returns a list. */
function readName(names: Readonly<Record<string, string | string[] | undefined>> = {}): string {
  return [names.CN ?? names.O ?? names.OU ?? ''].flat().join(', ');
}

/**
 * Reads the certificates of a gateway, or of an intercepting proxy, over the route of a failed request: through
 * the proxy that the failure names, or the configured one. VS Code's network stack reports why it refused a
 * certificate, but not the certificate. Only a CONNECT request to the proxy is sent. Credentials are not sent, not
 * even to the proxy.
 *
 * @returns an empty list if they cannot be read, such as behind a proxy that requires a sign-in
 */
export async function readServerCertificates(
  url: URL,
  error: GatewayError,
  { configuredProxy, signal }: { readonly configuredProxy: string | undefined; readonly signal: AbortSignal },
): Promise<readonly Certificate[]> {
  const gateway = { hostname: url.hostname, port: Number(url.port) || 443 };
  let socket: Socket | undefined;
  try {
    const proxy = findNamedProxy(error) ?? configuredProxy;
    socket = await connect(proxy === undefined ? gateway : parsePeer(proxy), signal);
    if (proxy !== undefined) await openTunnel(socket, `${gateway.hostname}:${gateway.port}`, signal);
    const secured = await startTls(socket, gateway, undefined, signal);
    return readCertificates(secured);
  } catch {
    return [];
  } finally {
    socket?.destroy();
  }
}

function findNamedProxy({ explanation: { args } }: GatewayError): string | undefined {
  return 'host' in args && typeof args.host === 'object' ? args.host.proxy : undefined;
}

/** @throws {TypeError} if the text is not a host and port */
function parsePeer(proxy: string): Peer {
  const { hostname, port } = new URL(`http://${proxy}`);
  return { hostname, port: Number(port) || 80 };
}

async function connect(peer: Peer, signal: AbortSignal): Promise<Socket> {
  const isAddress = readLiteralAddress(peer.hostname) !== undefined;
  return connectTo(peer, isAddress ? [] : await resolveName(peer, lookUp, signal), signal);
}

/**
 * Requests a tunnel from a proxy.
 *
 * @throws if the proxy refuses
 */
async function openTunnel(socket: Socket, authority: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // VS Code replaces `http.request`, which would connect to the proxy through the proxy.
  const request = new http.ClientRequest({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    createConnection: () => socket,
  });
  request.on('connect', ({ statusCode }) =>
    statusCode === 200 ? resolve() : reject(new Error('no tunnel')),
  );
  request.on('response', () => reject(new Error('no tunnel')));
  request.on('error', reject);
  request.end();
  await untilAborted(promise, signal);
}
