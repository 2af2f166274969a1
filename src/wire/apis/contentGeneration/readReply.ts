import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import { type FailureDetails, failureOfInnerError } from '../../errorMapping.ts';
import type { FormatDecoder, Reply } from '../../stream/reply.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { otherUnits, sound, tokensApart } from '../format/otherUnits.ts';
import { type ChangingValue, changingText, parseCalls, TemplateParser } from '../format/templateParser.ts';
import { FunctionCalls } from './calls.ts';

/** Each count is searched for in the whole event; no provider sends more of them. */
const maxCounts = 16;

interface Candidate {
  readonly calls: FunctionCalls;
  readonly citations: Citations;
  /** The finish reason that was reported last, since some providers repeat it on every event. */
  finishWord?: string;
}

/** Reads content-generation replies, in events or whole, with either spelling of members. */
export class ContentGenerationDecoder implements FormatDecoder {
  readonly holds = 'candidates';
  readonly #parser: TemplateParser;
  readonly #candidates = new Map<number, Candidate>();
  /** What the provider looked for in the web. */
  readonly #searches = new Set<unknown>();

  /** @param parse parses an event; undefined when it is no JSON */
  constructor(parse: (json: string) => unknown = parseCalls) {
    this.#parser = new TemplateParser(changingPart, parse);
  }

  parse(data: string): unknown {
    return this.#parser.parse(data);
  }

  read(payload: JsonObject, reply: Reply): FailureDetails | undefined {
    const { candidates } = payload;
    if (!reply.started) readStart(payload, reply);
    if (Array.isArray(candidates)) {
      for (const candidate of candidates) if (isObject(candidate)) this.#readCandidate(candidate, reply);
    }
    const usage = payload.usageMetadata ?? payload.usage_metadata;
    if (isObject(usage)) readUsage(usage, this.#searches.size, reply);
    return errorIn(payload);
  }

  #readCandidate(candidate: JsonObject, reply: Reply): void {
    const index = reply.choice(candidate.index ?? 0);
    if (index === undefined) return;
    const state = this.#candidate(index);
    const { content } = candidate;
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    for (const part of parts) if (isObject(part)) readPart(part, index, state.calls, reply.events);
    state.citations.read(candidate, index, reply.events);
    for (const search of searchesOf(candidate)) this.#searches.add(search);
    readFinish(candidate, index, state, reply);
  }

  #candidate(index: number): Candidate {
    let candidate = this.#candidates.get(index);
    if (!candidate) {
      candidate = { calls: new FunctionCalls(), citations: new Citations() };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }
}

/** The text of an event with one part, and its token counts. Most events differ only in them. */
export function changingPart(payload: unknown): readonly ChangingValue[] {
  if (!isObject(payload)) return [];
  const content = onlyObject(payload.candidates)?.content;
  const text = changingText(isObject(content) ? onlyObject(content.parts) : undefined, 'text');
  const usage = payload.usageMetadata;
  if (text.length === 0 || !isObject(usage)) return text;
  const counts = Object.keys(usage).filter((name) => Number.isSafeInteger(usage[name]));
  return counts.length > maxCounts ? text : [...text, ...counts.map((member) => ({ holder: usage, member }))];
}

function onlyObject(list: unknown): JsonObject | undefined {
  const [only, ...others]: readonly unknown[] = Array.isArray(list) ? list : [];
  return isObject(only) && others.length === 0 ? only : undefined;
}

function readStart(payload: JsonObject, reply: Reply): void {
  const id = payload.responseId ?? payload.response_id;
  reply.start(id, payload.modelVersion ?? payload.model_version, Array.isArray(payload.candidates));
}

function searchesOf(candidate: JsonObject): readonly unknown[] {
  const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
  const queries = isObject(grounding) && (grounding.webSearchQueries ?? grounding.web_search_queries);
  return Array.isArray(queries) ? queries : [];
}

