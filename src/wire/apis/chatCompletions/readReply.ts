import {
  isObject,
  type JsonObject,
  nonEmptyString,
  objectsIn,
  parseExactJson,
  parseJson,
} from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import { reportsFailure } from '../../failures/errorBody.ts';
import { type FailureDetails, readInnerFailure } from '../../failures/replyFailure.ts';
import type { DecodedReply, FormatDecoder, RawUsage } from '../../stream/decodedReply.ts';
import { type ChangingValue, findChangingText } from '../../stream/repeatedEvents.ts';
import type { VerbatimReasoning, VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import { readDataUrl } from '../shared/messageParts.ts';
import { sumOtherUnits } from '../shared/usageCounts.ts';
import { listCallFragments, readThoughtSignature, ToolCalls } from './toolCalls.ts';

/**
 * Reads chat completions, in chunks or whole, with all known deviations of gateways: absent and null members,
 * unusual indices, reasoning under several names, errors between chunks.
 */
export class ChatCompletionsDecoder implements FormatDecoder {
  readonly requiredMember = 'choices';
  readonly findChanging = findChangingContent;
  readonly #toolCalls = new Map<number, ToolCalls>();

  parse(data: string): unknown {
    // Arguments that are not text may contain large integer ids.
    const hasValues = data.includes('"arguments"') && /"arguments"\s{0,9}:\s{0,9}[[{]/.test(data);
    return hasValues ? parseExactJson(data) : parseJson(data);
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const choices: readonly unknown[] = Array.isArray(payload.choices) ? payload.choices : [];
    // The first chunk may have no id, no model and no content.
    if (!reply.hasStarted) reply.start(payload.id, payload.model, choices.length > 0);
    for (const choice of choices) if (isObject(choice)) this.#readChoice(choice, reply);
    reply.reportServiceTier(payload.service_tier);
    if (isObject(payload.usage)) {
      // LiteLLM passes on Claude's service tier.
      reply.reportServiceTier(payload.usage.service_tier);
      reply.reportUsage(readChatCompletionsUsage(payload.usage), payload.usage);
    }
    return findFailure(payload);
  }

  #readChoice(choice: JsonObject, reply: DecodedReply): void {
    const index = reply.markChoice(choice.index ?? 0);
    if (index === undefined) return;
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) readDelta(delta, index, this.#findToolCalls(index), reply.events);
    const raw = choice.finish_reason;
    if (typeof raw !== 'string' || raw === '' || raw === 'null' || reply.hasFinished(index)) return;
    reply.finish(index, finishReasons.get(raw.toLowerCase()) ?? 'other', raw);
  }

  #findToolCalls(choice: number): ToolCalls {
    let calls = this.#toolCalls.get(choice);
    if (!calls) {
      calls = new ToolCalls();
      this.#toolCalls.set(choice, calls);
    }
    return calls;
  }
}

/**
 * Finds the content of a chunk with one choice. Most chunks differ only in their content, and in random text that hides
 * its length.
 */
export function findChangingContent(payload: unknown): readonly ChangingValue[] {
  const choices = isObject(payload) ? payload.choices : undefined;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (!isObject(choice)) return [];
  return [...findChangingText(choice.delta, 'content'), ...findChangingText(payload, 'obfuscation')];
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
 * `reasoning_details`. Some send the same text under two names, so only one name is read.
 */
function readReasoning(delta: JsonObject, choice: number, events: ChatEvent[]): void {
  const plain = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning);
  if (plain === undefined && delta.reasoning_details === undefined) return;
  const details = objectsIn(delta.reasoning_details);
  const text =
    plain ??
    details.map(({ text, summary }) => nonEmptyString(text) ?? nonEmptyString(summary) ?? '').join('');
  const signature = details.map((detail) => nonEmptyString(detail.signature)).find(Boolean);
  if (text || signature) events.push({ type: 'reasoning', choice, text, ...(signature && { signature }) });
}

/** Reads content in the form of parts: text, pictures, and thinking with nested parts. */
function readContent(parts: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const part of parts.filter(isObject)) {
    if (part.type === 'thinking') {
      const text = readThinking(part.thinking);
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
 * Reads the pictures that gateways send in addition to the content of a delta or a message, as data URLs or
 * addresses.
 */
function readImages(images: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const image of images.filter(isObject)) {
    const source = image.image_url ?? image.url;
    const url = nonEmptyString(isObject(source) ? source.url : source);
    const data = nonEmptyString(image.b64_json);
    const inline = data === undefined ? readDataUrl(url) : { mimeType: 'image/png', data };
    if (inline) events.push({ type: 'media', choice, mimeType: inline.mimeType, data: inline.data });
    else if (url) events.push({ type: 'mediaLink', choice, mimeType: 'image/png', url });
  }
}

function readThinking(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part) => (isObject(part) ? (nonEmptyString(part.text) ?? '') : '')).join('');
}

