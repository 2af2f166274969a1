import type { JsonObject } from '../../base/json.ts';
import { defaultFormat, textFormatId } from '../../wire/apis/textFormats.ts';
import type { FinishReason, Outcome, Usage } from '../../wire/chatEvent.ts';
import { explain, readExplanation } from '../../wire/explanations/explanation.ts';
import { type FailureReason, GatewayError, isFailureKind } from '../../wire/failure.ts';
import type { RequestRecord, UsageRecord } from './record.ts';
import type { Asking, ReplyResult } from './turn.ts';

/** The gateway that is asked, as records name it. */
export type AskedGateway = Pick<RequestRecord, 'gateway' | 'gatewayName'>;

/** The record of a request that is about to be sent. */
export function askedRecord(
  { model, format, systemPrompt, parameters }: Asking,
  gateway: AskedGateway,
  askedAt: number,
): RequestRecord {
  return {
    id: '',
    ...gateway,
    ...{ model, format, askedAt },
    ...(systemPrompt !== undefined && systemPrompt !== '' && { systemPrompt }),
    ...(Object.keys(parameters).length > 0 && { parameters: parameters as JsonObject }),
  };
}

/** The record of a request whose reply has ended. */
export function endedRecord(asked: RequestRecord, result: ReplyResult): RequestRecord {
  const { outcome, requestId, requestedAt, usage, serviceTier, cost, id, model, totalMs } = result;
  const { endReason, finishReason, gatewayRequestId, firstTokenMs, reasoningMs } = result;
  return {
    ...asked,
    ...{ id: requestId, askedAt: requestedAt.getTime(), outcome: outcome.kind, totalMs },
    ...('error' in outcome && { error: errorRecord(outcome.error) }),
    ...(model !== undefined && { modelAnswered: model }),
    ...(endReason !== undefined && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(id !== undefined && { replyId: id }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(usage && { usage: usageRecord(usage) }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(cost && { cost }),
  };
}

/** What a question was asked with. Of a model and format that nobody knows, the defaults stand in. */
export function askingOf(request: RequestRecord | undefined): Asking {
  const { model = '', format = '', systemPrompt, parameters = {} } = request ?? {};
  return {
    model,
    format: textFormatId(format) ?? defaultFormat,
    ...(systemPrompt !== undefined && { systemPrompt }),
    parameters,
  };
}

/**
 * How a reply ended.
 *
 * @param request says nothing of it where its window ended before, and in imports
 * @param otherwise what counts then
 */
export function resultOf(
  request: RequestRecord | undefined,
  otherwise: 'complete' | 'cancelled' = 'cancelled',
): ReplyResult {
  const { id = '', askedAt = 0, totalMs = 0, usage, serviceTier, cost, modelAnswered } = request ?? {};
  const { endReason, finishReason, gatewayRequestId, firstTokenMs, reasoningMs, replyId } = request ?? {};
  return {
    outcome: outcomeOf(request, otherwise),
    ...{ requestId: id, requestedAt: new Date(askedAt), totalMs },
    ...(usage && { usage: usageOf(usage) }),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(cost && { cost }),
    ...(modelAnswered !== undefined && { model: modelAnswered }),
    ...(isEndReason(endReason) && { endReason }),
    ...(finishReason !== undefined && { finishReason }),
    ...(gatewayRequestId !== undefined && { gatewayRequestId }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(replyId !== undefined && { id: replyId }),
  };
}

function outcomeOf(request: RequestRecord | undefined, otherwise: 'complete' | 'cancelled'): Outcome {
  const kind = request?.outcome ?? otherwise;
  if (kind !== 'failed' && kind !== 'interrupted') return { kind };
  return { kind, error: errorOf(request?.error ?? {}, request) };
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

function usageRecord(usage: Usage): UsageRecord {
  const { inputTokens, outputTokens, reasoningTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cacheReadTokens: cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
}

function usageOf(usage: UsageRecord): Usage {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadTokens !== undefined && { cachedTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
}

function errorRecord(error: GatewayError): JsonObject {
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

/** A stored failure may be of another version, or of a file that somebody wrote by hand. */
function errorOf(
  { kind, reason, status, gatewayMessage, field, body, explanation, retryAfterMs, failedAt }: JsonObject,
  request: RequestRecord | undefined,
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
    // A wait without its beginning would begin anew with each window.
    ...(isTime(retryAfterMs) && isTime(failedAt) && { retryAfterMs, failedAt: new Date(failedAt) }),
    requestedAt: new Date(request?.askedAt ?? 0),
    requestId: request?.id ?? '',
    ...(request?.gatewayRequestId !== undefined && { gatewayRequestId: request.gatewayRequestId }),
  });
}

/** Whether a stored value is a time in milliseconds that a date can hold. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 8.64e15;
}
