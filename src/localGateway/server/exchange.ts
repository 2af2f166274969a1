import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { type Cancellation, CancellationSource } from '../../base/cancellation.ts';
import type { Route } from '../../wire/routes.ts';
import { type Access, noAccess } from '../config/access.ts';
import { errorBody, errorEvent } from '../http/errorFormat.ts';
import { type HttpError, shuttingDown } from '../http/httpError.ts';
import { errorForGroup } from '../http/nothingMade.ts';
import type { Query } from '../http/query.ts';
import { joined, type Pieces } from '../json/pieces.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import type { FurtherModel } from './furtherModels.ts';
import { type Admission, maxBodyBytes } from './guard.ts';
import type { Answer, GatewayRequest, ServedRoute } from './handler.ts';
import { limitedBody, limitedHeaders, limitedQuery } from './limitedRequest.ts';
import {
  bodyNotJson,
  bodyTooLarge,
  bodyTooSlow,
  endWithError,
  type OpenRequest,
  ownHeaders,
} from './refusal.ts';
import { relay } from './relay.ts';
import type { Params } from './routeTable.ts';

export interface ExchangeOptions extends OpenRequest {
  readonly admission: Admission;
  readonly notes: ExchangeNotes;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
  /** Whatever a handler threw, as an answer. */
  readonly explain: (error: unknown) => HttpError;
}

/** Why work for an answer ends when its caller has left. Made once, because it holds a stack. */
export const callerLeft = new Error('the caller has left');

/** One admitted request and its answer. */
export class Exchange implements GatewayRequest {
  readonly id: string;
  readonly route: Route;
  readonly params: Params;
  readonly headers: IncomingHttpHeaders;
  readonly access: Access;
  readonly notes: ExchangeNotes;
  pieces: Pieces = [];
  furtherModels: readonly FurtherModel[] = [];
  /** Among the open ones. */
  place = 0;
  readonly #options: ExchangeOptions;
  #body: Uint8Array | undefined;
  #query: Query | undefined;
  #left: CancellationSource | undefined;

  constructor(options: ExchangeOptions) {
    const { req, requestId, admission, notes } = options;
    this.id = requestId;
    this.route = admission.route;
    this.params = admission.params;
    this.access = admission.shown?.access ?? noAccess;
    this.headers = this.access.isLimited ? limitedHeaders(req.headers) : req.headers;
    this.notes = notes;
    this.#options = options;
  }

  get body(): Uint8Array {
    this.#body ??= joined(this.pieces);
    return this.#body;
  }

  get query(): Query {
    this.#query ??= this.rawQuery === '' ? noQuery : parse(this.rawQuery);
    return this.#query;
  }

  get rawQuery(): string {
    const query = queryOf(this.#options.req.url ?? '');
    return this.access.isLimited ? limitedQuery(query) : query;
  }

  get signal(): Cancellation {
    if (!this.#left) {
      this.#left = new CancellationSource();
      const { closing } = this.#options;
      if (closing.aborted) this.abort(closing.reason);
      else if (this.#isLeft) this.abort(callerLeft);
    }
    return this.#left;
  }

  /** Ends the work for an answer that nobody gets. */
  abort(reason: unknown): void {
    this.#left?.abort(reason);
  }

  /** Answers the request. Never rejects: an error of any kind becomes an answer. */
  async run(served: ServedRoute): Promise<void> {
    const { req, admission } = this.#options;
    try {
      // Routes read the bytes themselves, because they pass exactly these on.
      if (this.route.method !== 'GET' && mayHaveBody(req)) this.pieces = await readPieces(req);
      if (this.pieces.length > 0 && !admission.isReadable) throw bodyNotJson();
      if (this.pieces.length > 0 && this.access.isLimited) this.#limitBody();
      const answer = await served.answer(this);
      const sending = this.#isLeft ? undefined : this.#send(answer);
      if (sending) await sending;
    } catch (error) {
      this.#fail(error, served);
    }
  }

  #limitBody(): void {
    const { params, route, headers } = this;
    const { model } = params;
    const about = { route, ...(model !== undefined && { model }) };
    const limited = limitedBody(this.pieces, headers['content-type'], about);
    this.pieces = limited.pieces;
    this.furtherModels = limited.furtherModels;
    headers['content-type'] = limited.type;
  }

  get #isLeft(): boolean {
    return this.#options.res.destroyed;
  }

