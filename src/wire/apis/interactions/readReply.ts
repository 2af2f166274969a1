import {
  isObject,
  type JsonObject,
  nonEmptyString,
  objectsIn,
  parseExactJson,
  scalarText,
} from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import {
  createCancelledFailure,
  createEmptyReplyFailure,
  type FailureDetails,
  readInnerFailure,
} from '../../failures/replyFailure.ts';
import type { DecodedReply, FormatDecoder, RawUsage } from '../../stream/decodedReply.ts';
import { type ChangingValue, findChangingText } from '../../stream/repeatedEvents.ts';
import type { VerbatimReasoning, VerbatimRecorder } from '../../stream/verbatimRecorder.ts';
import { parseCalls } from '../shared/messageParts.ts';
import { audioModality, readUsageCount, sumNonTextTokens, sumOtherUnits } from '../shared/usageCounts.ts';
import { InteractionSteps } from './interactionSteps.ts';

const unfinishedStatuses: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/**
 * Reads interactions, in events or whole, in both schemas and with both sets of event names. The type of an event
 * is read from its data. A stream ends with the event that completes the interaction, or with `[DONE]`. A whole
 * interaction may be unfinished while it is written in the background.
 */
export class InteractionsDecoder implements FormatDecoder {
  readonly requiredMember = 'interaction';
  readonly eventType = 'event_type';
  readonly findChanging = findChangingDelta;
  readonly #steps = new InteractionSteps();
  /** The types of events reported so far. */
  readonly #reportedTypes = new Set<ChatEvent['type']>();

  parse(data: string): unknown {
    return parseCalls(data);
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const type = nonEmptyString(payload.event_type);
    if (payload.error || type === 'error') return readInnerFailure(payload.error ? payload : {});
    if (type === undefined) return this.#readComplete(payload, reply);
    if (type === 'done') reply.end();
    else if (type.startsWith('interaction.')) return this.#readLifecycle(type, payload, reply);
    else return this.#readStep(type, payload, reply);
    return undefined;
  }

  /** Accepts both spellings of each event, such as complete and completed. */
  #readLifecycle(type: string, payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const interaction = isObject(payload.interaction) ? payload.interaction : payload;
    const isCompletion = type.startsWith('interaction.complete');
    const eventStatus = /\.(requires_action|requires_continuation|failed|cancelled|incomplete)$/.exec(
      type,
    )?.[1];
    const reportedStatus = nonEmptyString(interaction.status) ?? eventStatus ?? 'in_progress';
    const status = isCompletion && unfinishedStatuses.has(reportedStatus) ? 'completed' : reportedStatus;
    readStart(interaction, reply);
    const failure = isCompletion ? this.#readContents(interaction, reply) : undefined;
    reply.reportServiceTier(interaction.service_tier);
    readUsage(interaction.usage, reply);
    if (failure) return failure;
    if (isCompletion) reply.end();
    // An update may have the final status before the event that ends the stream.
    return isCompletion || (status !== 'completed' && !unfinishedStatuses.has(status))
      ? this.#readEnd(interaction, status, reply)
      : undefined;
  }

  #readStep(type: string, payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const before = reply.events.length;
    const { index, delta } = payload;
    const step = payload.step ?? payload.content;
    const metadata = isObject(payload.metadata) ? payload.metadata : {};
    let failure: FailureDetails | undefined;
    if (/\.start/.test(type) && isObject(step)) failure = this.#steps.start(index, step, reply.events);
    else if (/\.delta/.test(type) && isObject(delta)) this.#steps.readDelta(index, delta, reply.events);
    this.#markReported(reply.events.slice(before), reply);
    readUsage(metadata.total_usage, reply);
    return failure;
  }

  #readComplete(interaction: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const { object, steps, outputs } = interaction;
    const status = nonEmptyString(interaction.status);
    if (object !== 'interaction' && !status && !Array.isArray(steps) && !Array.isArray(outputs))
      return undefined;
    readStart(interaction, reply);
    const failure = this.#readContents(interaction, reply);
    reply.reportServiceTier(interaction.service_tier);
    readUsage(interaction.usage, reply);
    if (unfinishedStatuses.has(status)) reply.suspend();
    if (failure || reply.isPending) return failure;
    reply.end();
    return this.#readEnd(interaction, status ?? 'completed', reply);
  }

  /**
   * Reads contents in the current schema, in the legacy schema, and in members that gateways add. After a stream,
   * only contents of types that no event reported are used.
   */
  #readContents(interaction: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    const { steps, outputs } = interaction;
    const list = [steps, outputs].find((each) => Array.isArray(each) && each.length > 0);
    const contents: ChatEvent[] = [];
    let failure: FailureDetails | undefined;
    for (const step of objectsIn(list)) {
      failure ??= this.#steps.read(step, contents);
    }
    if (contents.length === 0)
      for (const content of listTopLevelContents(interaction)) this.#steps.read(content, contents);
    const newContents = contents.filter(({ type }) => !this.#reportedTypes.has(type));
    for (const content of newContents) reply.events.push(content);
    this.#markReported(newContents, reply);
    return failure;
  }

  #markReported(contents: readonly ChatEvent[], reply: DecodedReply): void {
    if (contents.length > 0) reply.markChoice(0);
    for (const { type } of contents) this.#reportedTypes.add(type);
  }

  #readEnd(interaction: JsonObject, status: string, reply: DecodedReply): FailureDetails | undefined {
    const [error] = Array.isArray(interaction.errors) ? interaction.errors : [];
    if (status === 'failed') return readInnerFailure(isObject(error) ? { error } : {});
    if (status === 'budget_exceeded') {
      return readInnerFailure({ error: { ...(isObject(error) ? error : {}), code: status } });
    }
    if (status === 'cancelled') return createCancelledFailure();
    if (status === 'completed' && this.#reportedTypes.size === 0) return createEmptyReplyFailure();
    if (reply.hasFinished(0)) return undefined;
    const hasCalls = status === 'completed' && this.#steps.hasCalls;
    reply.finish(0, hasCalls ? 'tool-calls' : (finishReasons.get(status) ?? 'other'), status);
    return undefined;
  }
}

