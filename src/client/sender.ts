import { performance } from 'node:perf_hooks';
import { parseJson } from '../base/json.ts';
import { messages } from '../wire/apis/messages/format.ts';
import { responses } from '../wire/apis/responses/format.ts';
import { explain, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import { getFailureEffect } from '../wire/failures/failureEffect.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import { createUnsendableFailure, type FailureDetails } from '../wire/failures/replyFailure.ts';
import { type HeaderNames, resolveHeaderNames } from '../wire/headerNames.ts';
import type { Route } from '../wire/routes.ts';
import { type CallIdentity, createExchangeError, createUnsentError, readGatewayId } from './callIdentity.ts';
import { renewRefusedCredential, writeCredentialHeader } from './credential.ts';
import { type Attempt, type ExchangePlan, sendWithRetry } from './exchange.ts';
import { type RequestSecrets, readRequestSecrets } from './extraHeaders.ts';
import {
  type AddressProblem,
  buildRouteUrl,
  buildUnsentAddress,
  findAddressProblem,
} from './gatewayAddress.ts';
import type { ReplySink } from './replySink.ts';
import { defaultTimeouts, resolveTimeouts, type TimedCall } from './requestTimeouts.ts';
import { createTranscript, type Transcript } from './transcript.ts';
import { createGatewayTransports, type TransportChoice } from './transports/transportChoice.ts';
import type {
  CallOptions,
  ClientOptions,
  ExchangeRecord,
  OpenRouteChoice,
  PaidRequest,
  SpendingReservation,
  Timeouts,
} from './types.ts';

/** A request to a gateway, and the sink for its reply. */
export interface Call extends TimedCall {
  readonly route: Route;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Values of the headers whose names differ between gateways. */
  readonly vendorHeaders?: Partial<HeaderNames>;
  /** JSON text. */
  readonly body?: string;
  /**
   * The same for all repetitions of a request. A gateway that supports the header sends its first reply to all of
   * them.
   */
  readonly idempotencyKey?: string;
  readonly accept: string;
  readonly sink: ReplySink;
  /** Present for a request that may cost money. */
  readonly paid?: Pick<PaidRequest, 'kind' | 'body'>;
  readonly identity: CallIdentity;
  readonly options: CallOptions;
}

const unreportedCosts = { textLength: 0 };

/** The address of a call, and the secrets that it is sent with. */
interface PreparedCall extends RequestSecrets {
  readonly url: URL;
}

/** A call after its last exchange. */
interface SentCall {
  readonly url: URL;
  readonly attempt: Attempt;
  readonly error: GatewayError | undefined;
  readonly gatewayId: string | undefined;
  readonly transcript: Transcript | undefined;
}

const addressSentences = {
  'not-an-address': 'base-url-not-an-address',
  'not-http': 'base-url-not-http',
  'plain-http': 'base-url-plain-http',
  'contains-credentials': 'base-url-contains-credentials',
  'contains-query': 'base-url-contains-query',
} as const satisfies Record<AddressProblem, SentenceIdWith<never>>;

/** The failure for a base URL that may not be used. */
export function createUnusableAddressFailure(problem: AddressProblem): FailureDetails {
  return {
    kind: 'unreachable',
    reason: 'unusable-address',
    explanation: explain(addressSentences[problem]),
  };
}

/**
 * Sends all requests to a gateway. A request is sent to the origin of the base URL with exactly one credential header
 * and does not follow redirects. It is sent twice only by `sendWithRetry`, and after a 401 with a renewed credential.
 */
export class Sender {
  readonly #options: ClientOptions;
  readonly #timeouts: Timeouts;
  readonly #headerNames: HeaderNames;
  readonly #transports: TransportChoice;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#headerNames = resolveHeaderNames(options.headers);
    this.#transports = createGatewayTransports(options);
  }

  /**
   * Sends the request and passes the reply to the sink of the call.
   *
   * @returns the gateway's own id of the request, if it reports one
   * @throws {GatewayError} for any failure, as `cancelled` if the signal is aborted
   * @throws any error that the sink throws
   */
  async send(call: Call): Promise<string | undefined> {
    const prepared = await this.#prepare(call);
    const first = await this.#sendOnce(call, prepared);
    const renewedCredential = await renewRefusedCredential(
      this.#options,
      prepared.credential,
      first.attempt,
      call.options.signal,
    );
    if (renewedCredential === undefined) return this.#finish(call, first);
    this.#report(call, first, true);
    const secrets = [renewedCredential, ...prepared.secrets];
    const renewedCall = { ...prepared, credential: renewedCredential, secrets };
    return this.#finish(call, await this.#sendOnce(call, renewedCall));
  }

  async #sendOnce(call: Call, prepared: PreparedCall): Promise<SentCall> {
    const { url, credential, secrets } = prepared;
    const plan = this.#createPlan(call, prepared);
    call.sink.hideSecrets?.(secrets);
    const reservation = await this.#reserve(call);
    const attempt = await sendWithRetry(plan, this.#transports).catch((thrown) => {
      reservation?.settle(call.sink.paid ?? unreportedCosts);
      throw thrown;
    });
    const isReportedUnbilled =
      this.#options.isLocalGateway === true && attempt.exchange.headers['x-gateway-unbilled'] === 'true';
    const failure = attempt.failure && { ...attempt.failure, isReportedUnbilled };
    const error = failure && createExchangeError(attempt.exchange, failure, call.identity, secrets);
    const isUnbilled = error !== undefined && getFailureEffect(error).isUnbilled;
    reservation?.settle(isUnbilled ? undefined : (call.sink.paid ?? unreportedCosts));
    const gatewayId = error
      ? error.gatewayRequestId
      : readGatewayId(attempt.exchange, undefined, call.identity, secrets);
    const { arrived, headers } = attempt.exchange;
    const transcript = arrived && createTranscript({ arrived, headers }, plan.request, credential, secrets);
    return { url, attempt, error, gatewayId, transcript };
  }

  /** @throws {GatewayError} if the request failed */
  #finish(call: Call, sent: SentCall): string | undefined {
    this.#report(call, sent, false);
    if (sent.error) throw sent.error;
    return sent.gatewayId;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** Returns a route with the path and the credential header that this gateway uses. */
  resolveRoute(route: Route): Route {
    return resolveRoute(route, this.#options.openRoutes);
  }

  close(): void {
    this.#transports.close();
  }

  /** @throws {GatewayError} for a request that cannot be sent; `onExchange` is called for it too */
  async #prepare(call: Call): Promise<PreparedCall> {
    try {
      const url = this.#buildUrl(call);
      const { identity, options } = call;
      return {
        url,
        ...(await readRequestSecrets(this.#options, this.#headerNames, options.signal, identity)),
      };
    } catch (error) {
      if (GatewayError.is(error)) this.#reportUnsent(call, error);
      throw error;
    }
  }

  /** @throws {GatewayError} if a spending limit refuses the request; `onExchange` is called for it too */
  async #reserve(call: Call): Promise<SpendingReservation | undefined> {
    const { paid, route, identity, options } = call;
    const { requestId, requestedAt } = identity;
    const { initiator } = options;
    try {
      return await (paid &&
        this.#options.spending?.reserve({
          ...paid,
          route: route.name,
          model: readModelName(call),
          initiator,
          requestId,
          requestedAt,
        }));
    } catch (error) {
      if (GatewayError.is(error)) this.#reportUnsent(call, error);
      throw error;
    }
  }

  #reportUnsent(call: Call, error: GatewayError): void {
    const url = buildUnsentAddress(this.#options.baseUrl, this.resolveRoute(call.route));
    if (url === undefined) return;
    this.#options.onExchange?.({
      ...readFacts(call),
      url,
      totalMs: performance.now() - call.identity.startedAt,
      bytesReceived: 0,
      failure: error.message,
      error,
    });
  }

  #buildUrl({ route, params, query, identity }: Call): URL {
    const { baseUrl, plainHttp } = this.#options;
    const problem = findAddressProblem(baseUrl, plainHttp);
    if (problem) throw createUnsentError(createUnusableAddressFailure(problem), identity);
    try {
      const url = buildRouteUrl(baseUrl, this.resolveRoute(route), params);
      url.search = new URLSearchParams({ ...route.query, ...query }).toString();
      return url;
    } catch (cause) {
      throw createUnsentError(createUnsendableFailure(cause), identity);
    }
  }

  #createPlan(call: Call, { url, credential, headers }: PreparedCall): ExchangePlan {
    const { route, body, idempotencyKey, accept, sink, identity, options } = call;
    const { vendorHeaders = {} } = call;
    const { method, group, credential: header } = this.resolveRoute(route);
    return {
      request: {
        method,
        url,
        headers: {
          ...headers,
          accept,
          'content-type': 'application/json',
          'user-agent': 'model-gateway',
          'x-request-id': identity.requestId,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...this.#nameVendorHeaders(vendorHeaders),
          ...(credential !== undefined && writeCredentialHeader(header, credential, this.#headerNames)),
        },
        ...(body !== undefined && { body }),
      },
      group,
      route: route.name,
      timeouts: resolveTimeouts(call, this.#timeouts),
      startedAt: identity.startedAt,
      signal: options.signal,
      sink,
      isRecorded: this.#options.onExchange !== undefined && this.#options.recordsTranscripts === true,
    };
  }

  #nameVendorHeaders(values: Partial<HeaderNames>): Record<string, string> {
    const entries = Object.entries(values) as [keyof HeaderNames, string][];
    return Object.fromEntries(entries.map(([header, value]) => [this.#headerNames[header], value]));
  }

  #report(
    call: Call,
    { url, attempt: { transport, exchange }, error, gatewayId, transcript }: SentCall,
    isSentAgain: boolean,
  ): void {
    const { status, sentMs, headersMs, firstByteMs, lastByteMs, bytesReceived } = exchange;
    const isExpected = isSentAgain || (status !== undefined && call.options.expects?.includes(status));
    this.#options.onExchange?.({
      ...readFacts(call),
      url: url.href,
      ...(gatewayId !== undefined && { gatewayRequestId: gatewayId }),
      ...(status !== undefined && { status }),
      ...(sentMs !== undefined && { sentMs }),
      ...(headersMs !== undefined && { headersMs }),
      ...(firstByteMs !== undefined && { firstByteMs }),
      ...(lastByteMs !== undefined && { lastByteMs }),
      totalMs: performance.now() - call.identity.startedAt,
      bytesReceived,
      transport,
      ...(error && { failure: error.message, error }),
      ...(isExpected && { isExpected: true }),
      ...(transcript && { transcript }),
    });
  }
}

