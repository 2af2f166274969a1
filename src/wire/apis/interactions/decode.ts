import { isObject, type JsonObject, nonEmptyString, parseExactJson, parseJson } from '../../../base/json.ts';
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
import { InteractionSteps } from './steps.ts';

const unfinished: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/**
 * Reads interactions, in events or whole, in both schemas and with both sets of event names. The data tells
 * the type of an event. A stream ends with the event that completes the interaction, or with `[DONE]`. A
 * whole interaction may be unfinished while it is written in the background.
 */
export class InteractionsReader implements ShapeReader {
  readonly #steps = new InteractionSteps();
  readonly #meter = new AnswerMeter();
  #read = false;
  #streamed = false;
  #started = false;
  /** The types of events reported so far. */
  readonly #told = new Set<ChatEvent['type']>();
  #ended = false;
  #pending = false;
  #finish: FinishReason | undefined;

  /** Whether the end mark was read; the rest of the stream is ignored. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the interaction is still being written in the background. */
  get pending(): boolean {
    return this.#pending;
  }

  parse(data: string): unknown {
    // Arguments of calls are JSON values and may hold large integer ids.
    return data.includes('"function') ? parseExactJson(data) : parseJson(data);
  }

  read(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    if (this.#ended) return undefined;
    this.#read = true;
    const before = events.length;
    const failure = this.#readPayload(payload, events);
    return failure ?? this.#meter.measure(events, before);
  }

  conclude(marked: boolean): Conclusion {
    const ended = this.#ended || this.#finish !== undefined || (marked && this.#told.size > 0);
    if (ended || this.#pending) return { kind: this.#finish === 'length' ? 'truncated' : 'complete' };
    if (!marked || this.#streamed) return { kind: 'interrupted', failure: cutReply() };
    return { kind: 'failed', failure: this.#read ? malformedReply('it holds no interaction') : emptyReply() };
  }

  #readPayload(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const type = nonEmptyString(payload.event_type);
    this.#streamed ||= type !== undefined;
    if (payload.error || type === 'error') return failureOfInnerError(payload.error ? payload : {});
    if (type === undefined) return this.#readWhole(payload, events);
    if (type === 'done') this.#ended = true;
    else if (type.startsWith('interaction.')) return this.#readLifecycle(type, payload, events);
    else return this.#readStep(type, payload, events);
    return undefined;
  }

  /** Accepts both spellings of each event, such as complete and completed. */
  #readLifecycle(type: string, payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const facts = isObject(payload.interaction) ? payload.interaction : payload;
    const completes = type.startsWith('interaction.complete');
    const own = /\.(requires_action|requires_continuation|failed|cancelled|incomplete)$/.exec(type)?.[1];
    const told = nonEmptyString(facts.status) ?? own ?? 'in_progress';
    const status = completes && unfinished.has(told) ? 'completed' : told;
    this.#readStart(facts, events);
    const failure = completes ? this.#readContents(facts, events) : undefined;
    readUsage(facts.usage, events);
    if (failure) return failure;
    if (completes) this.#ended = true;
    // An update may name the final status before the event that ends the stream.
    return completes || (status !== 'completed' && !unfinished.has(status))
      ? this.#readEnd(facts, status, events)
      : undefined;
  }

  #readStep(type: string, payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const before = events.length;
    const { index, delta } = payload;
    const step = payload.step ?? payload.content;
    const metadata = isObject(payload.metadata) ? payload.metadata : {};
    let failure: FailureDetails | undefined;
    if (/\.start/.test(type) && isObject(step)) failure = this.#steps.start(index, step, events);
    else if (/\.delta/.test(type) && isObject(delta)) this.#steps.delta(index, delta, events);
    this.#note(events.slice(before));
    readUsage(metadata.total_usage, events);
    return failure;
  }

  #readWhole(interaction: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const { object, steps, outputs } = interaction;
    const status = nonEmptyString(interaction.status);
    if (object !== 'interaction' && !status && !Array.isArray(steps) && !Array.isArray(outputs))
      return undefined;
    this.#readStart(interaction, events);
    const failure = this.#readContents(interaction, events);
    readUsage(interaction.usage, events);
    this.#pending = unfinished.has(status);
    if (failure || this.#pending) return failure;
    this.#ended = true;
    return this.#readEnd(interaction, status ?? 'completed', events);
  }

  #readStart(interaction: JsonObject, events: ChatEvent[]): void {
    const id = nonEmptyString(interaction.id);
    const model = nonEmptyString(interaction.model) ?? nonEmptyString(interaction.agent);
    if (this.#started || (!id && !model)) return;
    this.#started = true;
    events.push({ type: 'start', ...(id && { id }), ...(model && { model }) });
  }

  /**
   * Reads the current schema, the legacy one, and members that gateways add. After a stream it reads only
   * what no event reported.
   */
  #readContents(interaction: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    const { steps, outputs } = interaction;
    const list = [steps, outputs].find((each) => Array.isArray(each) && each.length > 0);
    const found: ChatEvent[] = [];
    let failure: FailureDetails | undefined;
    for (const step of Array.isArray(list) ? list.filter(isObject) : []) {
      failure ??= this.#steps.read(step, found);
    }
    if (found.length === 0)
      for (const content of contentsApart(interaction)) this.#steps.read(content, found);
    const more = found.filter(({ type }) => !this.#told.has(type));
    events.push(...more);
    this.#note(more);
    return failure;
  }

  #note(contents: readonly ChatEvent[]): void {
    for (const { type } of contents) this.#told.add(type);
  }