function readFinish(candidate: JsonObject, choice: number, state: Candidate, reply: Reply): void {
  const raw = nonEmptyString(candidate.finishReason ?? candidate.finish_reason);
  if (!raw || raw === state.finishWord || raw === 'FINISH_REASON_UNSPECIFIED') return;
  state.calls.end(choice, reply.events);
  state.finishWord = raw;
  const reason = finishReason(raw, state.calls.count > 0);
  const words = nonEmptyString(candidate.finishMessage ?? candidate.finish_message);
  if (words && reason === 'content-filter') reply.events.push({ type: 'refusal', choice, text: words });
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

/** The format has no finish reason for tool calls and says STOP. */
function finishReason(raw: string, called: boolean): FinishReason {
  const reason = finishReasons.get(raw.toUpperCase()) ?? 'other';
  return reason === 'stop' && called ? 'tool-calls' : reason;
}

function readUsage(usage: JsonObject, searches: number, reply: Reply): void {
  const input = sumOf(
    usage.promptTokenCount ?? usage.prompt_token_count,
    // What its own tools brought is input, too.
    usage.toolUsePromptTokenCount ?? usage.tool_use_prompt_token_count,
  );
  const answer = count(usage.candidatesTokenCount ?? usage.candidates_token_count);
  const reasoning = count(usage.thoughtsTokenCount ?? usage.thoughts_token_count);
  reply.serviceTier(usage.serviceTier ?? usage.service_tier ?? usage.trafficType ?? usage.traffic_type);
  reply.usage(
    {
      inputTokens: input,
      // The count of the answer lacks the reasoning, which all other formats count as output.
      outputTokens: answer === undefined ? reasoning : answer + (reasoning ?? 0),
      totalTokens: usage.totalTokenCount ?? usage.total_token_count,
      reasoningTokens: reasoning,
      cachedTokens: usage.cachedContentTokenCount ?? usage.cached_content_token_count,
      otherUnits: otherUnits(
        searches,
        tokensApart(usage.promptTokensDetails ?? usage.prompt_tokens_details, sound),
        tokensApart(usage.candidatesTokensDetails ?? usage.candidates_tokens_details),
      ),
    },
    usage,
  );
}

function sumOf(first: unknown, second: unknown): unknown {
  const more = count(second);
  return typeof first === 'number' && more !== undefined ? first + more : first;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function errorIn(payload: JsonObject): FailureDetails | undefined {
  if (payload.error) return failureOfInnerError(payload);
  return Array.isArray(payload.candidates) ? undefined : blockedPrompt(payload);
}

/** A prompt that the provider's filter blocks gets a good status and no candidates. */
function blockedPrompt(payload: JsonObject): FailureDetails | undefined {
  const feedback = payload.promptFeedback ?? payload.prompt_feedback;
  const block = isObject(feedback)
    ? nonEmptyString(feedback.blockReason ?? feedback.block_reason)
    : undefined;
  if (!isObject(feedback) || !block || block === 'BLOCKED_REASON_UNSPECIFIED') return undefined;
  const words = nonEmptyString(feedback.blockReasonMessage ?? feedback.block_reason_message);
  return failureOfInnerError({ error: { code: 'content_filter', message: words ?? block } });
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
    if (text || signature) events.push(reasoning(choice, text ?? '', signature));
    return;
  }
  if (text) events.push({ type: 'text', choice, text });
  else readData(part, choice, events);
  // Any part may carry a signature of the reasoning, also an empty one at the end of a stream.
  if (signature) events.push(reasoning(choice, '', signature));
}

function reasoning(choice: number, text: string, signature: string | undefined): ChatEvent {
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

/** Code that the provider ran, and its output, belong to the answer. */
function readFenced(language: string, code: unknown, choice: number, events: ChatEvent[]): void {
  const body = nonEmptyString(code);
  if (!body) return;
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const text = `\n${fence}${/^[\w+-]{0,30}$/.test(language) ? language : ''}\n${body.trimEnd()}\n${fence}\n`;
  events.push({ type: 'text', choice, text });
}

/** The sources of an answer, each reported once. */
class Citations {
  readonly #told = new Set<string>();

  read(candidate: JsonObject, choice: number, events: ChatEvent[]): void {
    const sources = candidate.citationMetadata ?? candidate.citation_metadata;
    if (isObject(sources)) {
      for (const source of entries(sources.citations ?? sources.citationSources)) {
        this.#tell(source, choice, events);
      }
    }
    const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
    if (!isObject(grounding)) return;
    for (const chunk of entries(grounding.groundingChunks ?? grounding.grounding_chunks)) {
      const source = chunk.web ?? chunk.retrievedContext ?? chunk.retrieved_context ?? chunk.maps;
      if (isObject(source)) this.#tell(source, choice, events);
    }
  }

  #tell(source: JsonObject, choice: number, events: ChatEvent[]): void {
    const url = nonEmptyString(source.uri);
    const title = nonEmptyString(source.title);
    const key = url ?? title;
    if (!key || this.#told.has(key)) return;
    this.#told.add(key);
    events.push({ type: 'citation', choice, ...(url && { url }), ...(title && { title }) });
  }
}

function entries(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

type Part = Record<string, unknown>;

/** Records the parts of the first candidate. Text goes on in the part before as long as nothing is signed. */
export class ContentGenerationSaid implements SaidRecorder {
  readonly #parts: Part[] = [];
  readonly #calls = new FunctionCalls();
  readonly #callParts: Part[] = [];

  read({ candidates }: JsonObject): void {
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (!isObject(candidate) || (candidate.index ?? 0) !== 0) continue;
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      for (const part of Array.isArray(parts) ? parts : []) if (isObject(part)) this.#add(part);
    }
  }

  /** A summary of thoughts alone is nothing that the provider wants back. */
  get reasoning(): SaidReasoning | undefined {
    return this.#parts.some((part) => part.thoughtSignature ?? part.thought_signature) ? 'signed' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const left = new Set(this.#callParts.filter((_, nth) => ids[nth] === undefined));
    return this.#parts.filter((part) => !left.has(part));
  }

  #add(part: JsonObject): void {
    if (isObject(part.functionCall ?? part.function_call)) {
      this.#addCall(part);
      return;
    }
    const last = this.#parts.at(-1);
    if (last && isUnsignedText(last) && isUnsignedText(part) && last.thought === part.thought) {
      last.text = `${last.text}${part.text}`;
    } else if (!isEmpty(part)) this.#parts.push(structuredClone(part) as Part);
  }

  /** A call may arrive in pieces, which are put together. */
  #addCall({ functionCall, function_call, ...beside }: JsonObject): void {
    const call = functionCall ?? function_call;
    if (!isObject(call)) return;
    const events: ChatEvent[] = [];
    const signature = nonEmptyString(beside.thoughtSignature ?? beside.thought_signature);
    this.#calls.read(call, signature, 0, events);
    for (const event of events) {
      if (event.type !== 'toolCall') continue;
      const known = this.#callParts[event.index];
      if (!known) this.#open(call, beside, event.arguments);
      else if (event.arguments !== undefined) complete(known, event.arguments);
    }
  }

  #open({ args: _, ...call }: JsonObject, beside: JsonObject, args: string | undefined): void {
    const { partialArgs: _pieces, partial_args: _others, ...named } = call;
    const { willContinue: _goesOn, will_continue: _on, ...plain } = named;
    const part = { ...structuredClone(beside), functionCall: { ...structuredClone(plain), args: {} } };
    this.#callParts.push(part);
    this.#parts.push(part);
    if (args !== undefined) complete(part, args);
  }
}

function complete(part: Part, args: string): void {
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

const words = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL)$/i;

/**
 * Whether content generation ended a reply because it could not read the model's call of a tool, or had not offered
 * that tool. The call is not in the reply, which may hold what the model said before.
 *
 * @param finishReason in the provider's own word
 */
export function endedInUnreadableCall(finishReason: string): boolean {
  return words.test(finishReason);
}
