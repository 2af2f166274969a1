import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { type Cancellation, CancellationSource } from '../../base/cancellation.ts';
import { readTextFormatId } from '../../wire/apis/textFormats.ts';
import { readHeaderCost } from '../../wire/reportedCost.ts';
import type { Route } from '../../wire/routes.ts';
import type { CredentialAccess } from '../config/gatewayCredentials.ts';
import { adaptErrorToGroup, createErrorBody, createErrorEvent } from '../http/errorReply.ts';
import { type HttpError, shuttingDownError } from '../http/httpError.ts';
import type { Query } from '../http/query.ts';
import { type BodyPieces, joinPieces } from '../json/bodyPieces.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';
import type { ExchangeSpending } from './exchangeSpending.ts';
import type { FurtherModel } from './furtherModels.ts';
import { type AdmittedRequest, maxBodyBytes } from './guard.ts';
import { limitBody, limitHeaders, limitQuery } from './limitedRequest.ts';
import {
  bodyNotJsonError,
  bodyTooLargeError,
  bodyTooSlowError,
  createOwnHeaders,
  endWithError,
  type OpenRequest,
} from './refuseRequest.ts';
import { relay } from './relay.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from './routeHandler.ts';
import type { Params } from './routeTable.ts';

interface ExchangeOptions extends OpenRequest {
  readonly admission: AdmittedRequest;
  readonly notes: ExchangeNotes;
  readonly spending: ExchangeSpending;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
  /** Converts any thrown value to an error reply. */
  readonly explain: (error: unknown) => HttpError;
}

/** The abort reason when the caller disconnects. It is created once, because creating its stack takes time. */
export const callerDisconnected = new Error('the caller disconnected');

/** The rights of a request without a credential, on a route that does not need one. */
const noAccess: CredentialAccess = {
  name: undefined,
  hasModelLimit: true,
  allows: () => false,
  mayUseTasksOf: () => false,
  begin: () => ({ end: () => {} }),
};

/** One admitted request and its reply. */
export class ServedExchange implements GatewayRequest {
  readonly id: string;
  readonly route: Route;
  readonly params: Params;
  readonly headers: IncomingHttpHeaders;
  readonly access: CredentialAccess;
  readonly notes: ExchangeNotes;
  readonly spending: ExchangeSpending;
  pieces: BodyPieces = [];
  furtherModels: readonly FurtherModel[] = [];
  /** See `OpenExchanges`. */
  openIndex = 0;
  readonly #options: ExchangeOptions;
  #body: Uint8Array | undefined;
  #query: Query | undefined;
  #cancellation: CancellationSource | undefined;

  constructor(options: ExchangeOptions) {
    const { req, requestId, admission, notes, spending } = options;
    this.id = requestId;
    this.route = admission.route;
    this.params = admission.params;
    this.access = admission.validCredential?.access ?? noAccess;
    const headers = this.access.hasModelLimit ? limitHeaders(req.headers) : req.headers;
    // The tokens in a compressed reply cannot be counted.
    this.headers = spending.isLimited ? { ...headers, 'accept-encoding': 'identity' } : headers;
    this.spending = spending;
    this.notes = notes;
    this.#options = options;
  }

  get body(): Uint8Array {
    this.#body ??= joinPieces(this.pieces);
    return this.#body;
  }

  get query(): Query {
    this.#query ??= this.rawQuery === '' ? noQuery : parse(this.rawQuery);
    return this.#query;
  }

  get rawQuery(): string {
    const query = readQuery(this.#options.req.url ?? '');
    return this.access.hasModelLimit ? limitQuery(query) : query;
  }

  get signal(): Cancellation {
    if (!this.#cancellation) {
      this.#cancellation = new CancellationSource();
      const { closing } = this.#options;
      if (closing.aborted) this.abort(closing.reason);
      else if (this.#hasCallerDisconnected) this.abort(callerDisconnected);
    }
    return this.#cancellation;
  }

  /** Aborts the work for a reply that can no longer be delivered. */
  abort(reason: unknown): void {
    this.#cancellation?.abort(reason);
  }

  /** Replies to the request. Never rejects: errors of all kinds become replies. */
  async run(served: ServedRoute): Promise<void> {
    const { req, admission } = this.#options;
    try {
      // Routes read the bytes themselves, because they pass on exactly these bytes.
      if (this.route.method !== 'GET' && mayHaveBody(req)) this.pieces = await readBodyPieces(req);
      if (this.pieces.length > 0 && !admission.isReadable) throw bodyNotJsonError();
      if (this.pieces.length > 0 && this.access.hasModelLimit) this.#limitBody();
      const response = await served.handle(this);
      const sending = this.#hasCallerDisconnected ? undefined : this.#send(response);
      if (sending) await sending;
    } catch (error) {
      this.#fail(error, served);
    }
  }

  #limitBody(): void {
    const { params, route, headers } = this;
    const { model } = params;
    const details = { route, ...(model !== undefined && { model }) };
    const limitedBody = limitBody(this.pieces, headers['content-type'], details);
    this.pieces = limitedBody.pieces;
    this.furtherModels = limitedBody.furtherModels;
    headers['content-type'] = limitedBody.type;
  }

  get #hasCallerDisconnected(): boolean {
    return this.#options.res.destroyed;
  }

