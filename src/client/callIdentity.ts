import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { isObject, type JsonObject, nonEmptyString, parseJson } from '../base/json.ts';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';
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

/** Creates the identity of a call that begins now, with the caller's request id or a random one. */
export function createCallIdentity(options: CallOptions): CallIdentity {
  return {
    requestId: options.requestId ?? randomUUID(),
    requestedAt: new Date(),
    startedAt: performance.now(),
  };
}

/** Builds the error of a request that was not sent. */
export function createUnsentError(
  failure: FailureDetails,
  { requestId, requestedAt }: CallIdentity,
): GatewayError {
  return new GatewayError({ ...failure, requestId, requestedAt, wasSent: false });
}

/** Builds the error of a failed exchange, with secrets hidden, because the reply may contain the credential. */
export function createExchangeError(
  exchange: Pick<Exchange, 'headers' | 'wasSent'>,
  failure: FailureDetails,
  identity: CallIdentity,
  secrets: readonly string[],
): GatewayError {
  const { explanation, body, gatewayMessage, field } = failure;
  const gatewayRequestId = readGatewayId(exchange, body, identity, secrets);
  return new GatewayError({
    ...failure,
    explanation: redactTarget(explanation, secrets),
    ...(body !== undefined && { body: redact(body, secrets) }),
    ...(gatewayMessage !== undefined && { gatewayMessage: redact(gatewayMessage, secrets) }),
    ...(field !== undefined && { field: redact(field, secrets) }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    requestId: identity.requestId,
    requestedAt: identity.requestedAt,
    wasSent: exchange.wasSent,
  });
}

/** Hides secrets in the target of a redirect, which may contain the credential. */
function redactTarget(explanation: Explanation, secrets: readonly string[]): Explanation {
  if (explanation.id !== 'redirected') return explanation;
  const { target, status } = explanation.args;
  return explain('redirected', { target: redact(target, secrets), status });
}

/** Like `findGatewayRequestId`, with secrets hidden. */
export function readGatewayId(
  { headers }: Pick<Exchange, 'headers'>,
  body: string | undefined,
  { requestId }: CallIdentity,
  secrets: readonly string[],
): string | undefined {
  const id = findGatewayRequestId(headers, body, requestId);
  return id === undefined ? undefined : redact(id, secrets);
}

/** Headers with the request ids of gateways and providers, in order of precedence. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-oneapi-request-id',
  'x-litellm-call-id',
  'x-generation-id',
  'x-dashscope-request-id',
];
/** The header with the request id of a CDN. It has the lowest precedence. */
const edgeHeader = 'cf-ray';

/** An id that can be shown and copied unchanged. */
const readableId = /^[\x21-\x7e]{1,200}$/;

/**
 * Finds the gateway's own id of a request in the headers of the reply, or in the body of an error. The operator of
 * the gateway can search for this id in logs.
 *
 * @param sentId the id in the request, which many gateways return as their own
 */
export function findGatewayRequestId(
  headers: ReplyHeaders,
  body: string | undefined,
  sentId: string,
): string | undefined {
  const candidates = [
    ...requestIdHeaders.flatMap((name) => headers[name]),
    ...(body === undefined ? [] : findIds(body)),
    ...[headers[edgeHeader]].flat(),
  ];
  return candidates.find(
    (id): id is string => typeof id === 'string' && readableId.test(id) && id !== sentId,
  );
}

function findIds(body: string): readonly unknown[] {
  const value = parseJson(body);
  const [root]: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isObject(root)) return [];
  const inner = isObject(root.error) ? root.error : {};
  return [...readRequestIds(root), ...readRequestIds(inner), findIdInMessage(inner.message ?? root.message)];
}

function readRequestIds({ request_id, requestId, RequestId }: JsonObject): readonly unknown[] {
  return [request_id, requestId, RequestId];
}

/** Finds the request id that one-api and its forks append to the message. */
function findIdInMessage(message: unknown): string | undefined {
  return /\(request id: ([\w-]{1,100})\)/i.exec(nonEmptyString(message) ?? '')?.[1];
}
