import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import { reportsFailure } from '../../errorBody.ts';
import { type FailureDetails, failureOfInnerError } from '../../errorMapping.ts';
import type { FormatDecoder, Reply } from '../../stream/reply.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { imageOf } from '../format/encoding.ts';
import { otherUnits } from '../format/otherUnits.ts';
import { type ChangingValue, changingText, TemplateParser } from '../format/templateParser.ts';
import { callFragments, ToolCalls, thoughtSignature } from './toolCalls.ts';

/**
 * Reads chat completions, in chunks or whole, with all known deviations of gateways: absent and null members,
 * unusual indices, reasoning under several names, errors between chunks.
 */
export class ChatCompletionsDecoder implements FormatDecoder {
  readonly holds = 'choices';
  readonly #parser = new TemplateParser(changingContent);
  readonly #toolCalls = new Map<number, ToolCalls>();

  parse(data: string): unknown {
    // Arguments that are no text may hold large integer ids.
    const hasValues = data.includes('"arguments"') && /"arguments"\s{0,9}:\s{0,9}[[{]/.test(data);
    return hasValues ? parseExactJson(data) : this.#parser.parse(data);
  }

  read(payload: JsonObject, reply: Reply): FailureDetails | undefined {
    const choices: readonly unknown[] = Array.isArray(payload.choices) ? payload.choices : [];
    // The first chunk may neither name the reply nor hold content.
    if (!reply.started) reply.start(payload.id, payload.model, choices.length > 0);
    for (const choice of choices) if (isObject(choice)) this.#readChoice(choice, reply);
    reply.serviceTier(payload.service_tier);
    if (isObject(payload.usage)) readUsage(payload.usage, reply);
    return errorIn(payload);
  }

  #readChoice(choice: JsonObject, reply: Reply): void {
    const index = reply.choice(choice.index ?? 0);
    if (index === undefined) return;
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) readDelta(delta, index, this.#callsOf(index), reply.events);
    const raw = choice.finish_reason;
    if (typeof raw !== 'string' || raw === '' || raw === 'null' || reply.hasFinished(index)) return;
    reply.finish(index, finishReason(raw), raw);
  }

  #callsOf(choice: number): ToolCalls {
    let calls = this.#toolCalls.get(choice);
    if (!calls) {
      calls = new ToolCalls();
      this.#toolCalls.set(choice, calls);
    }
    return calls;
  }
}

/** The content of a chunk with one choice. Most chunks differ only in it. */
export function changingContent(payload: unknown): readonly ChangingValue[] {
  const choices = isObject(payload) ? payload.choices : undefined;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  return isObject(choice) ? changingText(choice.delta, 'content') : [];
}

function readDelta(delta: JsonObject, choice: number, toolCalls: ToolCalls, events: ChatEvent[]): void {
  readReasoning(delta, choice, events);
  const { content, refusal, annotations, images } = delta;
  if (typeof content === 'string') {
    if (content !== '') events.push({ type: 'text', choice, text: content });
  } else if (Array.isArray(content)) {
    readContent(content, choice, events);
  }
  if (Array.isArray(images)) readImages(images, choice, events);
  if (typeof refusal === 'string' && refusal !== '') events.push({ type: 'refusal', choice, text: refusal });
  if (Array.isArray(annotations)) readAnnotations(annotations, choice, events);
  toolCalls.read(delta, choice, events);
}

/**
 * Reads the reasoning of a delta or a message. Gateways call it `reasoning_content`, `reasoning` or
 * `reasoning_details`, and some send the same text under two names: it counts once.
 */
function readReasoning(delta: JsonObject, choice: number, events: ChatEvent[]): void {
  const plain = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning);
  if (plain === undefined && delta.reasoning_details === undefined) return;
  const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isObject) : [];
  const text =
    plain ??
    details.map(({ text, summary }) => nonEmptyString(text) ?? nonEmptyString(summary) ?? '').join('');
  const signature = details.map((detail) => nonEmptyString(detail.signature)).find(Boolean);
  if (text || signature) events.push({ type: 'reasoning', choice, text, ...(signature && { signature }) });
}

/** Reads content that is a list of parts: text, pictures, and thinking with parts of its own. */
function readContent(parts: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const part of parts.filter(isObject)) {
    if (part.type === 'thinking') {
      const text = textOf(part.thinking);
      if (text) events.push({ type: 'reasoning', choice, text });
    } else if (part.type === 'image_url') {
      readImages([part], choice, events);
    } else {
      const text = nonEmptyString(part.text);
      if (text) events.push({ type: 'text', choice, text });
    }
  }
}

