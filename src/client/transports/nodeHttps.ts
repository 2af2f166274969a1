import dns from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Connecting, Flight, Transport, TransportHandler, TransportRequest } from './transport.ts';

/**
 * Goes through the runtime's own `https`, which VS Code patches in its extension host to honour the
 * proxies and certificates it is set up with. `request` is looked up for every call and no agent is
 * given, since the patch replaces the one and supplies the other.
 */
export function createHttpsTransport({ lookup, ca }: Connecting = {}): Transport {
  const trust = { rejectUnauthorized: true, ...(ca && { ca: [...ca] }) };
  return {
    name: 'https',
    dispatch: (request, handler) =>
      dispatch(request, handler, {
        ...trust,
        ...(lookup && { lookup: lookupOf(request.url.hostname, lookup) }),
      }),
    close: () => {},
  };
}

/** Finds `host` by `lookup`. Any other name that is asked for is that of a proxy on the way. */
function lookupOf(host: string, lookup: LookupFunction): LookupFunction {
  return (hostname, options, done) => (hostname === host ? lookup : dns.lookup)(hostname, options, done);
}

function dispatch(
  { method, url, headers, body }: TransportRequest,
  handler: TransportHandler,
  connecting: https.RequestOptions,
): Flight {
  const scheme = url.protocol === 'https:' ? https : http;
  const request = scheme.request(url, { method, headers, ...connecting });
  let reply: IncomingMessage | undefined;
  let over = false;
  const finish = (tell: () => void) => {
    if (over) return;
    over = true;
    tell();
  };
  const fail = (error: Error) => finish(() => handler.onError(error));

  request.on('socket', (socket) => whenConnected(socket, () => handler.onSent()));
  request.on('error', fail);
  request.on('response', (response) => {
    reply = response;
    response.on('data', (bytes: Buffer) => handler.onData(bytes));
    response.on('end', () => finish(() => handler.onEnd()));
    response.on('error', fail);
    handler.onHead(response.statusCode ?? 0, response.headers);
  });
  request.end(body);

  return {
    abort: () => request.destroy(),
    pause: () => reply?.pause(),
    resume: () => reply?.resume(),
  };
}

/** A socket that was kept alive, or that came through a proxy, may be connected already. */
function whenConnected(socket: Socket, tell: () => void): void {
  if ('secureConnecting' in socket && socket.secureConnecting) socket.once('secureConnect', tell);
  else if (socket.connecting) socket.once('connect', tell);
  else tell();
}
