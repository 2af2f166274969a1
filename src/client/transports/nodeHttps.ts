import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Flight, Transport, TransportHandler, TransportRequest } from './transport.ts';

/**
 * Goes through the runtime's own `https`, which VS Code patches in its extension host to honour the
 * proxies and certificates it is set up with. `request` is looked up for every call and no agent is
 * given, since the patch replaces the one and supplies the other.
 */
export function createHttpsTransport(): Transport {
  return { name: 'https', dispatch, close: () => {} };
}

function dispatch({ method, url, headers, body }: TransportRequest, handler: TransportHandler): Flight {
  const scheme = url.protocol === 'https:' ? https : http;
  const request = scheme.request(url, { method, headers, rejectUnauthorized: true });
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
