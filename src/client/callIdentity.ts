import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { isObject, type JsonObject, nonEmptyString, parseJson } from '../base/json.ts';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import type { FailureDetails } from '../wire/failures/failureOfReply.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import { redact } from '../wire/secrets/redact.ts';
import type { Exchange } from './exchange.ts';
import type { CallOptions } from './types.ts';

/** The request id and start time of a call, for its result or failure. */
export interface CallIdentity {
  readonly requestId: string;
  readonly requestedAt: Date;
  /** When the call began, by `performance.now()`. */
  readonly startedAt: number;
}

/** Starts a call: the caller's request id or a random one, and the time by both clocks. */
export function createCallIdentity(options: CallOptions): CallIdentity {
  return {
    requestId: options.requestId ?? randomUUID(),
    requestedAt: new Date(),
    startedAt: performance.now(),
  };
}

/** Builds the error of a request that was not sent. */
export function unsentError(failure: FailureDetails, { requestId, requestedAt }: CallIdentity): GatewayError {
  return new GatewayError({ ...failure, requestId, requestedAt, wasSent: false });
}

/** Builds the error of a failed exchange. It hides secrets, because a gateway may repeat the credential. */
export function exchangeError(
  exchange: Pick<Exchange, 'headers' | 'wasSent'>,
  failure: FailureDetails,
  identity: CallIdentity,
  secrets: readonly string[],
): GatewayError {
  const { explanation, body, gatewayMessage, field } = failure;
  const gatewayRequestId = gatewayIdOf(exchange, body, identity, secrets);
  return new GatewayError({
    ...failure,
    explanation: withHiddenTarget(explanation, secrets),
    ...(body !== undefined && { body: redact(body, secrets) }),
    ...(gatewayMessage !== undefined && { gatewayMessage: redact(gatewayMessage, secrets) }),
    ...(field !== undefined && { field: redact(field, secrets) }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    requestId: identity.requestId,
    requestedAt: identity.requestedAt,
    wasSent: exchange.wasSent,
  });
}

/** The target of a redirect may contain the credential. */
function withHiddenTarget(explanation: Explanation, secrets: readonly string[]): Explanation {
  if (explanation.id !== 'redirected') return explanation;
  const { target, status } = explanation.args;
  return explain('redirected', { target: redact(target, secrets), status });
}

/** The gateway's own id of the request, from the headers or the body of its reply. */
export function gatewayIdOf(
  { headers }: Pick<Exchange, 'headers'>,
  body: string | undefined,
  { requestId }: CallIdentity,
  secrets: readonly string[],
): string | undefined {
  const id = gatewayRequestId(headers, body, requestId);
  return id === undefined ? undefined : redact(id, secrets);
}

/** Headers with the request ids of gateways, providers and CDNs, the nearest to the gateway first. */
const headerNames = [
  'x-request-id',
  'request-id',
  'x-oneapi-request-id',
  'x-litellm-call-id',
  'x-generation-id',
  'x-dashscope-request-id',
];
const edgeHeader = 'cf-ray';

/** An id that can be shown and copied unchanged. */
const readableId = /^[\x21-\x7e]{1,200}$/;

/**
 * The gateway's own id of a request, which its operator can search for in logs: from the headers of the reply, or
 * from the body of an error.
 *
 * @param sentId the id in the request, which many gateways return as their own
 */
export function gatewayRequestId(
  headers: ReplyHeaders,
  body: string | undefined,
  sentId: string,
): string | undefined {
  const candidates = [
    ...headerNames.flatMap((name) => headers[name]),
    ...(body === undefined ? [] : idsIn(body)),
    ...[headers[edgeHeader]].flat(),
  ];
  return candidates.find(
    (id): id is string => typeof id === 'string' && readableId.test(id) && id !== sentId,
  );
}

function idsIn(body: string): readonly unknown[] {
  const value = parseJson(body);
  const [root]: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isObject(root)) return [];
  const inner = isObject(root.error) ? root.error : {};
  return [...requestIdsOf(root), ...requestIdsOf(inner), idInMessage(inner.message ?? root.message)];
}

function requestIdsOf({ request_id, requestId, RequestId }: JsonObject): readonly unknown[] {
  return [request_id, requestId, RequestId];
}

/** one-api and its forks append their id to the message. */
function idInMessage(message: unknown): string | undefined {
  return /\(request id: ([\w-]{1,100})\)/i.exec(nonEmptyString(message) ?? '')?.[1];
}
