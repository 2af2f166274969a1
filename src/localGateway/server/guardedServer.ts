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
import { adaptErrorToGroup } from '../http/errorReply.ts';
import { type HttpError, shuttingDownError } from '../http/httpError.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import { type ConnectionLimits, limitConnections } from './connectionSlots.ts';
import { ExchangeNotes, type ServedExchangeRecord } from './exchangeNotes.ts';
import { ExchangeSpending } from './exchangeSpending.ts';
import type { GatewaySpending } from './gatewaySpending.ts';
import { checkRequest, type GuardDecision, type GuardRules } from './guard.ts';
import {
  type BrokenRequest,
  endWithError,
  limitReachedError,
  refuseRequest,
  respondToBrokenRequest,
  tooManyRequestsError,
} from './refuseRequest.ts';
import type { ServedRoute } from './routeHandler.ts';
import { callerDisconnected, ServedExchange } from './servedExchange.ts';

/** The largest head of a request in bytes, including its target. */
const maxHeaderBytes = 16 * 1024;

/** Observes every request, including refused ones. */
export interface ExchangeObserver {
  begin(): void;
  /** Called when the response has ended. */
  end(record: ServedExchangeRecord): void;
}

interface GuardedServerOptions {
  readonly rules: GuardRules;
  /** Finds the handler of a route that the guard admitted. */
  readonly findServedRoute: (route: Route) => ServedRoute;
  readonly connections: ConnectionLimits;
  /** Once aborted, connections close after the current request. */
  readonly closing: AbortSignal;
  /** Converts any thrown value to an error reply. */
  readonly explain: (error: unknown) => HttpError;
  readonly observer: ExchangeObserver;
  readonly spending: GatewaySpending;
}

/**
 * Creates an HTTP server that checks requests with the guard first. Refused requests never reach a handler. It
 * limits the size of headers, the time to receive a request, and the number of connections. The limits allow long
 * streams.
 */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const { rules, findServedRoute, connections, closing, explain, observer, spending } = options;
  const openExchanges = new OpenExchanges();
  closing.addEventListener('abort', () => openExchanges.abort(closing.reason));

  /** The last response on each connection. */
  const lastResponses = new WeakMap<Socket, ServerResponse>();

  const listener: RequestListener = (req, res) => {
    lastResponses.set(req.socket, res);
    const time = Date.now();
    const startedAt = performance.now();
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
    const requestId = selectRequestId(readRequestId(req), decision, rules);
    let exchange: ServedExchange | undefined;
    let hasSlot = false;
    let endCount: (() => void) | undefined;
    res.on('close', () => {
      if (hasSlot) slots.end(req.socket);
      endCount?.();
      if (exchange) {
        openExchanges.delete(exchange);
        if (!res.writableFinished) exchange.abort(callerDisconnected);
      }
      if (closing.aborted) req.socket.destroySoon();
      const { method, route, credential } = describeDecision(decision);
      const isCut = !res.writableFinished;
      const { skippedModels } = notes;
      const replySize = notes.readReplySize();
      const costs = exchange?.spending.end({ ...replySize, isCut }) ?? [];
      observer.end({
        time,
        method,
        route,
        status: res.statusCode,
        ms: performance.now() - startedAt,
        firstByteMs: notes.firstByteAt === undefined ? undefined : notes.firstByteAt - startedAt,
        bytes: notes.bytes,
        model: containsCredential(notes.model, decision) ? undefined : notes.model,
        upstream: notes.upstream,
        key: notes.key?.name,
        refusedKeys: notes.key?.refused,
        credential,
        requestId,
        conversion: notes.conversion,
        isCut,
        tokens: replySize.tokens,
        costs,
        alias: notes.alias,
        skipped: skippedModels,
        ...(skippedModels.length > 0 && {
          skippedModels: skippedModels.map(({ description }) => description),
        }),
      });
    });
    const request = { req, res, requestId, notes };
    if (!decision.admitted) {
      refuseRequest(request, decision);
      return;
    }
    const { route, validCredential } = decision;
    // A request without a credential does not occupy a slot.
    hasSlot = validCredential !== undefined && slots.begin(req.socket);
    const isFull = validCredential !== undefined && !hasSlot;
    if (isFull || closing.aborted) {
      const error = isFull ? tooManyRequestsError() : shuttingDownError();
      endWithError(request, adaptErrorToGroup(error, route.group), route.group);
      return;
    }
    if (validCredential && route.method === 'POST') {
      const outcome = validCredential.access.begin();
      if (!('end' in outcome)) {
        endWithError(request, limitReachedError(outcome.limit, outcome.waitMs), route.group);
        return;
      }
      endCount = outcome.end;
    }
    if (validCredential) dropStrayCredential(req, validCredential.credential);
    if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
    exchange = new ServedExchange({
      ...request,
      admission: decision,
      closing,
      explain,
      spending: new ExchangeSpending(spending, validCredential?.access.name ?? ''),
    });
    openExchanges.add(exchange);
    void exchange.run(findServedRoute(route));
  };

  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      // Longer than the timeout of clients for idle connections, so that a connection does not close while it is
      // reused.
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 1_000,
      // The guard refuses a missing Host.
      requireHostHeader: false,
    },
    listener,
  );
  const slots = limitConnections(server, connections);
  // Without these listeners Node sends "100 Continue" before the guard decides.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  // A request that uses the gateway as a proxy is refused as well.
  server.on('connect', (req, socket: Socket) => {
    // Node no longer handles errors of this socket.
    socket.on('error', () => socket.destroy());
    const res = new ServerResponse(req);
    res.assignSocket(socket);
    res.once('finish', () => socket.destroySoon());
    listener(req, res);
  });
  server.on('clientError', (error: BrokenRequest, socket: Socket) => {
    const response = respondToBrokenRequest(error, socket, lastResponses.get(socket));
    if (!response) return;
    observer.begin();
    observer.end({
      ...response,
      time: Date.now(),
      method: '',
      route: 'refused (not HTTP)',
      ms: 0,
      isCut: false,
    });
  });
  return server;
}

