import { isObject, type JsonObject, nonEmptyString, objectsIn, parseExactJson } from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import { type FailureDetails, readInnerFailure } from '../../failures/replyFailure.ts';
import type { DecodedReply, FormatDecoder, RawUsage } from '../../stream/decodedReply.ts';
import { type ChangingValue, findChangingText } from '../../stream/repeatedEvents.ts';
import type { VerbatimReasoning, VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import { parseCalls } from '../shared/messageParts.ts';
import { audioModality, readUsageCount, sumNonTextTokens, sumOtherUnits } from '../shared/usageCounts.ts';
import { FunctionCalls } from './functionCalls.ts';

/** The most counts of a template, because each is searched for in the whole event. Providers send fewer. */
const maxCounts = 16;

interface Candidate {
  readonly calls: FunctionCalls;
  readonly citations: Citations;
  /** The last finish reason. Some providers repeat it in every event. */
  finishWord?: string;
}

/** Reads content-generation replies, in events or whole, with either spelling of members. */
export class ContentGenerationDecoder implements FormatDecoder {
  readonly requiredMember = 'candidates';
  readonly findChanging = findChangingPart;
  readonly parse: (data: string) => unknown;
  readonly #candidates = new Map<number, Candidate>();
  /** The provider's web searches. */
  readonly #searches = new Set<unknown>();

  /** @param parse parses an event; returns undefined if it is not JSON */
  constructor(parse: (json: string) => unknown = parseCalls) {
    this.parse = parse;
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const { candidates } = payload;
    if (!reply.hasStarted) readStart(payload, reply);
    if (Array.isArray(candidates)) {
      for (const candidate of candidates) if (isObject(candidate)) this.#readCandidate(candidate, reply);
    }
    const usage = payload.usageMetadata ?? payload.usage_metadata;
    if (isObject(usage)) {
      const { serviceTier, service_tier, trafficType, traffic_type } = usage;
      reply.reportServiceTier(serviceTier ?? service_tier ?? trafficType ?? traffic_type);
      reply.reportUsage(readContentGenerationUsage(usage, this.#searches.size), usage);
    }
    return findFailure(payload);
  }

  #readCandidate(candidate: JsonObject, reply: DecodedReply): void {
    const index = reply.markChoice(candidate.index ?? 0);
    if (index === undefined) return;
    const state = this.#findCandidate(index);
    const { content } = candidate;
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    for (const part of parts) if (isObject(part)) readPart(part, index, state.calls, reply.events);
    state.citations.read(candidate, index, reply.events);
    for (const search of listSearches(candidate)) this.#searches.add(search);
    readFinish(candidate, index, state, reply);
  }

  #findCandidate(index: number): Candidate {
    let candidate = this.#candidates.get(index);
    if (!candidate) {
      candidate = { calls: new FunctionCalls(), citations: new Citations() };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }
}

/** Finds the text of an event with one part, and its token counts. Most events differ only in these values. */
export function findChangingPart(payload: unknown): readonly ChangingValue[] {
  if (!isObject(payload)) return [];
  const content = readSingleObject(payload.candidates)?.content;
  const text = findChangingText(isObject(content) ? readSingleObject(content.parts) : undefined, 'text');
  const usage = payload.usageMetadata;
  if (text.length === 0 || !isObject(usage)) return text;
  const counts = Object.keys(usage).filter((name) => Number.isSafeInteger(usage[name]));
  return counts.length > maxCounts ? text : [...text, ...counts.map((member) => ({ holder: usage, member }))];
}

function readSingleObject(list: unknown): JsonObject | undefined {
  const [only, ...others]: readonly unknown[] = Array.isArray(list) ? list : [];
  return isObject(only) && others.length === 0 ? only : undefined;
}

function readStart(payload: JsonObject, reply: DecodedReply): void {
  const id = payload.responseId ?? payload.response_id;
  reply.start(id, payload.modelVersion ?? payload.model_version, Array.isArray(payload.candidates));
}

function listSearches(candidate: JsonObject): readonly unknown[] {
  const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
  const queries = isObject(grounding) && (grounding.webSearchQueries ?? grounding.web_search_queries);
  return Array.isArray(queries) ? queries : [];
}

function readFinish(candidate: JsonObject, choice: number, state: Candidate, reply: DecodedReply): void {
  const raw = nonEmptyString(candidate.finishReason ?? candidate.finish_reason);
  if (!raw || raw === state.finishWord || raw === 'FINISH_REASON_UNSPECIFIED') return;
  state.calls.end(choice, reply.events);
  state.finishWord = raw;
  const reason = convertFinishReason(raw, state.calls.count > 0);
  const message = nonEmptyString(candidate.finishMessage ?? candidate.finish_message);
  if (message && reason === 'content-filter') reply.events.push({ type: 'refusal', choice, text: message });
  reply.finish(choice, reason, raw);
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['LENGTH', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
]);

/** The format has no finish reason for tool calls and uses STOP. */
function convertFinishReason(raw: string, hasCalls: boolean): FinishReason {
  const reason = finishReasons.get(raw.toUpperCase()) ?? 'other';
  return reason === 'stop' && hasCalls ? 'tool-calls' : reason;
}

/**
 * The token counts of a reply, from its member `usageMetadata`.
 *
 * @param searches the number of searches by the provider's own tools
 */
export function readContentGenerationUsage(usage: JsonObject, searches = 0): RawUsage {
  const input = addCounts(
    usage.promptTokenCount ?? usage.prompt_token_count,
    // Results of the provider's own tools are also input.
    usage.toolUsePromptTokenCount ?? usage.tool_use_prompt_token_count,
  );
  const candidateTokens = readUsageCount(usage.candidatesTokenCount ?? usage.candidates_token_count);
  const reasoning = readUsageCount(usage.thoughtsTokenCount ?? usage.thoughts_token_count);
  return {
    inputTokens: input,
    // `candidatesTokenCount` does not include the reasoning, which all other formats count as output.
    outputTokens: candidateTokens === undefined ? reasoning : candidateTokens + (reasoning ?? 0),
    totalTokens: usage.totalTokenCount ?? usage.total_token_count,
    reasoningTokens: reasoning,
    cachedTokens: usage.cachedContentTokenCount ?? usage.cached_content_token_count,
    otherUnits: sumOtherUnits(
      searches,
      sumNonTextTokens(usage.promptTokensDetails ?? usage.prompt_tokens_details, audioModality),
      sumNonTextTokens(usage.candidatesTokensDetails ?? usage.candidates_tokens_details),
    ),
  };
}

function addCounts(first: unknown, second: unknown): unknown {
  const more = readUsageCount(second);
  return typeof first === 'number' && more !== undefined ? first + more : first;
}

function findFailure(payload: JsonObject): FailureDetails | undefined {
  if (payload.error) return readInnerFailure(payload);
  return Array.isArray(payload.candidates) ? undefined : readBlockedPrompt(payload);
}

/** The reply to a prompt that the provider's filter blocked has a success status and no candidates. */
function readBlockedPrompt(payload: JsonObject): FailureDetails | undefined {
  const feedback = payload.promptFeedback ?? payload.prompt_feedback;
  const block = isObject(feedback)
    ? nonEmptyString(feedback.blockReason ?? feedback.block_reason)
    : undefined;
  if (!isObject(feedback) || !block || block === 'BLOCKED_REASON_UNSPECIFIED') return undefined;
  const message = nonEmptyString(feedback.blockReasonMessage ?? feedback.block_reason_message);
  return readInnerFailure({ error: { code: 'content_filter', message: message ?? block } });
}

/** Reads one part of a candidate. Proxies use either spelling of its members. */
function readPart(part: JsonObject, choice: number, calls: FunctionCalls, events: ChatEvent[]): void {
  const signature = nonEmptyString(part.thoughtSignature ?? part.thought_signature);
  const call = part.functionCall ?? part.function_call;
  if (isObject(call)) {
    calls.read(call, signature, choice, events);
    return;
  }
  const text = nonEmptyString(part.text);
  if (part.thought === true) {
    if (text || signature) events.push(createReasoning(choice, text ?? '', signature));
    return;
  }
  if (text) events.push({ type: 'text', choice, text });
  else readData(part, choice, events);
  // Any part may have a signature of the reasoning, also an empty part at the end of a stream.
  if (signature) events.push(createReasoning(choice, '', signature));
}

function createReasoning(choice: number, text: string, signature: string | undefined): ChatEvent {
  return { type: 'reasoning', choice, text, ...(signature && { signature }) };
}

function readData(part: JsonObject, choice: number, events: ChatEvent[]): void {
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) readInlineData(inline, choice, events);
  const file = part.fileData ?? part.file_data;
  if (isObject(file)) readFile(file, choice, events);
  const code = part.executableCode ?? part.executable_code;
  if (isObject(code))
    readFenced((nonEmptyString(code.language) ?? '').toLowerCase(), code.code, choice, events);
  const result = part.codeExecutionResult ?? part.code_execution_result;
  if (isObject(result)) readFenced('', result.output, choice, events);
}

function readInlineData(inline: JsonObject, choice: number, events: ChatEvent[]): void {
  const data = nonEmptyString(inline.data);
  if (!data) return;
  const mimeType = nonEmptyString(inline.mimeType ?? inline.mime_type) ?? 'application/octet-stream';
  events.push({ type: 'media', choice, mimeType, data });
}

function readFile(file: JsonObject, choice: number, events: ChatEvent[]): void {
  const url = nonEmptyString(file.fileUri ?? file.file_uri);
  if (!url) return;
  const mimeType = nonEmptyString(file.mimeType ?? file.mime_type) ?? 'application/octet-stream';
  events.push({ type: 'mediaLink', choice, mimeType, url });
}

/** Reports code that the provider ran, or its output, as text of the reply. */
function readFenced(language: string, code: unknown, choice: number, events: ChatEvent[]): void {
  const body = nonEmptyString(code);
  if (!body) return;
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const text = `\n${fence}${/^[\w+-]{0,30}$/.test(language) ? language : ''}\n${body.trimEnd()}\n${fence}\n`;
  events.push({ type: 'text', choice, text });
}

/** The sources of a reply, each reported once. */
class Citations {
  readonly #reported = new Set<string>();

  read(candidate: JsonObject, choice: number, events: ChatEvent[]): void {
    const sources = candidate.citationMetadata ?? candidate.citation_metadata;
    if (isObject(sources)) {
      for (const source of objectsIn(sources.citations ?? sources.citationSources)) {
        this.#report(source, choice, events);
      }
    }
    const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
    if (!isObject(grounding)) return;
    for (const chunk of objectsIn(grounding.groundingChunks ?? grounding.grounding_chunks)) {
      const source = chunk.web ?? chunk.retrievedContext ?? chunk.retrieved_context ?? chunk.maps;
      if (isObject(source)) this.#report(source, choice, events);
    }
  }

  #report(source: JsonObject, choice: number, events: ChatEvent[]): void {
    const url = nonEmptyString(source.uri);
    const title = nonEmptyString(source.title);
    const key = url ?? title;
    if (!key || this.#reported.has(key)) return;
    this.#reported.add(key);
    events.push({ type: 'citation', choice, ...(url && { url }), ...(title && { title }) });
  }
}

type RecordedPart = Record<string, unknown>;

/** Records the parts of the first candidate. Text is appended to the previous text unless one of them is signed. */
export class ContentGenerationRecorder implements VerbatimRecorder {
  readonly #parts: RecordedPart[] = [];
  readonly #calls = new FunctionCalls();
  readonly #callParts: RecordedPart[] = [];

  read({ candidates }: JsonObject): void {
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (!isObject(candidate) || (candidate.index ?? 0) !== 0) continue;
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      for (const part of Array.isArray(parts) ? parts : []) if (isObject(part)) this.#add(part);
    }
  }

  /** Providers do not require a summary of thoughts without a signature. */
  get reasoning(): VerbatimReasoning | undefined {
    return this.#parts.some((part) => part.thoughtSignature ?? part.thought_signature) ? 'signed' : undefined;
  }

  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const omitted = new Set(this.#callParts.filter((_, index) => ids[index] === undefined));
    return this.#parts.filter((part) => !omitted.has(part));
  }

  #add(part: JsonObject): void {
    if (isObject(part.functionCall ?? part.function_call)) {
      this.#addCall(part);
      return;
    }
    const last = this.#parts.at(-1);
    if (last && isUnsignedText(last) && isUnsignedText(part) && last.thought === part.thought) {
      last.text = `${last.text}${part.text}`;
    } else if (!isEmpty(part)) this.#parts.push(structuredClone(part) as RecordedPart);
  }

  /** A call may arrive in pieces, which are merged. */
  #addCall({ functionCall, function_call, ...otherMembers }: JsonObject): void {
    const call = functionCall ?? function_call;
    if (!isObject(call)) return;
    const events: ChatEvent[] = [];
    const signature = nonEmptyString(otherMembers.thoughtSignature ?? otherMembers.thought_signature);
    this.#calls.read(call, signature, 0, events);
    for (const event of events) {
      if (event.type !== 'toolCall') continue;
      const callPart = this.#callParts[event.index];
      if (!callPart) this.#addCallPart(call, otherMembers, event.arguments);
      else if (event.arguments !== undefined) setArguments(callPart, event.arguments);
    }
  }

  #addCallPart(call: JsonObject, otherMembers: JsonObject, args: string | undefined): void {
    const copied = Object.entries(call).filter(([name]) => !pieceMembers.has(name));
    const functionCall = { ...structuredClone(Object.fromEntries(copied)), args: {} };
    const part = { ...structuredClone(otherMembers), functionCall };
    this.#callParts.push(part);
    this.#parts.push(part);
    if (args !== undefined) setArguments(part, args);
  }
}

/** Members with the arguments of a call. The arguments are recorded when they are complete. */
const pieceMembers: ReadonlySet<string> = new Set(
  'args partialArgs partial_args willContinue will_continue'.split(' '),
);

function setArguments(part: RecordedPart, args: string): void {
  const call = isObject(part.functionCall) ? part.functionCall : {};
  part.functionCall = { ...call, args: parseExactJson(args) };
}

function isUnsignedText(part: JsonObject): boolean {
  return (
    typeof part.text === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought')
  );
}

/** Providers refuse a part with empty text, unless it is signed. */
function isEmpty(part: JsonObject): boolean {
  return part.text === '' && isUnsignedText(part);
}

const unreadableCallReason = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL)$/i;

/**
 * Whether the provider ended a reply because it could not read the model's tool call, or because the tool was not
 * offered. The reply does not contain the call, but may contain earlier text.
 *
 * @param finishReason in the provider's spelling
 */
export function endedInUnreadableCall(finishReason: string): boolean {
  return unreadableCallReason.test(finishReason);
}