  #readEnd(interaction: JsonObject, status: string, events: ChatEvent[]): FailureDetails | undefined {
    const [error] = Array.isArray(interaction.errors) ? interaction.errors : [];
    if (status === 'failed') return failureOfInnerError(isObject(error) ? { error } : {});
    if (status === 'budget_exceeded') {
      return failureOfInnerError({ error: { ...(isObject(error) ? error : {}), code: status } });
    }
    if (status === 'cancelled') return cancelled();
    if (status === 'completed' && this.#told.size === 0) return emptyReply();
    if (this.#finish) return undefined;
    this.#finish = status === 'completed' && this.#steps.hasCalls ? 'tool-calls' : finishReason(status);
    events.push({ type: 'finish', choice: 0, reason: this.#finish, raw: status });
    return undefined;
  }
}

/** Contents that some gateways send beside the steps, or in place of them. */
function contentsApart({
  output_text: text,
  output_image,
  output_audio,
  output_video,
}: JsonObject): readonly JsonObject[] {
  return [
    { type: 'text', text },
    ...(isObject(output_image) ? [{ ...output_image, type: 'image' }] : []),
    ...(isObject(output_audio) ? [{ ...output_audio, type: 'audio' }] : []),
    ...(isObject(output_video) ? [{ ...output_video, type: 'video' }] : []),
  ];
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['completed', 'stop'],
  ['requires_action', 'tool-calls'],
  ['incomplete', 'length'],
  ['requires_continuation', 'length'],
]);

function finishReason(status: string): FinishReason {
  return finishReasons.get(status) ?? 'other';
}

function readUsage(usage: unknown, events: ChatEvent[]): void {
  if (!isObject(usage)) return;
  const answer = count(usage.total_output_tokens);
  const reasoning = count(usage.total_thought_tokens);
  const counts: { -readonly [Count in keyof Usage]: number | undefined } = {
    inputTokens: count(usage.total_input_tokens),
    // The count of the answer lacks the reasoning, which all other formats count as output.
    outputTokens:
      answer === undefined && reasoning === undefined ? undefined : (answer ?? 0) + (reasoning ?? 0),
    totalTokens: count(usage.total_tokens),
    reasoningTokens: reasoning,
    cachedTokens: count(usage.total_cached_tokens),
  };
  const told = Object.entries(counts).filter(([, value]) => value !== undefined);
  if (told.length > 0) events.push({ type: 'usage', usage: Object.fromEntries(told) });
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