function readAnnotations(annotations: readonly unknown[], choice: number, events: ChatEvent[]): void {
  for (const annotation of annotations) {
    if (!isObject(annotation) || !isObject(annotation.url_citation)) continue;
    const url = nonEmptyString(annotation.url_citation.url);
    const title = nonEmptyString(annotation.url_citation.title);
    if (url || title) events.push({ type: 'citation', choice, ...(url && { url }), ...(title && { title }) });
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
  // Relays pass on the names of the providers behind them.
  ...[
    'content-filter',
    'content_filtered',
    'guardrail_intervened',
    'refusal',
    'sensitive',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'model_armor',
    'image_safety',
    'image_prohibited_content',
    'image_recitation',
  ].map((word): [string, FinishReason] => [word, 'content-filter']),
  ['error', 'error'],
]);

/** The token counts of a reply, from its member `usage`. */
export function readChatCompletionsUsage(usage: JsonObject): RawUsage {
  const input = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const searches = isObject(usage.server_tool_use) ? usage.server_tool_use : {};
  return {
    inputTokens: usage.prompt_tokens ?? usage.input_tokens,
    outputTokens: countOutputTokens(usage, output.reasoning_tokens),
    totalTokens: usage.total_tokens,
    reasoningTokens: output.reasoning_tokens,
    // The second name is DeepSeek's. Moonshot and relays of Claude write the count next to the other counts.
    cachedTokens:
      input.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      usage.cache_read_input_tokens,
    // The names of OpenRouter, LiteLLM and relays of Claude.
    cacheWriteTokens:
      input.cache_write_tokens ?? input.cache_creation_tokens ?? usage.cache_creation_input_tokens,
    cacheHourTokens: readHourTokens(usage) ?? readHourTokens(input),
    otherUnits: sumOtherUnits(
      input.audio_tokens,
      output.audio_tokens,
      output.image_tokens,
      // The names of OpenRouter and LiteLLM, of LiteLLM for OpenAI, and of xAI.
      searches.web_search_requests,
      input.web_search_requests,
      usage.num_sources_used,
    ),
  };
}

/** LiteLLM passes on Claude's count, in either member. */
function readHourTokens({ cache_creation, cache_creation_token_details }: JsonObject): unknown {
  const cacheCreation = cache_creation ?? cache_creation_token_details;
  return isObject(cacheCreation) ? cacheCreation.ephemeral_1h_input_tokens : undefined;
}

/** xAI includes the reasoning in the total, but not in the output count. */
function countOutputTokens(
  { prompt_tokens, completion_tokens, output_tokens, total_tokens }: JsonObject,
  reasoning: unknown,
) {
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number') {
    return completion_tokens ?? output_tokens;
  }
  const isReasoningExcluded =
    typeof reasoning === 'number' && total_tokens === prompt_tokens + completion_tokens + reasoning;
  return isReasoningExcluded ? completion_tokens + reasoning : completion_tokens;
}

/**
 * The failure that a payload reports. `"error": null` is not an error. A payload without choices is an error if it
 * has a code other than success.
 */
