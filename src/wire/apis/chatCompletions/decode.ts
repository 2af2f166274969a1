import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent, FinishReason, Usage } from '../../chatEvent.ts';
import { reportsFailure } from '../../errorBody.ts';
import {
  cutReply,
  emptyReply,
  type FailureDetails,
  failureOfInnerError,
  malformedReply,
} from '../../errorMapping.ts';
import type { Conclusion, ShapeReader } from '../../stream/replyDecoder.ts';
import { AnswerMeter } from '../answerMeter.ts';
import { type ChangingText, TemplateParser, textMember } from '../templateParser.ts';
import { readContent, readImages, readReasoning } from './content.ts';
import { ToolCalls } from './toolCalls.ts';

const maxChoices = 1024;

interface Choice {
  readonly toolCalls: ToolCalls;
  finish?: FinishReason;
}

/**
 * Reads chat completions, in chunks or whole, with all known deviations of gateways: absent and null members,
 * unusual indices, reasoning under several names, errors between chunks.
 */
export class ChatCompletionsReader implements ShapeReader {
  readonly #choices = new Map<number, Choice>();
  readonly #parser = new TemplateParser(changingContent);
  readonly #meter = new AnswerMeter();
  #read = false;
  #started = false;

  parse(data: string): unknown {
    return this.#parser.parse(data);
  }

  read(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const before = events.length;
    const { choices } = payload;
    this.#read = true;
    if (!this.#started) this.#readStart(payload, events);
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isObject(choice)) this.#readChoice(choice, events);
    }
    if (isObject(payload.usage)) readUsage(payload.usage, events);
    return errorIn(payload) ?? this.#meter.measure(events, before);
  }

  conclude(marked: boolean): Conclusion {
    const finishes = [...this.#choices.values()].map(({ finish }) => finish);
    if (marked && finishes.length === 0) return { kind: 'failed', failure: this.#nothing() };
    if (finishes.includes('error')) return { kind: 'failed', failure: failureOfInnerError({}) };
    const ended = marked || (finishes.length > 0 && finishes.every((finish) => finish !== undefined));
    if (!ended) return { kind: 'interrupted', failure: cutReply() };
    return { kind: finishes.includes('length') ? 'truncated' : 'complete' };
  }

  #nothing(): FailureDetails {
    return this.#read ? malformedReply('it holds no choices') : emptyReply();
  }

  /** The first chunk may neither name the reply nor hold content. */
  #readStart(payload: JsonObject, events: ChatEvent[]): void {
    const id = nonEmptyString(payload.id);
    const model = nonEmptyString(payload.model);
    const answers = Array.isArray(payload.choices) && payload.choices.length > 0;
    if (!id && !model && !answers) return;
    this.#started = true;
    events.push({ type: 'start', ...(id && { id }), ...(model && { model }) });
  }

  #readChoice(choice: JsonObject, events: ChatEvent[]): void {
    const index = choice.index ?? 0;
    if (!isIndex(index)) return;
    const state = this.#choice(index);
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) readDelta(delta, index, state, events);
    const raw = choice.finish_reason;
    if (state.finish || typeof raw !== 'string' || raw === '' || raw === 'null') return;
    state.finish = finishReason(raw);
    events.push({ type: 'finish', choice: index, reason: state.finish, raw });
  }

  #choice(index: number): Choice {
    let choice = this.#choices.get(index);
    if (!choice) {
      choice = { toolCalls: new ToolCalls() };
      this.#choices.set(index, choice);
    }
    return choice;
  }
}

/** The content of a chunk with one choice. Most chunks differ only in it. */
export function changingContent(payload: unknown): ChangingText | undefined {
  const choices = isObject(payload) ? payload.choices : undefined;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  return isObject(choice) ? textMember(choice.delta, 'content') : undefined;
}

function readDelta(delta: JsonObject, choice: number, state: Choice, events: ChatEvent[]): void {
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
  state.toolCalls.read(delta, choice, events);
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
  ['safety', 'content-filter'],
  ['error', 'error'],
]);

function finishReason(raw: string): FinishReason {
  return finishReasons.get(raw.toLowerCase()) ?? 'other';
}

function readUsage(usage: JsonObject, events: ChatEvent[]): void {
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outputDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const counts: { -readonly [Count in keyof Usage]: unknown } = {
    inputTokens: usage.prompt_tokens ?? usage.input_tokens,
    outputTokens: usage.completion_tokens ?? usage.output_tokens,
    totalTokens: usage.total_tokens,
    reasoningTokens: outputDetails.reasoning_tokens,
    cachedTokens: details.cached_tokens,
  };
  const told = Object.entries(counts).filter(([, count]) => Number.isFinite(count));
  if (told.length > 0) events.push({ type: 'usage', usage: Object.fromEntries(told) });
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

function isIndex(index: unknown): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < maxChoices;
}