/** Finds the text of a delta, also of a summary, and the id of the event. Most events differ only in these values. */
function findChangingDelta(payload: unknown): readonly ChangingValue[] {
  const delta = isObject(payload) && isObject(payload.delta) ? payload.delta : {};
  const text = [...findChangingText(delta, 'text'), ...findChangingText(delta.content, 'text')];
  return text.length === 1 ? [...text, ...findChangingText(payload, 'event_id')] : [];
}

function readStart(interaction: JsonObject, reply: DecodedReply): void {
  reply.start(interaction.id, nonEmptyString(interaction.model) ?? interaction.agent, false);
}

/** Contents that some gateways send in addition to the steps, or instead of them. */
function listTopLevelContents({
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

function readUsage(usage: unknown, reply: DecodedReply): void {
  if (isObject(usage)) reply.reportUsage(readInteractionsUsage(usage), usage);
}

/** The token counts of an interaction, from its member `usage` or `total_usage`. */
export function readInteractionsUsage(usage: JsonObject): RawUsage {
  const output = readUsageCount(usage.total_output_tokens);
  const reasoning = readUsageCount(usage.total_thought_tokens);
  const toolTokens = readUsageCount(usage.total_tool_use_tokens);
  const input = readUsageCount(usage.total_input_tokens);
  return {
    // Results of the provider's own tools are also input.
    inputTokens: input === undefined ? undefined : input + (toolTokens ?? 0),
    // The output count does not include the reasoning, which all other formats count as output.
    outputTokens: output === undefined ? reasoning : output + (reasoning ?? 0),
    totalTokens: usage.total_tokens,
    reasoningTokens: reasoning,
    cachedTokens: usage.total_cached_tokens,
    otherUnits: sumOtherUnits(
      sumNonTextTokens(usage.input_tokens_by_modality, audioModality),
      sumNonTextTokens(usage.output_tokens_by_modality),
      countSearches(usage.grounding_tool_count),
    ),
  };
}

/** The number of searches by the provider's own tools. */
function countSearches(tools: unknown): number | undefined {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return sumOtherUnits(...list.map((each) => isObject(each) && each.count));
}

type RecordedStep = Record<string, unknown>;

/** Records the steps of one interaction in the current schema: from the stream, otherwise from the whole reply. */
export class InteractionsRecorder implements VerbatimRecorder {
  readonly #steps = new Map<unknown, RecordedStep>();
  readonly #arguments = new Map<RecordedStep, string>();
  #completeSteps: readonly JsonObject[] = [];

  read(payload: JsonObject): void {
    const { event_type: type, index, step, delta } = payload;
    if (type === 'step.start' && isObject(step))
      this.#steps.set(index, structuredClone(step) as RecordedStep);
    else if (type === 'step.delta' && isObject(delta)) {
      const openStep = this.#steps.get(index);
      if (openStep) this.#extend(openStep, delta);
    } else {
      const interaction = isObject(payload.interaction) ? payload.interaction : payload;
      const steps = objectsIn(interaction.steps);
      if (steps.length > 0) this.#completeSteps = steps;
    }
  }

  get reasoning(): VerbatimReasoning | undefined {
    return this.#listSteps().some(({ signature }) => signature) ? 'signed' : undefined;
  }

  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#listSteps().flatMap((step) => {
      if (step.type === 'user_input') return [];
      if (step.type !== 'function_call') return [step];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...step, id }];
    });
  }

  #listSteps(): readonly JsonObject[] {
    const streamed = [...this.#steps.values()].map((step) => this.#finish(step));
    return streamed.length > 0 ? streamed : this.#completeSteps;
  }

  #extend(step: RecordedStep, delta: JsonObject): void {
    switch (delta.type) {
      case 'arguments_delta':
        this.#arguments.set(
          step,
          (this.#arguments.get(step) ?? '') + (nonEmptyString(delta.arguments) ?? ''),
        );
        break;
      case 'thought_signature':
        step.signature = delta.signature;
        break;
      case 'thought_summary':
        if (isObject(delta.content)) addContent(step, 'summary', delta.content);
        break;
      case 'function_call':
        Object.assign(step, structuredClone(delta));
        break;
      default:
        if (step.type === 'model_output') addContent(step, 'content', delta);
    }
  }

  #finish(step: RecordedStep): RecordedStep {
    const text = this.#arguments.get(step);
    return text === undefined ? step : { ...step, arguments: parseExactJson(text) };
  }
}

/** Adds content to a step. Text is appended to the last content. */
function addContent(step: RecordedStep, name: 'content' | 'summary', more: JsonObject): void {
  const list: RecordedStep[] = Array.isArray(step[name]) ? step[name] : [];
  step[name] = list;
  const last = list.at(-1);
  const continuesText = last?.type === 'text' && more.type === 'text' && !more.annotations;
  if (continuesText) last.text = scalarText(last.text) + scalarText(more.text);
  else list.push(structuredClone(more) as RecordedStep);
}
