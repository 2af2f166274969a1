import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net, { type LookupFunction, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { untilAborted } from '../../base/untilAborted.ts';
import { literalAddress } from '../../http/privateAddress.ts';

/** Where a connection goes. */
export interface Peer {
  /** As a URL spells it. */
  readonly hostname: string;
  readonly port: number;
}

/** @throws what the lookup fails with, or the reason of the signal */
export async function resolveName(
  { hostname }: Peer,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const found = promisify<string, object, string | LookupAddress[]>(lookup as never)(hostname, { all: true });
  const addresses = await untilAborted(found, signal);
  return typeof addresses === 'string' ? [{ address: addresses, family: 4 }] : addresses;
}

/**
 * Connects to one of the addresses, and sends nothing.
 *
 * @param addresses those that the name was resolved to; none for an address without a name
 * @throws what the connection fails with, or the reason of the signal
 */
export async function connectTo(
  { hostname, port }: Peer,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = net.connect({
    host: literalAddress(hostname) ?? hostname,
    port,
    autoSelectFamily: true,
    lookup: answering(addresses),
  });
  return settled(socket, 'connect', signal);
}

/**
 * Agrees on TLS over a connection. Settles also where the certificate is not trusted, with the `authorizationError` of
 * the socket: only so can the certificate be named. Nothing is ever sent over it.
 *
 * @throws what the handshake fails with, or the reason of the signal
 */
export async function agreeOnTls(
  socket: Socket,
  { hostname }: Peer,
  secureContext: tls.SecureContext | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const isName = literalAddress(hostname) === undefined;
  const secured = tls.connect({
    socket,
    host: literalAddress(hostname) ?? hostname,
    ...(isName && { servername: hostname }),
    rejectUnauthorized: false,
    ...(secureContext && { secureContext }),
  });
  return settled(secured, 'secureConnect', signal);
}

async function settled<Kind extends Socket>(socket: Kind, event: string, signal: AbortSignal): Promise<Kind> {
  // Whoever ends a probe early leaves it with an error of its own.
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(() => Promise.reject(brokenOff()));
  closed.catch(() => {});
  try {
    await untilAborted(Promise.race([once(socket, event), closed]), signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function brokenOff(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
}

function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first = { address: '', family: 4 }] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}
