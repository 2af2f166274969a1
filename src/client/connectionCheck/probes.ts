import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net, { type LookupFunction, type Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { untilAborted } from '../../base/cancellation.ts';
import { readLiteralAddress } from '../../http/privateAddress.ts';
import { createConnectionClosedError } from '../transports/transport.ts';

/** The other end of a connection. */
export interface Peer {
  /** In the form of `URL.hostname`. */
  readonly hostname: string;
  readonly port: number;
}

/** @throws the error of the lookup, or the reason of the signal */
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
 * Connects to one of the addresses. It does not send anything.
 *
 * @param addresses the addresses of the name; empty if the host is an IP address
 * @throws the error of the connection, or the reason of the signal
 */
export async function connectTo(
  { hostname, port }: Peer,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = net.connect({
    host: readLiteralAddress(hostname) ?? hostname,
    port,
    autoSelectFamily: true,
    lookup: createFixedLookup(addresses),
  });
  return waitForEvent(socket, 'connect', signal);
}

/**
 * Performs a TLS handshake over a connection. An untrusted certificate does not reject the promise but sets the
 * socket's `authorizationError`, so that the certificate can be read. Data is never sent over the connection.
 *
 * @throws the error of the handshake, or the reason of the signal
 */
export async function startTls(
  socket: Socket,
  { hostname }: Peer,
  secureContext: tls.SecureContext | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const isName = readLiteralAddress(hostname) === undefined;
  const tlsSocket = tls.connect({
    socket,
    host: readLiteralAddress(hostname) ?? hostname,
    ...(isName && { servername: hostname }),
    rejectUnauthorized: false,
    ...(secureContext && { secureContext }),
  });
  return waitForEvent(tlsSocket, 'secureConnect', signal);
}

async function waitForEvent<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  // Ignore errors after the probe has ended.
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(() => Promise.reject(createConnectionClosedError()));
  closed.catch(() => {});
  try {
    await untilAborted(Promise.race([once(socket, event), closed]), signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function createFixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first = { address: '', family: 4 }] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}