/** Returns the facts of a request for its record that are known before it is sent. */
function readFacts(
  call: Call,
): Pick<ExchangeRecord, 'route' | 'method' | 'model' | 'requestId' | 'requestedAt'> {
  const { route, identity } = call;
  const model = readModelName(call);
  return {
    route: route.name,
    method: route.method,
    ...(model !== undefined && { model }),
    requestId: identity.requestId,
    requestedAt: identity.requestedAt,
  };
}

/** The formats whose path differs between gateways, and the groups of routes at or below that path. */
const openFormats = [
  { format: messages, groups: ['messages'] },
  { format: responses, groups: ['responses', 'storedResponses'] },
] as const;

/** Applies a gateway's choice of path and credential header to a route. */
function resolveRoute(route: Route, choice: OpenRouteChoice = {}): Route {
  const openFormat = openFormats.find(({ groups }) => groups.some((group) => group === route.group));
  const openRoute = openFormat && choice[openFormat.format.id];
  if (!openRoute) return route;
  const { path: base } = openFormat.format.route;
  const { path = base, credential = route.credential } = openRoute;
  return { ...route, path: path + route.path.slice(base.length), credential };
}

/** Quotes inside JSON strings are escaped, so this matches only a key. */
const modelField = /"model":\s*("(?:[^"\\]|\\.){1,512}")/;

/** Reads the model of a call from its path or its body. */
export function readModelName({ params, body = '' }: Pick<Call, 'params' | 'body'>): string | undefined {
  if (params?.model !== undefined) return params.model;
  const name = parseJson(modelField.exec(body)?.[1] ?? '');
  return typeof name === 'string' ? name : undefined;
}
