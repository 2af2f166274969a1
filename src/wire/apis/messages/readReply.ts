import { isObject, type JsonObject, nonEmptyString, parseExactJson, scalarText } from '../../../base/json.ts';
import type { FinishReason, Usage } from '../../chatEvent.ts';
import { type FailureDetails, readInnerFailure } from '../../failures/replyFailure.ts';
import type { DecodedReply, FormatDecoder, RawUsage } from '../../stream/decodedReply.ts';
import { type ChangingValue, findChangingText } from '../../stream/repeatedEvents.ts';
import type { VerbatimReasoning, VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import { parseCalls } from '../shared/messageParts.ts';
import { readUsageCount } from '../shared/usageCounts.ts';
import { MessagesBlocks } from './contentBlocks.ts';

/**
 * Reads replies of the messages format, in events or whole. The type of an event is read from its data, because
 * relays drop the `event:` line. Only `message_stop` ends a stream.
 */
export class MessagesDecoder implements FormatDecoder {
  readonly requiredMember = 'message';
  readonly eventType = 'type';
  readonly hasEndMark = true;
  readonly findChanging = findChangingDelta;
  readonly parse: (data: string) => unknown;
  readonly #blocks = new MessagesBlocks();
  readonly #counts = new MessagesUsage();

  /** @param parse parses an event; returns undefined if it is not JSON */
  constructor(parse: (json: string) => unknown = parseCalls) {
    this.parse = parse;
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    if (payload.error || payload.type === 'error') return readInnerFailure(payload);
    const { events } = reply;
    // Relays may drop the type of a whole message.
    switch (payload.type ?? (Array.isArray(payload.content) && 'message')) {
      case 'message':
        this.#readComplete(payload, reply);
        break;
      case 'message_start':
        if (isObject(payload.message)) this.#readStart(payload.message, reply);
        break;
      case 'content_block_start':
        this.#blocks.start(payload, events);
        break;
      case 'content_block_delta':
        this.#blocks.readDelta(payload, events);
        break;
      case 'content_block_stop':
        this.#blocks.stop(payload, events);
        break;
      case 'message_delta':
        this.#readEnd(isObject(payload.delta) ? payload.delta : {}, payload.usage, reply);
        break;
      case 'message_stop':
        this.#blocks.stopAll(events);
        reply.end();
    }
    return undefined;
  }

  #readComplete(message: JsonObject, reply: DecodedReply): void {
    this.#readStart(message, reply);
    const content = Array.isArray(message.content) ? message.content : [];
    for (const [index, content_block] of content.entries()) {
      this.#blocks.start({ index, content_block }, reply.events);
      this.#blocks.stop({ index }, reply.events);
    }
    this.#readEnd(message, undefined, reply);
    reply.end();
  }

  #readStart(message: JsonObject, reply: DecodedReply): void {
    reply.start(message.id, message.model, true);
    this.#readUsage(message.usage, reply);
  }

  #readEnd(delta: JsonObject, usage: unknown, reply: DecodedReply): void {
    this.#blocks.stopAll(reply.events);
    this.#readUsage(usage, reply);
    const raw = nonEmptyString(delta.stop_reason);
    if (reply.hasFinished(0) || raw === undefined) return;
    if (raw === 'refusal') readRefusal(delta.stop_details, reply);
    reply.finish(0, finishReasons.get(raw) ?? 'other', raw);
  }

  #readUsage(usage: unknown, reply: DecodedReply): void {
    if (!isObject(usage)) return;
    // The fast mode has its own price in every tier.
    reply.reportServiceTier(usage.speed === 'fast' ? usage.speed : usage.service_tier);
    reply.reportUsage(this.#counts.add(usage) ? this.#counts.usage : {}, usage);
  }
}

/** Finds the text of a delta. Most events differ only in this text. */
export function findChangingDelta(payload: unknown): readonly ChangingValue[] {
  return isObject(payload) ? findChangingText(payload.delta, 'text', 'thinking') : [];
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  // Relays send these words.
  ['content_filter', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['guardrail_intervened', 'content-filter'],
]);

function readRefusal(details: unknown, reply: DecodedReply): void {
  if (!isObject(details)) return;
  const text = nonEmptyString(details.explanation) ?? nonEmptyString(details.category);
  if (text) reply.events.push({ type: 'refusal', choice: 0, text });
}

const countNames = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'thinking_tokens',
  'ephemeral_1h_input_tokens',
  'web_search_requests',
] as const;

