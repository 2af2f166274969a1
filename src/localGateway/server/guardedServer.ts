import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { unescape as unescaped } from 'node:querystring';
import type { Route } from '../../wire/routes.ts';
import type { Access } from '../config/access.ts';
import { type HttpError, shuttingDown } from '../http/httpError.ts';
import { errorForGroup } from '../http/nothingMade.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import { answerBroken, type BrokenRequest } from './brokenRequest.ts';
import { type ConnectionLimits, limitConnections } from './connectionSlots.ts';
import { callerLeft, Exchange } from './exchange.ts';
import { ExchangeNotes } from './exchangeNotes.ts';
import type { ExchangeRecord } from './exchangeRecord.ts';
import { checkRequest, type GuardDecision, type GuardRules } from './guard.ts';
import type { ServedRoute } from './handler.ts';
import { endWithError, limitReached, refuse, tooManyRequests } from './refusal.ts';

/** The largest head of a request in bytes, with its target. */
const maxHeaderBytes = 16 * 1024;

/** Told of every request, refused ones too. */
export interface ExchangeObserver {
  begin(): void;
  /** The response is over. */
  end(record: ExchangeRecord): void;
}

export interface GuardedServerOptions {
  readonly rules: GuardRules;
  /** What answers a route that the guard knows. */
  readonly servedAt: (route: Route) => ServedRoute;
  readonly connections: ConnectionLimits;
  /** Once aborted, connections close after the current request. */
  readonly closing: AbortSignal;
  /** Whatever a handler threw, as an answer. */
  readonly explain: (error: unknown) => HttpError;
  readonly observer: ExchangeObserver;
}

/**
 * Creates an HTTP server that asks the guard first. Refused requests never reach a handler. It limits headers,
 * time and connections; a long stream stays within the limits.
 */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const { rules, servedAt, connections, closing, explain, observer } = options;
  const open = new OpenExchanges();
  closing.addEventListener('abort', () => open.abort(closing.reason));

  /** The last response on each connection. */
  const answering = new WeakMap<Socket, ServerResponse>();

  const listener: RequestListener = (req, res) => {
    answering.set(req.socket, res);
    const time = Date.now();
    const started = performance.now();
    const notes = new ExchangeNotes();
    observer.begin();
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
    const requestId = safeRequestId(requestIdOf(req), decision, rules);
    let exchange: Exchange | undefined;
    res.once('close', () => {
      if (exchange) {
        open.delete(exchange);
        if (!res.writableFinished) exchange.abort(callerLeft);
      }
      if (closing.aborted) req.socket.destroySoon();
      const { method, route, credential } = told(decision);
      observer.end({
        time,
        method,
        route,
        status: res.statusCode,
        ms: performance.now() - started,
        firstByteMs: notes.firstByteAt === undefined ? undefined : notes.firstByteAt - started,
        bytes: notes.bytes,
        model: holdsShown(notes.model, decision) ? undefined : notes.model,
        upstream: notes.upstream,
        credential,
        requestId,
        conversion: notes.conversion,
        isCut: !res.writableFinished,
        tokens: notes.tokens,
        alias: notes.alias,
        passedOver: notes.passedOver,
      });
    });
    const request = { req, res, requestId, notes };
    if (!decision.admitted) {
      refuse(request, decision);
      return;
    }
    const { route, shown } = decision;
    // Who shows no credential takes no place.
    const isFull = shown !== undefined && !slots.begin(req.socket, res);
    if (isFull || closing.aborted) {
      const error = isFull ? tooManyRequests() : shuttingDown();
      endWithError(request, errorForGroup(error, route.group), route.group);
      return;
    }
    const limited = shown && route.method === 'POST' ? beginLimited(shown.access, res) : undefined;
    if (limited) {
      endWithError(request, limited, route.group);
      return;
    }
    if (shown) dropStrayCredential(req, shown.credential);
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
  // Who takes the gateway for a proxy is refused as well.
  server.on('connect', (req, socket: Socket) => {
    // Node leaves it to us from here on.
    socket.on('error', () => socket.destroy());
    const res = new ServerResponse(req);
    res.assignSocket(socket);
    res.once('finish', () => socket.destroySoon());
    listener(req, res);
  });
  server.on('clientError', (error: BrokenRequest, socket: Socket) => {
    const answer = answerBroken(error, socket, answering.get(socket));
    if (!answer) return;
    observer.begin();
    observer.end({
      ...answer,
      time: Date.now(),
      method: '',
      route: 'refused (no HTTP)',
      ms: 0,
      isCut: false,
    });
  });
  return server;
}

/** Removes the credential from the query, and from all headers but those that are known to hold it, which go to no upstream. */
function dropStrayCredential(req: IncomingMessage, credential: string): void {
  const { rawHeaders, headers } = req;
  const [path = '', query] = splitTarget(req.url ?? '');
  if (query !== undefined && unescaped(query).includes(credential)) {
    const kept = query.split('&').filter((parameter) => !unescaped(parameter).includes(credential));
    req.url = `${path}?${kept.join('&')}`;
  }
  for (let at = 1; at < rawHeaders.length; at += 2) {
    if (!rawHeaders[at]?.includes(credential)) continue;
    const name = rawHeaders[at - 1]?.toLowerCase() ?? '';
    if (!credentialHeaders.has(name)) delete headers[name];
  }
}

function splitTarget(target: string): readonly [path: string, query?: string] {
  const start = target.indexOf('?');
  return start < 0 ? [target] : [target.slice(0, start), target.slice(start + 1)];
}

/** Counts a request until its response is over, or says which limit it would exceed. */
function beginLimited(access: Access, res: ServerResponse): HttpError | undefined {
  const begun = access.begin();
  if (!('end' in begun)) return limitReached(begun.limit, begun.waitMs);
  res.once('close', begun.end);
  return undefined;
}

/** Of a refused request, the reason only: whoever has no credential may write anything into its head. */
function told(decision: GuardDecision): Pick<ExchangeRecord, 'method' | 'route' | 'credential'> {
  if (!decision.admitted) return { method: '', route: `refused (${decision.reason})` };
  const { route, shown } = decision;
  return { method: route.method, route: route.path, credential: shown?.access.name };
}

/** A named credential is known to whoever shows it alone. */
function holdsShown(text: string | undefined, decision: GuardDecision): boolean {
  return (
    decision.admitted && decision.shown !== undefined && text?.includes(decision.shown.credential) === true
  );
}

/** The caller's id of a request, unless it holds a credential. */
function safeRequestId(id: string, decision: GuardDecision, { credentials }: GuardRules): string {
  const holdsOne =
    holdsShown(id, decision) ||
    (!decision.admitted && id.split(/[^\w-]+/).some((word) => credentials.find(word) !== undefined));
  return holdsOne ? randomUUID() : id;
}

/** The caller's X-Request-Id if it is one printable word, otherwise a new id. */
function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
}

/**
 * The exchanges under way. They stand in an array, because a Set that much is added to and taken from leaves
 * tables behind, which keep requests that are over until the old generation is collected.
 */
export class OpenExchanges {
  readonly #open: Exchange[] = [];

  add(exchange: Exchange): void {
    exchange.place = this.#open.length;
    this.#open.push(exchange);
  }

  /** Takes out one that was added, whose place the last one takes. */
  delete(exchange: Exchange): void {
    const last = this.#open.pop();
    if (!last || last === exchange) return;
    last.place = exchange.place;
    this.#open[last.place] = last;
  }

  abort(reason: unknown): void {
    for (const exchange of [...this.#open]) exchange.abort(reason);
  }
}
