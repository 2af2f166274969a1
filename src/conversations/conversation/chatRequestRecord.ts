import type { JsonObject } from '../../base/json.ts';
import { defaultFormat, readTextFormatId } from '../../wire/apis/textFormats.ts';
import type { FinishReason, Outcome, Usage } from '../../wire/chatEvent.ts';
import { explain, readExplanation } from '../../wire/explanations/explanation.ts';
import { type FailureReason, GatewayError, isFailureKind } from '../../wire/failures/gatewayError.ts';
import type { ChatRequestRecord, UsageRecord } from './conversationRecord.ts';
import type { ReplyResult, ReplySettings } from './turn.ts';

/** The gateway of a request, as in records. */
type RequestGateway = Pick<ChatRequestRecord, 'gateway' | 'gatewayName'>;

/** Creates the record of a request that is about to be sent. */
export function createChatRequestRecord(
  { model, format, systemPrompt, parameters }: ReplySettings,
  gateway: RequestGateway,
  requestedAt: number,
): ChatRequestRecord {
  return {
    id: '',
    ...gateway,
    model,
    format,
    requestedAt,
    ...(systemPrompt !== undefined && systemPrompt !== '' && { systemPrompt }),
    ...(Object.keys(parameters).length > 0 && { parameters: parameters as JsonObject }),
  };
}

/** Adds the result of a reply to the record of its request. */
export function finishRequestRecord(request: ChatRequestRecord, result: ReplyResult): ChatRequestRecord {
  const { outcome, requestId, requestedAt, usage, serviceTier, cost, id, model, totalMs } = result;
  const { endReason, finishReason, gatewayRequestId, firstTokenMs, reasoningMs } = result;
  return {
    ...request,
    id: requestId,
    requestedAt: requestedAt.getTime(),
    outcome: outcome.kind,
    totalMs,
    ...('error' in outcome && { error: createErrorRecord(outcome.error) }),
    ...(model !== undefined && { replyModel: model }),
    ...(endReason !== undefined && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(id !== undefined && { replyId: id }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(usage && { usage: createUsageRecord(usage) }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(cost && { cost }),
  };
}

/** Reads the model, format and parameters of a recorded request. An unknown format is replaced by the default. */
export function readReplySettings(request: ChatRequestRecord | undefined): ReplySettings {
  const { model = '', format = '', systemPrompt, parameters = {} } = request ?? {};
  return {
    model,
    format: readTextFormatId(format) ?? defaultFormat,
    ...(systemPrompt !== undefined && { systemPrompt }),
    parameters,
  };
}

/**
 * Reads how a reply ended.
 *
 * @param defaultOutcome for a request without an outcome: an imported one, or one whose window closed early
 */
export function readResult(
  request: ChatRequestRecord | undefined,
  defaultOutcome: 'complete' | 'cancelled' = 'cancelled',
): ReplyResult {
  const { id = '', requestedAt = 0, totalMs = 0, usage, serviceTier, cost, replyModel } = request ?? {};
  const { endReason, finishReason, gatewayRequestId, firstTokenMs, reasoningMs, replyId } = request ?? {};
  return {
    outcome: readOutcome(request, defaultOutcome),
    requestId: id,
    requestedAt: new Date(requestedAt),
    totalMs,
    ...(usage && { usage }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(cost && { cost }),
    ...(replyModel !== undefined && { model: replyModel }),
    ...(isEndReason(endReason) && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(replyId !== undefined && { id: replyId }),
  };
}

function readOutcome(
  request: ChatRequestRecord | undefined,
  defaultOutcome: 'complete' | 'cancelled',
): Outcome {
  const kind = request?.outcome ?? defaultOutcome;
  if (kind !== 'failed' && kind !== 'interrupted') return { kind };
  return { kind, error: readError(request?.error ?? {}, request) };
}

const endReasons: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  'tool-calls': true,
  'content-filter': true,
  error: true,
  other: true,
};

function isEndReason(reason: string | undefined): reason is FinishReason {
  return reason !== undefined && Object.hasOwn(endReasons, reason);
}

function createUsageRecord(usage: Usage): UsageRecord {
  const { inputTokens, outputTokens, reasoningTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
}

function createErrorRecord(error: GatewayError): JsonObject {
  const { kind, reason, status, gatewayMessage, field, body, explanation, retryAfterMs, failedAt } = error;
  return {
    kind,
    ...(reason !== undefined && { reason }),
    ...(status !== undefined && { status }),
    ...(gatewayMessage !== undefined && { gatewayMessage }),
    ...(field !== undefined && { field }),
    ...(body !== undefined && { body }),
    ...(retryAfterMs !== undefined && { retryAfterMs, failedAt: failedAt.getTime() }),
    explanation: { ...explanation, args: { ...explanation.args } },
  };
}

/** Accepts any values: a stored failure may be from another version, or from a file that was edited by hand. */
function readError(
  { kind, reason, status, gatewayMessage, field, body, explanation, retryAfterMs, failedAt }: JsonObject,
  request: ChatRequestRecord | undefined,
): GatewayError {
  const httpStatus = typeof status === 'number' ? status : undefined;
  return new GatewayError({
    kind: isFailureKind(kind) ? kind : 'server',
    explanation: readExplanation(explanation) ?? explain('gateway-failed', { httpStatus }),
    ...(typeof reason === 'string' && { reason: reason as FailureReason }),
    ...(httpStatus !== undefined && { status: httpStatus }),
    ...(typeof gatewayMessage === 'string' && { gatewayMessage }),
    ...(typeof field === 'string' && { field }),
    ...(typeof body === 'string' && { body }),
    // Without its start time, the wait would begin again in each window.
    ...(isTime(retryAfterMs) && isTime(failedAt) && { retryAfterMs, failedAt: new Date(failedAt) }),
    requestedAt: new Date(request?.requestedAt ?? 0),
    requestId: request?.id ?? '',
    ...(request?.gatewayRequestId !== undefined && { gatewayRequestId: request.gatewayRequestId }),
  });
}

/** Whether a stored value is a time in milliseconds in the range of `Date`. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 8.64e15;
}