/**
 * Reads the pictures that gateways send beside the content of a delta or a message, as data URLs or
 * addresses.
 */
function readImages(images: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const image of images.filter(isObject)) {
    const place = image.image_url ?? image.url;
    const url = nonEmptyString(isObject(place) ? place.url : place);
    const data = nonEmptyString(image.b64_json);
    const inline = data === undefined ? imageOf(url) : { mimeType: 'image/png', data };
    if (inline) events.push({ type: 'media', choice, mimeType: inline.mimeType, data: inline.data });
    else if (url) events.push({ type: 'mediaLink', choice, mimeType: 'image/png', url });
  }
}

function textOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part) => (isObject(part) ? (nonEmptyString(part.text) ?? '') : '')).join('');
}

function readAnnotations(annotations: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const annotation of annotations) {
    if (!isObject(annotation) || !isObject(annotation.url_citation)) continue;
    const url = nonEmptyString(annotation.url_citation.url);
    const title = nonEmptyString(annotation.url_citation.title);
    events.push({ type: 'citation', choice, ...(url && { url }), ...(title && { title }) });
  }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
  // Relays pass on the words of the providers behind them.
  ...[
    ...['content-filter', 'content_filtered', 'guardrail_intervened', 'refusal', 'sensitive', 'safety'],
    ...['recitation', 'blocklist', 'prohibited_content', 'spii', 'model_armor'],
    ...['image_safety', 'image_prohibited_content', 'image_recitation'],
  ].map((word): [string, FinishReason] => [word, 'content-filter']),
  ['error', 'error'],
]);

function finishReason(raw: string): FinishReason {
  return finishReasons.get(raw.toLowerCase()) ?? 'other';
}

function readUsage(usage: JsonObject, reply: Reply): void {
  // Where LiteLLM passes it on from Claude.
  reply.serviceTier(usage.service_tier);
  const input = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const searches = isObject(usage.server_tool_use) ? usage.server_tool_use : {};
  reply.usage(
    {
      inputTokens: usage.prompt_tokens ?? usage.input_tokens,
      outputTokens: outputTokens(usage, output.reasoning_tokens),
      totalTokens: usage.total_tokens,
      reasoningTokens: output.reasoning_tokens,
      // DeepSeek has its own name, Moonshot's stands beside the other counts, and so does that of Claude's relays.
      cachedTokens:
        input.cached_tokens ??
        usage.prompt_cache_hit_tokens ??
        usage.cached_tokens ??
        usage.cache_read_input_tokens,
      // OpenRouter's name; LiteLLM's, and that of Claude's relays.
      cacheWriteTokens:
        input.cache_write_tokens ?? input.cache_creation_tokens ?? usage.cache_creation_input_tokens,
      cacheHourTokens: hourTokens(usage) ?? hourTokens(input),
      otherUnits: otherUnits(
        ...[input.audio_tokens, output.audio_tokens, output.image_tokens],
        // OpenRouter's and LiteLLM's, LiteLLM's for OpenAI, xAI's.
        ...[searches.web_search_requests, input.web_search_requests, usage.num_sources_used],
      ),
    },
    usage,
  );
}

/** LiteLLM passes Claude's own count on, in either place. */
function hourTokens({ cache_creation, cache_creation_token_details }: JsonObject): unknown {
  const told = cache_creation ?? cache_creation_token_details;
  return isObject(told) ? told.ephemeral_1h_input_tokens : undefined;
}

/** xAI counts the reasoning beside the rest of the output, which shows in the total alone. */
function outputTokens(
  { prompt_tokens, completion_tokens, output_tokens, total_tokens }: JsonObject,
  reasoning: unknown,
) {
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number') {
    return completion_tokens ?? output_tokens;
  }
  const isBeside =
    typeof reasoning === 'number' && total_tokens === prompt_tokens + completion_tokens + reasoning;
  return isBeside ? completion_tokens + reasoning : completion_tokens;
}

/**
 * The error of a payload. `"error": null` is none. A payload without choices is an error when it has a code
 * other than success.
 */
function errorIn(payload: JsonObject): FailureDetails | undefined {
  if (payload.error || payload.object === 'error') return failureOfInnerError(payload);
  if (Array.isArray(payload.choices)) return undefined;
  return reportsFailure(payload) ? failureOfInnerError(payload) : undefined;
}