function findFailure(payload: JsonObject): FailureDetails | undefined {
  if (payload.error || payload.object === 'error') return readInnerFailure(payload);
  if (Array.isArray(payload.choices)) return undefined;
  return reportsFailure(payload) ? readInnerFailure(payload) : undefined;
}

type RecordedCall = Record<string, unknown> & { name: string; arguments: string; isCustom: boolean };

type RecordedPiece = Record<string, unknown>;

/** Records the message of the first choice. The original member names of the reasoning are preserved. */
export class ChatCompletionsRecorder implements VerbatimRecorder {
  readonly #texts = new Map<'content' | 'reasoning_content' | 'reasoning' | 'refusal', string>();
  readonly #toolCalls = new ToolCalls();
  readonly #calls: RecordedCall[] = [];
  readonly #contents: RecordedPiece[] = [];
  readonly #details: RecordedPiece[] = [];
  /** The signature of the text. Only one provider signs text. */
  #signature: string | undefined;

  read({ choices }: JsonObject): void {
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue;
      const delta = choice.delta ?? choice.message;
      if (isObject(delta)) this.#readDelta(delta);
    }
  }

  get reasoning(): VerbatimReasoning | undefined {
    const isSigned = this.#details.some(({ signature, data }) => signature || data);
    if (isSigned || this.#signature !== undefined) return 'signed';
    const isPlain = this.#texts.has('reasoning_content') || this.#texts.has('reasoning');
    return isPlain || this.#details.length > 0 || this.#contents.some(isThinking) ? 'plain' : undefined;
  }

  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const calls = this.#calls.flatMap(({ name, arguments: args, isCustom, ...call }, index) => {
      const id = ids[index];
      if (id === undefined) return [];
      const tool = isCustom
        ? { type: 'custom', custom: { name, input: args } }
        : { type: 'function', function: { name, arguments: args } };
      return [{ ...call, id, ...tool }];
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
    this.#signature = readThoughtSignature(delta.extra_content) ?? this.#signature;
    for (const part of objectsIn(delta.content)) if (part.type !== 'tool_use') addPiece(this.#contents, part);
    for (const detail of objectsIn(delta.reasoning_details)) addPiece(this.#details, detail);
    for (const fragment of listCallFragments(delta)) this.#readFragment(fragment);
  }

  #readFragment(fragment: JsonObject): void {
    const events: ChatEvent[] = [];
    this.#toolCalls.read({ tool_calls: [fragment] }, 0, events);
    const [event] = events;
    if (event?.type !== 'toolCall') return;
    const call = this.#calls[event.index] ?? { name: '', arguments: '', isCustom: false };
    const otherMembers = Object.entries(fragment).filter(([name]) => !separateMembers.has(name));
    this.#calls[event.index] = Object.assign(call, structuredClone(Object.fromEntries(otherMembers)), {
      name: event.name ?? call.name,
      arguments: call.arguments + (event.arguments ?? ''),
      isCustom: call.isCustom || isObject(fragment.custom) || fragment.type === 'custom',
    });
  }
}

/** Members of a fragment that are not copied, because they are read separately. */
const separateMembers: ReadonlySet<string> = new Set(
  'index id type function custom name arguments input parameters'.split(' '),
);

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking';
}

const appendedMembers: ReadonlySet<string> = new Set(['text', 'summary', 'thinking']);

/**
 * Adds a piece. If it has the type and the index of the last piece, its text is appended to that piece. Encrypted data
 * and pictures always arrive whole.
 */
function addPiece(list: RecordedPiece[], piece: JsonObject): void {
  const last = list.at(-1);
  const copy: RecordedPiece = structuredClone(piece);
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
      last[name] = appendedMembers.has(name) ? append(last[name], value) : value;
  }
}

function append(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  if (!Array.isArray(before)) return more;
  for (const piece of objectsIn(more)) addPiece(before, piece);
  return before;
}