  /** @returns what is left to be waited for, if anything */
  #send(answer: Answer): Promise<void> | undefined {
    const { res, closing } = this.#options;
    if ('json' in answer) {
      this.#sendJson(answer.json, answer.status, answer.headers);
    } else if ('bytes' in answer) {
      this.#sendBytes(answer.bytes, answer.status, answer.headers);
    } else if ('relayed' in answer) {
      const { group } = this.route;
      const finalEvent = (error: HttpError) => errorEvent(error, group, this.id);
      const { status, headers, body } = answer.relayed;
      this.#note(status, headers);
      const reply = { status, headers: { ...ownHeaders(this.id), ...headers }, body };
      return relay(reply, res, { signal: this.signal, closing, finalEvent, notes: this.notes });
    } else {
      res.destroy();
    }
    return undefined;
  }

  #sendJson(body: object, status?: number, headers?: Readonly<Record<string, string>>): void {
    const bytes = Buffer.from(JSON.stringify(body));
    this.#sendBytes(bytes, status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  }

  #sendBytes(bytes: Uint8Array, status = 200, headers: Readonly<Record<string, string>> = {}): void {
    const { res } = this.#options;
    res.writeHead(status, { ...ownHeaders(this.id), ...headers, 'content-length': String(bytes.length) });
    this.notes.wrote(bytes);
    res.end(bytes);
  }

  /** Who answered is told by the reply, as one of several upstreams may have. */
  #note(status: number, headers: Readonly<Record<string, string>>): void {
    this.notes.upstream = headers['x-upstream'] ?? this.notes.upstream;
    this.notes.conversion = headers['x-gateway-conversion'];
    const type = headers['content-type'] ?? '';
    const isPlain = headers['content-encoding'] === undefined;
    if (status === 200 && isPlain && /json|event-stream/.test(type)) this.notes.expectTokens();
  }

  #fail(error: unknown, served: ServedRoute): void {
    const { req, res, closing, explain } = this.#options;
    if (this.#isLeft) return;
    const group = served.errorGroup?.(this) ?? this.route.group;
    const stopped = closing.aborted && this.#left !== undefined;
    // What the handler began is of no use any more.
    this.abort(error);
    const answer = errorForGroup(stopped ? shuttingDown() : explain(error), group);
    if (res.headersSent) {
      res.destroy();
    } else if (req.complete) {
      this.#sendJson(errorBody(answer, group, this.id), answer.status, answer.headers);
    } else {
      endWithError(this.#options, answer, group);
    }
  }
}

/** Whether a body may follow the head of a request. */
function mayHaveBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads a body to its end, in the pieces in which it arrives.
 *
 * @throws {HttpError} 413 when it is too long, 408 when it comes too slowly, and an error when the caller leaves
 * before its end
 */
export function readPieces(req: IncomingMessage): Promise<Pieces> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    // The rest is read and dropped, so that the caller gets to read the refusal.
    const refuse = (error: HttpError) => {
      clearTimeout(timer);
      chunks.length = 0;
      req.removeAllListeners('data');
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) return refuse(bodyTooLarge());
      chunks.push(chunk);
      // Most bodies come with their head, and need no timer.
      if (!req.complete)
        timer ??= setTimeout(() => refuse(bodyTooSlow()), maxBodyMs - (performance.now() - startedAt));
    });
    req.once('end', () => {
      clearTimeout(timer);
      resolve(chunks);
    });
    req.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** How long a body may take, in milliseconds: somewhat less than the server waits, which tells a bare status. */
const maxBodyMs = 55_000;

const noQuery: Query = {};

function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
}