  /** @returns a promise if the caller has to wait for the end of the reply */
  #send(response: HandlerResponse): Promise<void> | undefined {
    const { res, closing } = this.#options;
    if ('json' in response) {
      this.#sendJson(response.json, response.status, response.headers);
    } else if ('bytes' in response) {
      this.#sendBytes(response.bytes, response.status, response.headers);
    } else if ('relayed' in response) {
      const { group } = this.route;
      const finalEvent = (error: HttpError) => createErrorEvent(error, group, this.id);
      const { status, headers, body } = response.relayed;
      this.#noteHead(status, headers);
      const reply = { status, headers: { ...createOwnHeaders(this.id), ...headers }, body };
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
    res.writeHead(status, {
      ...createOwnHeaders(this.id),
      ...headers,
      'content-length': String(bytes.length),
    });
    this.notes.addBytes(bytes);
    res.end(bytes);
  }

  /** Notes the upstream that the reply names, because an alias may have several upstreams. */
  #noteHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.notes.upstream = headers['x-upstream'] ?? this.notes.upstream;
    this.notes.conversion = headers['x-gateway-conversion'];
    const type = headers['content-type'] ?? '';
    const isPlain = headers['content-encoding'] === undefined;
    // Reading a reply in the background again must not count its tokens again.
    const isModelReply = status === 200 && this.route.method === 'POST';
    const isStream = type.includes('event-stream');
    // The headers of a stream precede its cost.
    if (isModelReply && !isStream) this.notes.headerCostUsd = readHeaderCost(headers);
    if (isModelReply && isPlain && /json|event-stream/.test(type))
      this.notes.expectTokens(this.spending.isLimited ? readTextFormatId(this.route.group) : undefined);
  }

  #fail(error: unknown, served: ServedRoute): void {
    const { req, res, closing, explain } = this.#options;
    if (this.#hasCallerDisconnected) return;
    const group = served.findErrorGroup?.(this) ?? this.route.group;
    const isStopped = closing.aborted && this.#cancellation !== undefined;
    // The handler's work is no longer needed.
    this.abort(error);
    const responseError = adaptErrorToGroup(isStopped ? shuttingDownError() : explain(error), group);
    if (res.headersSent) {
      res.destroy();
    } else if (req.complete) {
      this.#sendJson(
        createErrorBody(responseError, group, this.id),
        responseError.status,
        responseError.replyHeaders,
      );
    } else {
      endWithError(this.#options, responseError, group);
    }
  }
}

/** Whether a body may follow the head of a request. */
function mayHaveBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads a body to its end, as a list of the pieces that arrive.
 *
 * @throws {HttpError} 413 if it is too long, 408 if it is too slow
 * @throws if the caller disconnects before its end
 */
export function readBodyPieces(req: IncomingMessage): Promise<BodyPieces> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    // The rest of the body is read and dropped, so that the caller can read the refusal.
    const refuse = (error: HttpError) => {
      clearTimeout(timer);
      chunks.length = 0;
      req.removeAllListeners('data');
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) return refuse(bodyTooLargeError());
      chunks.push(chunk);
      // Most bodies arrive with their head, and do not need a timer.
      if (!req.complete)
        timer ??= setTimeout(() => refuse(bodyTooSlowError()), maxBodyMs - (performance.now() - startedAt));
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

/**
 * How long a body may take, in milliseconds. It is less than the server's own limit, after which Node itself replies.
 */
const maxBodyMs = 55_000;

const noQuery: Query = {};

function readQuery(target: string): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
}