type Call = Record<string, unknown> & { name: string; arguments: string; isCustom: boolean };

type Piece = Record<string, unknown>;

/** Records the message of the first choice, with reasoning under the names by which it came. */
export class ChatCompletionsSaid implements SaidRecorder {
  readonly #texts = new Map<'content' | 'reasoning_content' | 'reasoning' | 'refusal', string>();
  readonly #toolCalls = new ToolCalls();
  readonly #calls: Call[] = [];
  readonly #contents: Piece[] = [];
  readonly #details: Piece[] = [];
  /** The signature of the words, of the one provider that signs them. */
  #signature: string | undefined;

  read({ choices }: JsonObject): void {
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue;
      const delta = choice.delta ?? choice.message;
      if (isObject(delta)) this.#readDelta(delta);
    }
  }

  get reasoning(): SaidReasoning | undefined {
    const isSigned = this.#details.some(({ signature, data }) => signature || data);
    if (isSigned || this.#signature !== undefined) return 'signed';
    const isPlain = this.#texts.has('reasoning_content') || this.#texts.has('reasoning');
    return isPlain || this.#details.length > 0 || this.#contents.some(isThinking) ? 'plain' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const calls = this.#calls.flatMap(({ name, arguments: args, isCustom, ...call }, nth) => {
      const id = ids[nth];
      if (id === undefined) return [];
      const called = isCustom
        ? { type: 'custom', custom: { name, input: args } }
        : { type: 'function', function: { name, arguments: args } };
      return [{ ...call, id, ...called }];
    });
    const { content = null, ...reasoning } = Object.fromEntries(this.#texts);
    return [
      {
        role: 'assistant',
        content: this.#contents.length > 0 ? this.#contents : content,
        ...reasoning,
        ...(this.#details.length > 0 && { reasoning_details: this.#details }),
        ...(this.#signature && { extra_content: { google: { thought_signature: this.#signature } } }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ];
  }

  #readDelta(delta: JsonObject): void {
    for (const name of ['content', 'reasoning_content', 'reasoning', 'refusal'] as const) {
      const text = nonEmptyString(delta[name]);
      if (text !== undefined) this.#texts.set(name, (this.#texts.get(name) ?? '') + text);
    }
    this.#signature = thoughtSignature(delta.extra_content) ?? this.#signature;
    for (const part of objects(delta.content)) if (part.type !== 'tool_use') join(this.#contents, part);
    for (const detail of objects(delta.reasoning_details)) join(this.#details, detail);
    for (const fragment of callFragments(delta)) this.#readFragment(fragment);
  }

  #readFragment(fragment: JsonObject): void {
    const events: ChatEvent[] = [];
    this.#toolCalls.read({ tool_calls: [fragment] }, 0, events);
    const [event] = events;
    if (event?.type !== 'toolCall') return;
    const call = this.#calls[event.index] ?? { name: '', arguments: '', isCustom: false };
    const beside = Object.entries(fragment).filter(([name]) => !readMembers.has(name));
    this.#calls[event.index] = Object.assign(call, structuredClone(Object.fromEntries(beside)), {
      name: event.name ?? call.name,
      arguments: call.arguments + (event.arguments ?? ''),
      isCustom: call.isCustom || isObject(fragment.custom) || fragment.type === 'custom',
    });
  }
}

/** Members of a fragment that are written anew. */
const readMembers: ReadonlySet<string> = new Set(
  'index id type function custom name arguments input parameters'.split(' '),
);

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking';
}

const growing: ReadonlySet<string> = new Set(['text', 'summary', 'thinking']);

/** Adds a piece. One of the same kind and position continues the one before; encrypted data comes whole. */
function join(list: Piece[], piece: JsonObject): void {
  const last = list.at(-1);
  const copy: Piece = structuredClone(piece);
  if (
    !last ||
    last.type !== copy.type ||
    last.index !== copy.index ||
    'data' in copy ||
    'image_url' in copy
  ) {
    list.push(copy);
    return;
  }
  for (const [name, value] of Object.entries(copy)) {
    if (value !== null && value !== undefined)
      last[name] = growing.has(name) ? grow(last[name], value) : value;
  }
}

function grow(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  if (!Array.isArray(before)) return more;
  for (const piece of objects(more)) join(before, piece);
  return before;
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
