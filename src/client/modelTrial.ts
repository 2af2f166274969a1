import { withValue } from '../base/nestedValues.ts';
import type { ApiFormat } from '../wire/apis/format/apiFormat.ts';
import type { Outcome } from '../wire/chatEvent.ts';
import { cancelled } from '../wire/errorMapping.ts';
import type { GatewayError } from '../wire/failure.ts';
import { identify, unsent } from './call.ts';
import type { GatewayClient } from './gatewayClient.ts';
import type { FormatRequest, Timeouts } from './types.ts';

/** How a model took the smallest request. */
export interface ModelTrial {
  readonly requestedAt: Date;
  /** From the call to the end of the reply, in milliseconds. */
  readonly ms: number;
  readonly requestId: string;
  readonly gatewayRequestId?: string;
  /** Why it cannot be used; undefined where it answered. */
  readonly error?: GatewayError;
}

/** A word is written in no time, whatever a reply of its kind may take. */
const trialTimeouts: Partial<Timeouts> = { firstByte: 60_000, idle: 60_000, noData: 60_000, total: 90_000 };

/** What OpenAI answers with status 400 where a model that reasons was given too little room to end. */
const outOfRoom = /max_tokens or model output limit was reached/i;

/** The smallest request of a format that a model answers: two letters in, and as few tokens out as it allows. */
export function smallestRequest(format: ApiFormat, model: string): FormatRequest {
  const { body } = format.encode([{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]);
  const limit = format.common.outputLimit?.place({ outputLimit: format.minOutputLimit ?? 1 }, model) ?? [];
  const fields = limit.reduce((all, { path, value }) => withValue(all, path, value), {
    ...(!format.isModelInPath && { model }),
    ...body,
  });
  const whole = format.routes.find(({ isStreamed }) => isStreamed === false);
  return { format, model, body: fields, ...(whole && { route: whole }) };
}

/**
 * Asks a model for as little as it allows, once. What ends at the limit is an answer.
 *
 * @throws {GatewayError} as `cancelled` when the signal is aborted
 */
export async function tryModel(
  client: Pick<GatewayClient, 'ask'>,
  format: ApiFormat,
  model: string,
  signal: AbortSignal,
): Promise<ModelTrial> {
  const request = smallestRequest(format, model);
  const result = await client.ask(request, () => {}, { signal, timeouts: trialTimeouts });
  const { requestedAt, totalMs: ms, requestId, gatewayRequestId, outcome } = result;
  if (outcome.kind === 'cancelled') throw unsent(cancelled(), identify({ requestId }));
  const error = refusalIn(outcome);
  return {
    requestedAt,
    ms,
    requestId,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(error && { error }),
  };
}

function refusalIn(outcome: Outcome): GatewayError | undefined {
  const error = 'error' in outcome ? outcome.error : undefined;
  return error?.status === 400 && outOfRoom.test(error.gatewayMessage ?? '') ? undefined : error;
}
