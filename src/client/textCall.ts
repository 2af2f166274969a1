import { performance } from 'node:perf_hooks';
import type { Destination } from '../wire/apis/shared/apiFormat.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import type { FormatDecoder } from '../wire/stream/decodedReply.ts';
import { createCallIdentity } from './callIdentity.ts';
import { ChatSink } from './chatSink.ts';
import { generationTimeouts } from './defaultTimeouts.ts';
import type { Call, Sender } from './sender.ts';
import type { CallOptions, ChatResult, FormatRequest } from './types.ts';

/** A call whose reply is in a text format. */
export interface TextCall extends Omit<Call, 'body' | 'accept' | 'sink' | 'identity' | 'options'> {
  readonly body?: object;
  /** Whether a stream is requested. The reply is read according to its actual type, a stream or a document. */
  readonly isStreamed: boolean;
  readonly decoder: FormatDecoder;
}

/** Builds the call that sends a request in its API format. */
export function createTextCall(
  { format, model = '', body, route = format.route }: FormatRequest,
  destination: Destination,
): TextCall {
  const isStreamed = route.isStreamed ?? ('stream' in body && body.stream === true);
  return {
    route,
    ...(format.isModelInPath && { params: { model } }),
    ...(format.prepare?.(body, destination) ?? { body }),
    paid: { kind: 'reply', body },
    isStreamed,
    ...(format.isSlow && !isStreamed && { minTimeouts: generationTimeouts }),
    decoder: format.createDecoder(),
  };
}

/**
 * Sends a call and reports its reply as events. Failures of the gateway and the network are in the outcome.
 *
 * @throws only errors that `onEvents` throws
 */
export async function sendTextCall(
  sender: Sender,
  { body, isStreamed, decoder, ...call }: TextCall,
  onEvents: (events: readonly ChatEvent[]) => void,
  options: CallOptions,
): Promise<ChatResult> {
  const identity = createCallIdentity(options);
  const { requestId, requestedAt, startedAt } = identity;
  const sink = new ChatSink(decoder, onEvents, options.thinkTags);
  const requestIdOrError = await sender
    .send({
      isUnstreamed: !isStreamed,
      ...call,
      ...(body && { body: JSON.stringify(body) }),
      accept: isStreamed ? 'text/event-stream, application/json' : 'application/json',
      sink,
      identity,
      options,
    })
    .catch(rethrowUnlessGatewayError);
  sink.release();
  const error = GatewayError.is(requestIdOrError) ? requestIdOrError : undefined;
  const gatewayRequestId = GatewayError.is(requestIdOrError)
    ? requestIdOrError.gatewayRequestId
    : requestIdOrError;
  const { id, model, usage, costUsd, serviceTier, endReason, finishReason } = sink;
  const { firstTokenAt, reasoningMs } = sink;
  return {
    outcome: sink.outcome(error),
    requestId,
    requestedAt,
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(endReason !== undefined && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(firstTokenAt !== undefined && { firstTokenMs: firstTokenAt - startedAt }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    totalMs: performance.now() - startedAt,
  };
}

function rethrowUnlessGatewayError(error: unknown): GatewayError {
  if (GatewayError.is(error)) return error;
  throw error;
}
