import http from 'node:http';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { untilAborted } from '../../base/untilAborted.ts';
import { lookUp } from '../../http/lookup.ts';
import { literalAddress } from '../../http/privateAddress.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { agreeOnTls, connectTo, type Peer, resolveName } from './probes.ts';

/** A certificate, as far as it tells a person why it was refused. All words are those of whoever made it. */
export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  /** The hosts and addresses that it is good for. */
  readonly hosts: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly sha256: string;
}

/** No server needs more to be trusted. */
const maxChain = 10;

/** The certificates that the other side showed, its own first. The last one names who should vouch for it. */
export function certificatesOf(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = [];
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (at?.fingerprint256 && chain.length < maxChain) {
    chain.push(certificateOf(at));
    // A certificate that signed itself is its own issuer.
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return chain;
}

function certificateOf(certificate: DetailedPeerCertificate): Certificate {
  const { subject, issuer, subjectaltname = '', valid_from, valid_to, fingerprint256 } = certificate;
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    hosts: subjectaltname,
    validFrom: valid_from,
    validTo: valid_to,
    sha256: fingerprint256,
  };
}

/** Node gives a name that a certificate tells twice as a list. */
function nameOf(names: Readonly<Record<string, string | string[] | undefined>> = {}): string {
  return [names.CN ?? names.O ?? names.OU ?? ''].flat().join(', ');
}

/**
 * The certificates that a gateway shows, or whoever stands in for it, on the way that a request took: through the
 * proxy that its failure names, or that is set. VS Code's network stack tells why it refused a certificate, and not
 * which one. Nothing but the wish for a tunnel is sent, and no credential, to the proxy neither.
 *
 * @returns none where they cannot be read, such as behind a proxy that wants a sign-in
 */
export async function shownCertificates(
  url: URL,
  error: GatewayError,
  { set, signal }: { readonly set: string | undefined; readonly signal: AbortSignal },
): Promise<readonly Certificate[]> {
  const gateway = { hostname: url.hostname, port: Number(url.port) || 443 };
  let socket: Socket | undefined;
  try {
    const proxy = proxyNamedIn(error) ?? set;
    socket = await connected(proxy === undefined ? gateway : peerOf(proxy), signal);
    if (proxy !== undefined) await openTunnel(socket, `${gateway.hostname}:${gateway.port}`, signal);
    const secured = await agreeOnTls(socket, gateway, undefined, signal);
    return certificatesOf(secured);
  } catch {
    return [];
  } finally {
    socket?.destroy();
  }
}

function proxyNamedIn({ explanation: { args } }: GatewayError): string | undefined {
  return 'host' in args && typeof args.host === 'object' ? args.host.proxy : undefined;
}

/** @throws {TypeError} for what names no host and port */
function peerOf(proxy: string): Peer {
  const { hostname, port } = new URL(`http://${proxy}`);
  return { hostname, port: Number(port) || 80 };
}

async function connected(peer: Peer, signal: AbortSignal): Promise<Socket> {
  const isAddress = literalAddress(peer.hostname) !== undefined;
  return connectTo(peer, isAddress ? [] : await resolveName(peer, lookUp, signal), signal);
}

/** Asks a proxy for a tunnel. @throws where it opens none */
async function openTunnel(socket: Socket, authority: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // VS Code replaces `request`, which would go to the proxy through the proxy.
  const asking = new http.ClientRequest({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority },
    createConnection: () => socket,
  });
  asking.on('connect', ({ statusCode }) => (statusCode === 200 ? resolve() : reject(new Error('no tunnel'))));
  asking.on('response', () => reject(new Error('no tunnel')));
  asking.on('error', reject);
  asking.end();
  await untilAborted(promise, signal);
}