/**
 * Removes the credential from the query, and from all headers except the credential headers, which are not sent to
 * upstreams.
 */
function dropStrayCredential(req: IncomingMessage, credential: string): void {
  const { rawHeaders, headers } = req;
  const [path = '', query] = splitTarget(req.url ?? '');
  if (query !== undefined && unescaped(query).includes(credential)) {
    const parameters = query.split('&').filter((parameter) => !unescaped(parameter).includes(credential));
    req.url = `${path}?${parameters.join('&')}`;
  }
  for (let i = 1; i < rawHeaders.length; i += 2) {
    if (!rawHeaders[i]?.includes(credential)) continue;
    const name = rawHeaders[i - 1]?.toLowerCase() ?? '';
    if (!credentialHeaders.has(name)) delete headers[name];
  }
}

function splitTarget(target: string): readonly [path: string, query?: string] {
  const start = target.indexOf('?');
  return start < 0 ? [target] : [target.slice(0, start), target.slice(start + 1)];
}

/**
 * Describes a request for the log. A refused request is described only by the reason, because anyone can send any
 * head.
 */
function describeDecision(
  decision: GuardDecision,
): Pick<ServedExchangeRecord, 'method' | 'route' | 'credential'> {
  if (!decision.admitted) return { method: '', route: `refused (${decision.reason})` };
  const { route, validCredential } = decision;
  return { method: route.method, route: route.path, credential: validCredential?.access.name };
}

/**
 * Whether a text contains the credential of the request. The log cannot hide a named credential, because the
 * gateway stores only its hash.
 */
function containsCredential(text: string | undefined, decision: GuardDecision): boolean {
  return (
    decision.admitted &&
    decision.validCredential !== undefined &&
    text?.includes(decision.validCredential.credential) === true
  );
}

/** Returns the caller's ID of a request, or a new one if it contains a credential. */
function selectRequestId(id: string, decision: GuardDecision, { credentials }: GuardRules): string {
  const containsOne =
    containsCredential(id, decision) ||
    (!decision.admitted && id.split(/[^\w-]+/).some((word) => credentials.find(word) !== undefined));
  return containsOne ? randomUUID() : id;
}

/** Reads the caller's X-Request-Id if it is one printable word; otherwise returns a new ID. */
function readRequestId(request: IncomingMessage): string {
  const callerId = request.headers['x-request-id'];
  return typeof callerId === 'string' && /^[\x21-\x7e]{1,128}$/.test(callerId) ? callerId : randomUUID();
}

/**
 * The exchanges under way. They are stored in an array, because the old tables of a Set with frequent changes
 * retain finished requests until the old generation is collected.
 */
export class OpenExchanges {
  readonly #open: ServedExchange[] = [];

  add(exchange: ServedExchange): void {
    exchange.openIndex = this.#open.length;
    this.#open.push(exchange);
  }

  /** Removes an exchange. The last exchange takes its index. */
  delete(exchange: ServedExchange): void {
    const last = this.#open.pop();
    if (!last || last === exchange) return;
    last.openIndex = exchange.openIndex;
    this.#open[last.openIndex] = last;
  }

  abort(reason: unknown): void {
    for (const exchange of [...this.#open]) exchange.abort(reason);
  }
}
