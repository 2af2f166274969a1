import {
  isCount,
  isObject,
  type JsonObject,
  nonEmptyString,
  objectsIn,
  parseJson,
} from '../../../base/json.ts';
import type { FinishReason } from '../../chatEvent.ts';
import {
  createCancelledFailure,
  type FailureDetails,
  readInnerFailure,
} from '../../failures/replyFailure.ts';
import type { DecodedReply, FormatDecoder, RawUsage } from '../../stream/decodedReply.ts';
import { type ChangingValue, findChangingText } from '../../stream/repeatedEvents.ts';
import type { VerbatimReasoning, VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import { sumOtherUnits } from '../shared/usageCounts.ts';
import { isCall, ResponsesOutput } from './outputItems.ts';

/** Events that contain the response, and the status of each. */
const statusEvents: ReadonlyMap<unknown, string> = new Map([
  ['response.created', 'in_progress'],
  ['response.queued', 'queued'],
  ['response.in_progress', 'in_progress'],
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
]);

const unfinishedStatuses: ReadonlySet<string> = new Set(['queued', 'in_progress']);

const finishedStatuses: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/**
 * Reads responses, in events or whole. A stream ends with the event that contains the finished response. A whole
 * response may be unfinished while it is written in the background.
 */
export class ResponsesDecoder implements FormatDecoder {
  readonly requiredMember = 'response';
  readonly eventType = 'type';
  readonly hasEndMark = true;
  readonly findChanging = findChangingDelta;
  readonly #output = new ResponsesOutput();
  readonly #sequence = new ResponsesSequence();
  #data: string | undefined;

  parse(data: string): unknown {
    this.#data = data;
    return parseJson(data);
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    if (this.#sequence.isRepeated(payload, this.#data)) return undefined;
    const status = statusEvents.get(payload.type);
    if (status) return this.#readResponse(payload.response, status, reply);
    if (payload.object === 'response' || Array.isArray(payload.output))
      return this.#readComplete(payload, reply);
    if (payload.type === 'error' || payload.error) return readInnerFailure(payload);
    this.#output.readEvent(payload, reply.events);
    return this.#output.failure;
  }

  #readComplete(response: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const status = nonEmptyString(response.status) ?? (response.error ? 'failed' : 'completed');
    if (unfinishedStatuses.has(status)) reply.suspend();
    return this.#readResponse(response, status, reply);
  }

  #readResponse(response: unknown, status: string, reply: DecodedReply): FailureDetails | undefined {
    const facts = isObject(response) ? response : {};
    reply.start(facts.id, facts.model, true);
    if (!unfinishedStatuses.has(status)) reply.end();
    if (reply.hasEnded || reply.isPending) this.#output.readComplete(facts, reply.events);
    if (!reply.hasEnded) return undefined;
    // Before the end of a response, this member is only the requested tier.
    reply.reportServiceTier(facts.service_tier);
    if (isObject(facts.usage)) reply.reportUsage(readResponsesUsage(facts.usage, facts.output), facts.usage);
    // Relays send the completion event also for responses with another status.
    return this.#readEnd(facts, finishedStatuses.has(facts.status) ? String(facts.status) : status, reply);
  }

  #readEnd(response: JsonObject, status: string, reply: DecodedReply): FailureDetails | undefined {
    if (status === 'failed') return readInnerFailure(response.error ? { error: response.error } : {});
    if (status === 'cancelled') return createCancelledFailure();
    const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
    const raw = (status === 'incomplete' && nonEmptyString(details.reason)) || status;
    const hasCalls = status === 'completed' && this.#output.hasCalls;
    const reason = hasCalls ? 'tool-calls' : (finishReasons.get(raw) ?? 'other');
    reply.finish(0, reason, raw, status === 'incomplete' && reason !== 'content-filter');
    return undefined;
  }
}

/**
 * Finds the text and the number of a delta, and random text that hides the length of the delta. Most events differ
 * only in these values.
 */
function findChangingDelta(payload: unknown): readonly ChangingValue[] {
  const text = findChangingText(payload, 'delta');
  if (text.length === 0) return [];
  return [...text, ...findChangingText(payload, 'obfuscation'), ...findChangingNumber(payload)];
}

