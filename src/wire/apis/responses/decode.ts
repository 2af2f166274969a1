import { isObject, type JsonObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import type { ChatEvent, FinishReason, Usage } from '../../chatEvent.ts';
import {
  cancelled,
  cutReply,
  emptyReply,
  type FailureDetails,
  failureOfInnerError,
  malformedReply,
} from '../../errorMapping.ts';
import type { Conclusion, ShapeReader } from '../../stream/replyDecoder.ts';
import { AnswerMeter } from '../answerMeter.ts';
import { ResponsesOutput } from './output.ts';
import { ResponsesSequence } from './sequence.ts';

/** Events that hold the response, and the status that each means. */
const statusEvents: ReadonlyMap<unknown, string> = new Map([
  ['response.created', 'in_progress'],
  ['response.queued', 'queued'],
  ['response.in_progress', 'in_progress'],
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
]);

const unfinished: ReadonlySet<string> = new Set(['queued', 'in_progress']);

const finished: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/**
 * Reads responses, in events or whole. A stream ends with the event that holds the finished response. A whole
 * response may be unfinished while it is written in the background.
 */
export class ResponsesReader implements ShapeReader {
  readonly #output = new ResponsesOutput();
  readonly #sequence = new ResponsesSequence();
  readonly #meter = new AnswerMeter();
  #data: string | undefined;
  #read = false;
  #streamed = false;
  #started = false;
  #ended = false;
  #pending = false;
  #truncated = false;

  /** Whether the end mark was read; the rest of the stream is ignored. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the response is still being written in the background. */
  get pending(): boolean {
    return this.#pending;
  }

  parse(data: string): unknown {
    this.#data = data;
    return parseJson(data);
  }

  read(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    if (this.#ended || this.#sequence.isRepeated(payload.sequence_number, this.#data)) return undefined;
    this.#read = true;
    this.#streamed ||= typeof payload.type === 'string';
    const before = events.length;
    const failure = this.#readPayload(payload, events);
    return failure ?? this.#meter.measure(events, before);
  }

  conclude(marked: boolean): Conclusion {
    if (this.#ended || this.#pending) return { kind: this.#truncated ? 'truncated' : 'complete' };
    if (!marked || this.#streamed) return { kind: 'interrupted', failure: cutReply() };
    return { kind: 'failed', failure: this.#read ? malformedReply('it holds no response') : emptyReply() };
  }

  #readPayload(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const status = statusEvents.get(payload.type);
    if (status) return this.#readResponse(payload.response, status, events);
    if (payload.object === 'response' || Array.isArray(payload.output))
      return this.#readWhole(payload, events);
    if (payload.type === 'error' || payload.error) return failureOfInnerError(payload);
    this.#output.readEvent(payload, events);
    return undefined;
  }

  #readWhole(response: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const status = nonEmptyString(response.status) ?? (response.error ? 'failed' : 'completed');
    this.#pending = unfinished.has(status);
    return this.#readResponse(response, status, events);
  }

  #readResponse(response: unknown, status: string, events: ChatEvent[]): FailureDetails | undefined {
    const facts = isObject(response) ? response : {};
    this.#readStart(facts, events);
    this.#ended = !unfinished.has(status);
    if (this.#ended || this.#pending) this.#output.readWhole(facts, events);
    if (!this.#ended) return undefined;
    if (isObject(facts.usage)) readUsage(facts.usage, events);
    // Relays send the event of completion for responses whose own status differs.
    return this.#readEnd(facts, finished.has(facts.status) ? String(facts.status) : status, events);
  }

  #readStart(response: JsonObject, events: ChatEvent[]): void {
    if (this.#started) return;
    this.#started = true;
    const id = nonEmptyString(response.id);
    const model = nonEmptyString(response.model);
    events.push({ type: 'start', ...(id && { id }), ...(model && { model }) });
  }

  #readEnd(response: JsonObject, status: string, events: ChatEvent[]): FailureDetails | undefined {
    if (status === 'failed') return failureOfInnerError(response.error ? { error: response.error } : {});
    if (status === 'cancelled') return cancelled();
    const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
    const raw = (status === 'incomplete' && nonEmptyString(details.reason)) || status;
    const calls = status === 'completed' && this.#output.hasCalls;
    const reason = calls ? 'tool-calls' : (finishReasons.get(raw) ?? 'other');
    this.#truncated = status === 'incomplete' && reason !== 'content-filter';
    events.push({ type: 'finish', choice: 0, reason, raw });
    return undefined;
  }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['completed', 'stop'],
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
]);

function readUsage(usage: JsonObject, events: ChatEvent[]): void {
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const counts: { -readonly [Count in keyof Usage]: unknown } = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    reasoningTokens: output.reasoning_tokens,
    cachedTokens: input.cached_tokens,
  };
  const told = Object.entries(counts).filter(([, count]) => Number.isFinite(count));
  if (told.length > 0) events.push({ type: 'usage', usage: Object.fromEntries(told) });
}
