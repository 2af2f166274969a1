import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Route } from '../../wire/routes.ts';
import { type HttpError, shuttingDown } from '../httpError.ts';
import { errorForGroup } from '../nothingMade.ts';
import { type ConnectionLimits, limitConnections } from './connectionSlots.ts';
import { callerLeft, Exchange } from './exchange.ts';
import { checkRequest, credentialHeaders, type GuardDecision, type GuardRules } from './guard.ts';
import type { ServedRoute } from './handler.ts';
import { endWithError, refuse, tooManyRequests } from './refusal.ts';
import { requestIdOf } from './requestId.ts';

/** The largest head of a request in bytes, with its target. */
const maxHeaderBytes = 16 * 1024;

export interface GuardedServerOptions {
  readonly rules: GuardRules;
  /** What answers a route that the guard knows. */
  readonly servedAt: (route: Route) => ServedRoute;
  readonly connections: ConnectionLimits;
  /** Once aborted, connections close after the current request. */
  readonly closing: AbortSignal;
  /** Whatever a handler threw, as an answer. */
  readonly explain: (error: unknown) => HttpError;
  /** Called with a line about each request when its response is over. */
  readonly log: (line: string) => void;
}

/**
 * Creates an HTTP server that asks the guard first. Refused requests never reach a handler. It limits headers,
 * time and connections; a long stream stays within the limits.
 */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const { rules, servedAt, connections, closing, explain, log } = options;
  const open = new Set<Exchange>();
  closing.addEventListener('abort', () => {
    for (const exchange of open) exchange.abort(closing.reason);
  });

  const listener: RequestListener = (req, res) => {
    const started = performance.now();
    const requestId = requestIdOf(req);
    const decision = checkRequest(
      {
        httpVersion: req.httpVersion,
        method: req.method ?? '',
        target: req.url ?? '',
        rawHeaders: req.rawHeaders,
        localPort: req.socket.localPort ?? 0,
      },
      rules,
    );
    let exchange: Exchange | undefined;
    res.once('close', () => {
      if (exchange) {
        open.delete(exchange);
        if (!res.writableFinished) exchange.abort(callerLeft);
      }
      if (closing.aborted) req.socket.destroySoon();
      const ending = res.writableFinished ? '' : ', cut off';
      const took = `${Math.round(performance.now() - started)} ms`;
      log(`${label(decision)} ${res.statusCode}, ${took}, ${requestId}${ending}`);
    });
    const request = { req, res, requestId };
    if (!decision.admitted) {
      refuse(request, decision);
      return;
    }
    const { route, credential } = decision;
    const isFull = !slots.begin(req.socket, res);
    if (isFull || closing.aborted) {
      const error = isFull ? tooManyRequests() : shuttingDown();
      endWithError(request, errorForGroup(error, route.group), route.group);
      return;
    }
    dropStrayCredential(req.headers, credential);
    if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
    exchange = new Exchange({ ...request, admission: decision, closing, explain });
    open.add(exchange);
    void exchange.run(servedAt(route));
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
  const slots = limitConnections(server, connections);
  // Without these listeners Node answers "100 Continue" before the guard decides.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', endBrokenConnection);
  return server;
}

/** Closes a connection whose bytes are no HTTP, too many or too slow, with a bare status. */
function endBrokenConnection(error: { readonly code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  const status = brokenRequestStatus[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

const brokenRequestStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Removes the credential from all headers but those that are known to hold it, which go to no upstream. */
function dropStrayCredential(headers: IncomingHttpHeaders, credential: string): void {
  for (const name of Object.keys(headers)) {
    if (String(headers[name]).includes(credential) && !credentialHeaders.has(name)) delete headers[name];
  }
}

function label(decision: GuardDecision): string {
  if (!decision.admitted) return `refused (${decision.reason})`;
  const { method, path } = decision.route;
  return `${method} ${path}`;
}