function findChangingNumber(payload: unknown): readonly ChangingValue[] {
  const isNumbered = isObject(payload) && isCount(payload.sequence_number);
  return isNumbered ? [{ holder: payload, member: 'sequence_number' }] : [];
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['completed', 'stop'],
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
]);

/** Items of the provider's own tools, which are charged separately. */
const chargedItems: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
]);

/**
 * The token counts of a response, from its member `usage`.
 *
 * @param items the output items
 */
export function readResponsesUsage(usage: JsonObject, items?: unknown): RawUsage {
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    reasoningTokens: output.reasoning_tokens,
    cachedTokens: input.cached_tokens,
    // The name of OpenRouter and LiteLLM.
    cacheWriteTokens: input.cache_write_tokens,
    otherUnits: sumOtherUnits(
      Array.isArray(items) && items.filter((item) => isObject(item) && chargedItems.has(item.type)).length,
      input.audio_tokens,
      output.audio_tokens,
      output.image_tokens,
      usage.num_sources_used,
    ),
  };
}

/** The maximum number of missing numbers to store. Relays withhold fewer. */
const maxMissing = 4096;

/**
 * Finds repeated events by their `sequence_number`. Late events are not repetitions. If a relay uses the same
 * number for different events, no event counts as a repetition from then on.
 */
class ResponsesSequence {
  readonly #missing = new Set<number>();
  #highest = -1;
  /** The type and the content of the event with the highest number. */
  #type: unknown;
  #content: string | undefined;
  #isUnreliable = false;

  /**
   * The same number with another type or content is not a repetition.
   *
   * @param data the data of the event, unless it is a delta
   */
  isRepeated({ sequence_number: number, type, delta }: JsonObject, data: string | undefined): boolean {
    if (this.#isUnreliable || !isCount(number)) return false;
    const content = typeof delta === 'string' ? delta : data;
    if (number > this.#highest) {
      this.#advance(number);
      this.#type = type;
      this.#content = content;
      return false;
    }
    if (this.#missing.delete(number)) return false;
    this.#isUnreliable = number === this.#highest && (type !== this.#type || content !== this.#content);
    return !this.#isUnreliable;
  }

  #advance(to: number): void {
    const next = this.#highest + 1;
    const missed = to - next;
    if (this.#missing.size + missed <= maxMissing) {
      for (let number = next; number < to; number++) this.#missing.add(number);
    }
    this.#highest = to;
  }
}

/** Records the output items of one response: from its final event, otherwise from the final event of each item. */
export class ResponsesRecorder implements VerbatimRecorder {
  readonly #doneItems = new Map<unknown, JsonObject>();
  #finalItems: readonly JsonObject[] = [];

  read(payload: JsonObject): void {
    const { type, item, output_index: index } = payload;
    if (type === 'response.output_item.done' && isObject(item)) {
      this.#doneItems.set(index ?? item.id ?? this.#doneItems.size, item);
      return;
    }
    const response = isObject(payload.response) ? payload.response : payload;
    const output = objectsIn(response.output);
    if (output.length > 0) this.#finalItems = output;
  }

  get reasoning(): VerbatimReasoning | undefined {
    const items = this.#listItems().filter((item) => item.type === 'reasoning' && isSentBack(item));
    if (items.length === 0) return undefined;
    return items.every((item) => item.encrypted_content) ? 'signed' : 'plain';
  }

  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const includedIds = new Set(ids);
    return this.#listItems().filter(
      (item) => (!isCall(item) || includedIds.has(nonEmptyString(item.call_id))) && isSentBack(item),
    );
  }

  #listItems(): readonly JsonObject[] {
    // The final response may contain fewer items than were streamed.
    const done = [...this.#doneItems].toSorted(compareIndexes).map(([, item]) => item);
    return this.#finalItems.length >= done.length ? this.#finalItems : done;
  }
}

function compareIndexes([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  return typeof one === 'number' && typeof other === 'number' ? one - other : 0;
}

/**
 * Whether an item is sent back. Reasoning without content, encrypted or not, is not sent back: the provider would
 * look for stored reasoning and not find it.
 */
function isSentBack({ type, encrypted_content: encryptedContent, content }: JsonObject): boolean {
  return type !== 'reasoning' || Boolean(encryptedContent) || (Array.isArray(content) && content.length > 0);
}
