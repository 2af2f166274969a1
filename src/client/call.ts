import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { FailureDetails } from '../wire/errorMapping.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import { GatewayError } from '../wire/failure.ts';
import { gatewayRequestId } from '../wire/requestId.ts';
import { redact } from '../wire/secrets/redact.ts';
import type { Exchange } from './exchange.ts';
import type { CallOptions } from './types.ts';

/** The identity of a call, for its result and its failure. */
export interface CallIdentity {
  readonly requestId: string;
  readonly requestedAt: Date;
  /** When the call began, by `performance.now()`. */
  readonly startedAt: number;
}

/** Starts a call: the caller's request id or a random one, and the time by both clocks. */
export function identify(options: CallOptions): CallIdentity {
  return {
    requestId: options.requestId ?? randomUUID(),
    requestedAt: new Date(),
    startedAt: performance.now(),
  };
}

/** Builds the error of a request that never left. */
export function unsent(failure: FailureDetails, { requestId, requestedAt }: CallIdentity): GatewayError {
  return new GatewayError({ ...failure, requestId, requestedAt, sent: false });
}

/** Builds the error of a failed exchange, and hides secrets in it: gateways repeat what they were sent. */
export function failed(
  exchange: Pick<Exchange, 'headers' | 'sent'>,
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
    sent: exchange.sent,
  });
}

/** A redirect may lead to a host that the gateway named by what it was sent. */
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
