import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { FinishReason, Usage } from '../../chatEvent.ts';
import { type FailureDetails, failureOfInnerError } from '../../errorMapping.ts';
import type { FormatDecoder, Reply } from '../../stream/reply.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { type ChangingValue, changingText, parseCalls, TemplateParser } from '../format/templateParser.ts';
import { MessagesBlocks } from './blocks.ts';

/**
 * Reads replies of the messages format, in events or whole. The data tells the type of an event, because
 * relays drop the `event:` line. Only `message_stop` ends a stream.
 */
export class MessagesDecoder implements FormatDecoder {
  readonly holds = 'message';
  readonly eventType = 'type';
  readonly hasEndMark = true;
  readonly #parser: TemplateParser;
  readonly #blocks = new MessagesBlocks();
  readonly #counts = new MessagesUsage();

  /** @param parse parses an event; undefined when it is no JSON */
  constructor(parse: (json: string) => unknown = parseCalls) {
    this.#parser = new TemplateParser(changingDelta, parse);
  }

  parse(data: string): unknown {
    return this.#parser.parse(data);
  }

  read(payload: JsonObject, reply: Reply): FailureDetails | undefined {
    if (payload.error || payload.type === 'error') return failureOfInnerError(payload);
    const { events } = reply;
    // A relay may drop the type of a whole message.
    switch (payload.type ?? (Array.isArray(payload.content) && 'message')) {
      case 'message':
        this.#readWhole(payload, reply);
        break;
      case 'message_start':
        if (isObject(payload.message)) this.#readStart(payload.message, reply);
        break;
      case 'content_block_start':
        this.#blocks.start(payload, events);
        break;
      case 'content_block_delta':
        this.#blocks.delta(payload, events);
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

  #readWhole(message: JsonObject, reply: Reply): void {
    this.#readStart(message, reply);
    const content = Array.isArray(message.content) ? message.content : [];
    for (const [index, content_block] of content.entries()) {
      this.#blocks.start({ index, content_block }, reply.events);
      this.#blocks.stop({ index }, reply.events);
    }
    this.#readEnd(message, undefined, reply);
    reply.end();
  }

  #readStart(message: JsonObject, reply: Reply): void {
    reply.start(message.id, message.model, true);
    this.#readUsage(message.usage, reply);
  }

  #readEnd(delta: JsonObject, usage: unknown, reply: Reply): void {
    this.#blocks.stopAll(reply.events);
    this.#readUsage(usage, reply);
    const raw = nonEmptyString(delta.stop_reason);
    if (reply.hasFinished(0) || raw === undefined) return;
    if (raw === 'refusal') readRefusal(delta.stop_details, reply);
    reply.finish(0, finishReasons.get(raw) ?? 'other', raw);
  }

  #readUsage(usage: unknown, reply: Reply): void {
    if (!isObject(usage)) return;
    // The fast mode has a price of its own, whatever the tier.
    reply.serviceTier(usage.speed === 'fast' ? usage.speed : usage.service_tier);
    reply.usage(this.#counts.add(usage) ? this.#counts.usage : {}, usage);
  }
}

/** The text of a delta. Most events differ only in it. */
export function changingDelta(payload: unknown): readonly ChangingValue[] {
  return isObject(payload) ? changingText(payload.delta, 'text', 'thinking') : [];
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  // The words of relays.
  ['content_filter', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['guardrail_intervened', 'content-filter'],
]);

function readRefusal(details: unknown, reply: Reply): void {
  if (!isObject(details)) return;
  const text = nonEmptyString(details.explanation) ?? nonEmptyString(details.category);
  if (text) reply.events.push({ type: 'refusal', choice: 0, text });
}

const counted = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'thinking_tokens',
  'ephemeral_1h_input_tokens',
  'web_search_requests',
] as const;

type Counted = (typeof counted)[number];

/**
 * The token counts of one message. They come cumulatively with its start and its end, and one of the two may
 * be 0. Cached input, which the format counts separately, is input as well.
 */
class MessagesUsage {
  readonly #counts = new Map<Counted, number>();

  /**
   * Adds one usage object.
   *
   * @returns false when it holds no count
   */
  add(usage: JsonObject): boolean {
    const places = [
      usage,
      ...[usage.output_tokens_details, usage.cache_creation, usage.server_tool_use].filter(isObject),
    ];
    let told = false;
    for (const name of counted) {
      const count = places.map((place) => place[name]).find(isCount);
      if (count === undefined) continue;
      this.#counts.set(name, Math.max(count, this.#counts.get(name) ?? 0));
      told = true;
    }
    return told;
  }

  get usage(): Usage {
    const inputTokens = this.#sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens');
    const outputTokens = this.#counts.get('output_tokens');
    const reasoningTokens = this.#counts.get('thinking_tokens');
    const cachedTokens = this.#counts.get('cache_read_input_tokens');
    const cacheWriteTokens = this.#counts.get('cache_creation_input_tokens');
    const cacheHourTokens = this.#counts.get('ephemeral_1h_input_tokens');
    const searches = this.#counts.get('web_search_requests');
    return {
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(inputTokens !== undefined &&
        outputTokens !== undefined && { totalTokens: inputTokens + outputTokens }),
      ...(reasoningTokens !== undefined && { reasoningTokens }),
      ...(cachedTokens !== undefined && { cachedTokens }),
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
      ...(cacheHourTokens && { cacheHourTokens }),
      ...(searches && { otherUnits: searches }),
    };
  }

  #sum(...names: readonly Counted[]): number | undefined {
    const counts = names.map((name) => this.#counts.get(name)).filter((count) => count !== undefined);
    return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count);
  }
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isFinite(count) && count >= 0;
}

type Block = Record<string, unknown>;

/** Records the content blocks of one message. */
export class MessagesSaid implements SaidRecorder {
  readonly #blocks: Block[] = [];
  readonly #open = new Map<unknown, Block>();
  /** The JSON text of the input of calls. */
  readonly #inputs = new Map<Block, string>();

  read({ type, index, content_block: block, delta, content }: JsonObject): void {
    if (Array.isArray(content) && type !== 'content_block_delta') {
      for (const each of content) if (isObject(each)) this.#blocks.push(structuredClone(each));
    } else if (type === 'content_block_start' && isObject(block)) {
      const copy = structuredClone(block);
      this.#blocks.push(copy);
      this.#open.set(index, copy);
    } else if (type === 'content_block_delta' && isObject(delta)) {
      const open = this.#open.get(index);
      if (open) this.#extend(open, delta);
    }
  }

  get reasoning(): SaidReasoning | undefined {
    const blocks = this.#blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
    if (blocks.length === 0) return undefined;
    return blocks.every(({ type, signature }) => type === 'redacted_thinking' || signature)
      ? 'signed'
      : 'plain';
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#blocks.filter(saysSomething).flatMap((block) => {
      if (block.type !== 'tool_use') return [block];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...block, id, input: this.#inputOf(block) }];
    });
  }

  #extend(block: Block, delta: JsonObject): void {
    switch (delta.type) {
      case 'text_delta':
        block.text = `${block.text ?? ''}${delta.text ?? ''}`;
        break;
      case 'thinking_delta':
        block.thinking = `${block.thinking ?? ''}${delta.thinking ?? ''}`;
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

  #inputOf(block: Block): unknown {
    const text = this.#inputs.get(block);
    return text === undefined || text === '' ? (block.input ?? {}) : parseExactJson(text);
  }
}

/** Providers refuse blank text. */
function saysSomething({ type, text }: Block): boolean {
  return type !== 'text' || (typeof text === 'string' && text.trim() !== '');
}