type CountName = (typeof countNames)[number];

/**
 * The token counts of one message. The start and the end of the message contain cumulative counts, and one of the two
 * may be 0. The format counts cached input separately from other input.
 */
class MessagesUsage {
  readonly #counts = new Map<CountName, number>();

  /**
   * Adds one usage object.
   *
   * @returns false if it has no count
   */
  add(usage: JsonObject): boolean {
    const sources = [
      usage,
      ...[usage.output_tokens_details, usage.cache_creation, usage.server_tool_use].filter(isObject),
    ];
    let hasCount = false;
    for (const name of countNames) {
      const count = sources.map((source) => readUsageCount(source[name])).find((each) => each !== undefined);
      if (count === undefined) continue;
      this.#counts.set(name, Math.max(count, this.#counts.get(name) ?? 0));
      hasCount = true;
    }
    return hasCount;
  }

  get usage(): { readonly [Name in keyof Usage]: number | undefined } {
    const inputTokens = this.#sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens');
    const outputTokens = this.#counts.get('output_tokens');
    const hasBoth = inputTokens !== undefined && outputTokens !== undefined;
    return {
      inputTokens,
      outputTokens,
      totalTokens: hasBoth ? inputTokens + outputTokens : undefined,
      reasoningTokens: this.#counts.get('thinking_tokens'),
      cachedTokens: this.#counts.get('cache_read_input_tokens'),
      cacheWriteTokens: this.#counts.get('cache_creation_input_tokens'),
      cacheHourTokens: this.#counts.get('ephemeral_1h_input_tokens') || undefined,
      otherUnits: this.#counts.get('web_search_requests') || undefined,
    };
  }

  #sum(...names: readonly CountName[]): number | undefined {
    const counts = names.map((name) => this.#counts.get(name)).filter((count) => count !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count);
  }
}

/** The token counts of one member `usage`. */
export function readMessagesUsage(usage: JsonObject): RawUsage {
  const counts = new MessagesUsage();
  counts.add(usage);
  return counts.usage;
}

type RecordedBlock = Record<string, unknown>;

/** Records the content blocks of one message. */
export class MessagesRecorder implements VerbatimRecorder {
  readonly #blocks: RecordedBlock[] = [];
  readonly #open = new Map<unknown, RecordedBlock>();
  /** The JSON text of the input, by the blocks of calls. */
  readonly #inputs = new Map<RecordedBlock, string>();

  read({ type, index, content_block: block, delta, content }: JsonObject): void {
    if (Array.isArray(content) && type !== 'content_block_delta') {
      for (const each of content) if (isObject(each)) this.#blocks.push(structuredClone(each));
    } else if (type === 'content_block_start' && isObject(block)) {
      const copy = structuredClone(block);
      this.#blocks.push(copy);
      this.#open.set(index, copy);
    } else if (type === 'content_block_delta' && isObject(delta)) {
      const openBlock = this.#open.get(index);
      if (openBlock) this.#extend(openBlock, delta);
    }
  }

  get reasoning(): VerbatimReasoning | undefined {
    const blocks = this.#blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
    if (blocks.length === 0) return undefined;
    return blocks.every(({ type, signature }) => type === 'redacted_thinking' || signature)
      ? 'signed'
      : 'plain';
  }

  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#blocks.filter(hasContent).flatMap((block) => {
      if (block.type !== 'tool_use') return [block];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...block, id, input: this.#readInput(block) }];
    });
  }

  #extend(block: RecordedBlock, delta: JsonObject): void {
    switch (delta.type) {
      case 'text_delta':
        block.text = scalarText(block.text) + scalarText(delta.text);
        break;
      case 'thinking_delta':
        block.thinking = scalarText(block.thinking) + scalarText(delta.thinking);
        break;
      case 'signature_delta':
        block.signature = delta.signature;
        break;
      case 'input_json_delta':
        this.#inputs.set(block, (this.#inputs.get(block) ?? '') + (nonEmptyString(delta.partial_json) ?? ''));
        break;
      case 'citations_delta':
        if (Array.isArray(block.citations)) block.citations.push(delta.citation);
        else block.citations = [delta.citation];
    }
  }

  #readInput(block: RecordedBlock): unknown {
    const text = this.#inputs.get(block);
    return text === undefined || text === '' ? (block.input ?? {}) : parseExactJson(text);
  }
}

/** Providers refuse blank text. */
function hasContent({ type, text }: RecordedBlock): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}
