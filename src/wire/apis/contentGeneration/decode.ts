import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent, FinishReason, Usage } from '../../chatEvent.ts';
import {
  cutReply,
  emptyReply,
  type FailureDetails,
  failureOfInnerError,
  malformedReply,
} from '../../errorMapping.ts';
import type { Conclusion, ShapeReader } from '../../stream/replyDecoder.ts';
import { AnswerMeter } from '../answerMeter.ts';
import { FunctionCalls } from './calls.ts';
import { ContentGenerationParser } from './parser.ts';
import { Citations, readPart } from './parts.ts';

const maxCandidates = 1024;

interface Candidate {
  readonly calls: FunctionCalls;
  readonly citations: Citations;
  /** The finish reason that was reported last, since some providers repeat it on every event. */
  finishWord?: string;
  finish?: FinishReason;
}

/**
 * Reads content-generation replies, in events or whole, with either spelling of members. The format has no
 * end mark: a reply is complete once every candidate in it has finished.
 */
export class ContentGenerationReader implements ShapeReader {
  readonly #candidates = new Map<number, Candidate>();
  readonly #parser = new ContentGenerationParser();
  readonly #meter = new AnswerMeter();
  #read = false;
  #started = false;

  parse(data: string): unknown {
    return this.#parser.parse(data);
  }

  read(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const before = events.length;
    const { candidates } = payload;
    this.#read = true;
    if (!this.#started) this.#readStart(payload, events);
    if (Array.isArray(candidates)) {
      for (const candidate of candidates) if (isObject(candidate)) this.#readCandidate(candidate, events);
    }
    const usage = payload.usageMetadata ?? payload.usage_metadata;
    if (isObject(usage)) readUsage(usage, events);
    return errorIn(payload) ?? this.#meter.measure(events, before);
  }

  conclude(marked: boolean): Conclusion {
    const finishes = [...this.#candidates.values()].map(({ finish }) => finish);
    if (marked && finishes.length === 0) return { kind: 'failed', failure: this.#nothing() };
    const ended = marked || (finishes.length > 0 && finishes.every((finish) => finish !== undefined));
    if (!ended) return { kind: 'interrupted', failure: cutReply() };
    return { kind: finishes.includes('length') ? 'truncated' : 'complete' };
  }

  #nothing(): FailureDetails {
    return this.#read ? malformedReply('it holds no candidates') : emptyReply();
  }

  #readStart(payload: JsonObject, events: ChatEvent[]): void {
    const id = nonEmptyString(payload.responseId ?? payload.response_id);
    const model = nonEmptyString(payload.modelVersion ?? payload.model_version);
    if (!id && !model && !Array.isArray(payload.candidates)) return;
    this.#started = true;
    events.push({ type: 'start', ...(id && { id }), ...(model && { model }) });
  }

  #readCandidate(candidate: JsonObject, events: ChatEvent[]): void {
    const index = candidate.index ?? 0;
    if (!isIndex(index)) return;
    const state = this.#candidate(index);
    const { content } = candidate;
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    for (const part of parts) if (isObject(part)) readPart(part, index, state.calls, events);
    state.citations.read(candidate, index, events);
    readFinish(candidate, index, state, events);
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

function readFinish(candidate: JsonObject, choice: number, state: Candidate, events: ChatEvent[]): void {
  const raw = nonEmptyString(candidate.finishReason ?? candidate.finish_reason);
  if (!raw || raw === state.finishWord || raw === 'FINISH_REASON_UNSPECIFIED') return;
  state.calls.end(choice, events);
  state.finishWord = raw;
  state.finish = finishReason(raw, state.calls.count > 0);
  const words = nonEmptyString(candidate.finishMessage ?? candidate.finish_message);
  if (words && state.finish === 'content-filter') events.push({ type: 'refusal', choice, text: words });
  events.push({ type: 'finish', choice, reason: state.finish, raw });
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

/** Runs for nearly every event, so it only reads the counts. */
function readUsage(usage: JsonObject, events: ChatEvent[]): void {
  const input = count(usage.promptTokenCount ?? usage.prompt_token_count);
  const answer = count(usage.candidatesTokenCount ?? usage.candidates_token_count);
  const total = count(usage.totalTokenCount ?? usage.total_token_count);
  const reasoning = count(usage.thoughtsTokenCount ?? usage.thoughts_token_count);
  const cached = count(usage.cachedContentTokenCount ?? usage.cached_content_token_count);
  const told: { -readonly [Count in keyof Usage]: Usage[Count] } = {};
  if (input !== undefined) told.inputTokens = input;
  // The count of the answer lacks the reasoning, which all other formats count as output.
  if (answer !== undefined || reasoning !== undefined) told.outputTokens = (answer ?? 0) + (reasoning ?? 0);
  if (total !== undefined) told.totalTokens = total;
  if (reasoning !== undefined) told.reasoningTokens = reasoning;
  if (cached !== undefined) told.cachedTokens = cached;
  if (input !== undefined || told.outputTokens !== undefined || total !== undefined) {
    events.push({ type: 'usage', usage: told });
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
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

function isIndex(index: unknown): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < maxCandidates;
}
