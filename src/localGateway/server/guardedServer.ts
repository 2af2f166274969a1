import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Route } from '../../wire/routes.ts';
import { errorForGroup } from '../nothingMade.ts';
import { type ConnectionLimits, limitConnections } from './connectionSlots.ts';
import { checkRequest, credentialHeaders, type GuardRules, holdsCredential } from './guard.ts';
import { endWithError, refuse, tooManyRequests } from './refusal.ts';

/** The largest head of a request in bytes, with its target. */
export const maxHeaderBytes = 16 * 1024;

export interface GuardedServerOptions {
  readonly rules: GuardRules;
  readonly connections: ConnectionLimits;
  /** Once aborted, connections close after the current request. */
  readonly closing: AbortSignal;
  /** Called with a line about each request when its response is over. */
  readonly log: (line: string) => void;
}

/**
 * Creates an HTTP server that asks the guard first. Refused requests never reach `handler`, and the others
 * have their path in one spelling. It limits headers, time and connections; a long stream stays within the
 * limits.
 */
export function createGuardedServer(handler: RequestListener, options: GuardedServerOptions): Server {
  const listener: RequestListener = (req, res) => {
    const started = performance.now();
    const decision = checkRequest(
      {
        httpVersion: req.httpVersion,
        method: req.method ?? '',
        target: req.url ?? '',
        rawHeaders: req.rawHeaders,
        localPort: req.socket.localPort ?? 0,
      },
      options.rules,
    );
    res.once('finish', () => {
      if (options.closing.aborted) req.socket.destroySoon();
    });
    res.once('close', () => {
      const what = decision.admitted ? label(decision.route) : `refused (${decision.reason})`;
      const requestId = res.getHeader('X-Request-Id') ?? 'no request id';
      const ending = res.writableFinished ? '' : ', cut off';
      const took = `${Math.round(performance.now() - started)} ms`;
      options.log(`${what} ${res.statusCode}, ${took}, ${requestId}${ending}`);
    });
    if (!decision.admitted) {
      refuse(req, res, decision);
      return;
    }
    if (!slots.begin(req.socket, res)) {
      const { group } = decision.route;
      endWithError(req, res, errorForGroup(tooManyRequests(), group), group);
      return;
    }
    dropStrayCredential(req.headers, options.rules);
    req.url = decision.path + queryOf(req.url ?? '');
    if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
    handler(req, res);
  };

  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      // Longer than clients keep idle connections, so that none closes just when it is used again.
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
      // The guard refuses a missing Host.
      requireHostHeader: false,
    },
    listener,
  );
  const slots = limitConnections(server, options.connections);
  // Without these listeners Node answers "100 Continue" before the guard decides.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  return server;
}

/** Closes a connection whose bytes are no HTTP, too many or too slow, with a bare status. */
export function endBrokenConnection(error: { readonly code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  const status = brokenRequestStatus[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

const brokenRequestStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Removes the credential from all headers but those that are known to hold it, which go to no upstream. */
function dropStrayCredential(headers: IncomingHttpHeaders, rules: GuardRules): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!credentialHeaders.includes(name) && holdsCredential(String(value), rules)) delete headers[name];
  }
}

function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start);
}

function label({ method, path }: Route): string {
  return `${method} ${path}`;
}
