import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import { cancelled, emptyReply, type FailureDetails, failureOfInnerError } from '../../errorMapping.ts';
import type { FormatDecoder, Reply } from '../../stream/reply.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { otherUnits, sound, tokensApart } from '../format/otherUnits.ts';
import { parseCalls } from '../format/templateParser.ts';
import { InteractionSteps } from './steps.ts';

const unfinished: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/**
 * Reads interactions, in events or whole, in both schemas and with both sets of event names. The data tells
 * the type of an event. A stream ends with the event that completes the interaction, or with `[DONE]`. A
 * whole interaction may be unfinished while it is written in the background.
 */
export class InteractionsDecoder implements FormatDecoder {
  readonly holds = 'interaction';
  readonly eventType = 'event_type';
  readonly #steps = new InteractionSteps();
  /** The types of events reported so far. */
  readonly #told = new Set<ChatEvent['type']>();

  parse(data: string): unknown {
    return parseCalls(data);
  }

  read(payload: JsonObject, reply: Reply): FailureDetails | undefined {
    const type = nonEmptyString(payload.event_type);
    if (payload.error || type === 'error') return failureOfInnerError(payload.error ? payload : {});
    if (type === undefined) return this.#readWhole(payload, reply);
    if (type === 'done') reply.end();
    else if (type.startsWith('interaction.')) return this.#readLifecycle(type, payload, reply);
    else return this.#readStep(type, payload, reply);
    return undefined;
  }

  /** Accepts both spellings of each event, such as complete and completed. */
  #readLifecycle(type: string, payload: JsonObject, reply: Reply): FailureDetails | undefined {
    const facts = isObject(payload.interaction) ? payload.interaction : payload;
    const completes = type.startsWith('interaction.complete');
    const own = /\.(requires_action|requires_continuation|failed|cancelled|incomplete)$/.exec(type)?.[1];
    const told = nonEmptyString(facts.status) ?? own ?? 'in_progress';
    const status = completes && unfinished.has(told) ? 'completed' : told;
    readStart(facts, reply);
    const failure = completes ? this.#readContents(facts, reply) : undefined;
    reply.serviceTier(facts.service_tier);
    readUsage(facts.usage, reply);
    if (failure) return failure;
    if (completes) reply.end();
    // An update may name the final status before the event that ends the stream.
    return completes || (status !== 'completed' && !unfinished.has(status))
      ? this.#readEnd(facts, status, reply)
      : undefined;
  }

  #readStep(type: string, payload: JsonObject, reply: Reply): FailureDetails | undefined {
    const before = reply.events.length;
    const { index, delta } = payload;
    const step = payload.step ?? payload.content;
    const metadata = isObject(payload.metadata) ? payload.metadata : {};
    let failure: FailureDetails | undefined;
    if (/\.start/.test(type) && isObject(step)) failure = this.#steps.start(index, step, reply.events);
    else if (/\.delta/.test(type) && isObject(delta)) this.#steps.delta(index, delta, reply.events);
    this.#note(reply.events.slice(before), reply);
    readUsage(metadata.total_usage, reply);
    return failure;
  }

  #readWhole(interaction: JsonObject, reply: Reply): FailureDetails | undefined {
    const { object, steps, outputs } = interaction;
    const status = nonEmptyString(interaction.status);
    if (object !== 'interaction' && !status && !Array.isArray(steps) && !Array.isArray(outputs))
      return undefined;
    readStart(interaction, reply);
    const failure = this.#readContents(interaction, reply);
    reply.serviceTier(interaction.service_tier);
    readUsage(interaction.usage, reply);
    if (unfinished.has(status)) reply.suspend();
    if (failure || reply.pending) return failure;
    reply.end();
    return this.#readEnd(interaction, status ?? 'completed', reply);
  }

  /**
   * Reads the current schema, the legacy one, and members that gateways add. After a stream it reads only
   * what no event reported.
   */
  #readContents(interaction: JsonObject, reply: Reply): FailureDetails | undefined {
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
    reply.events.push(...more);
    this.#note(more, reply);
    return failure;
  }

  #note(contents: readonly ChatEvent[], reply: Reply): void {
    if (contents.length > 0) reply.choice(0);
    for (const { type } of contents) this.#told.add(type);
  }

  #readEnd(interaction: JsonObject, status: string, reply: Reply): FailureDetails | undefined {
    const [error] = Array.isArray(interaction.errors) ? interaction.errors : [];
    if (status === 'failed') return failureOfInnerError(isObject(error) ? { error } : {});
    if (status === 'budget_exceeded') {
      return failureOfInnerError({ error: { ...(isObject(error) ? error : {}), code: status } });
    }
    if (status === 'cancelled') return cancelled();
    if (status === 'completed' && this.#told.size === 0) return emptyReply();
    if (reply.hasFinished(0)) return undefined;
    const calls = status === 'completed' && this.#steps.hasCalls;
    reply.finish(0, calls ? 'tool-calls' : finishReason(status), status);
    return undefined;
  }
}

function readStart(interaction: JsonObject, reply: Reply): void {
  reply.start(interaction.id, nonEmptyString(interaction.model) ?? interaction.agent, false);
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

function readUsage(usage: unknown, reply: Reply): void {
  if (!isObject(usage)) return;
  const answer = count(usage.total_output_tokens);
  const reasoning = count(usage.total_thought_tokens);
  const ofTools = count(usage.total_tool_use_tokens);
  const input = count(usage.total_input_tokens);
  reply.usage(
    {
      // What its own tools brought is input, too.
      inputTokens: input === undefined ? undefined : input + (ofTools ?? 0),
      // The count of the answer lacks the reasoning, which all other formats count as output.
      outputTokens: answer === undefined ? reasoning : answer + (reasoning ?? 0),
      totalTokens: usage.total_tokens,
      reasoningTokens: reasoning,
      cachedTokens: usage.total_cached_tokens,
      otherUnits: otherUnits(
        tokensApart(usage.input_tokens_by_modality, sound),
        tokensApart(usage.output_tokens_by_modality),
        searches(usage.grounding_tool_count),
      ),
    },
    usage,
  );
}

function searches(tools: unknown): number | undefined {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return otherUnits(...list.map((each) => isObject(each) && each.count));
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

type Step = Record<string, unknown>;

/** Records the steps of one interaction in the current schema: those of its end, else as they were streamed. */
export class InteractionsSaid implements SaidRecorder {
  readonly #steps = new Map<unknown, Step>();
  readonly #arguments = new Map<Step, string>();
  #whole: readonly JsonObject[] = [];

  read(payload: JsonObject): void {
    const { event_type: type, index, step, delta } = payload;
    if (type === 'step.start' && isObject(step)) this.#steps.set(index, structuredClone(step) as Step);
    else if (type === 'step.delta' && isObject(delta)) {
      const open = this.#steps.get(index);
      if (open) this.#extend(open, delta);
    } else {
      const interaction = isObject(payload.interaction) ? payload.interaction : payload;
      const steps = Array.isArray(interaction.steps) ? interaction.steps.filter(isObject) : [];
      if (steps.length > 0) this.#whole = steps;
    }
  }

  get reasoning(): SaidReasoning | undefined {
    return this.#streamedOrWhole().some(({ signature }) => signature) ? 'signed' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#streamedOrWhole().flatMap((step) => {
      if (step.type === 'user_input') return [];
      if (step.type !== 'function_call') return [step];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...step, id }];
    });
  }

  #streamedOrWhole(): readonly JsonObject[] {
    const streamed = [...this.#steps.values()].map((step) => this.#finished(step));
    return streamed.length > 0 ? streamed : this.#whole;
  }

  #extend(step: Step, delta: JsonObject): void {
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
        if (isObject(delta.content)) extend(step, 'summary', delta.content);
        break;
      case 'function_call':
        Object.assign(step, structuredClone(delta));
        break;
      default:
        if (step.type === 'model_output') extend(step, 'content', delta);
    }
  }

  #finished(step: Step): Step {
    const text = this.#arguments.get(step);
    return text === undefined ? step : { ...step, arguments: parseExactJson(text) };
  }
}

/** Adds content to a step. Text continues the content before. */
function extend(step: Step, name: 'content' | 'summary', more: JsonObject): void {
  const list: Step[] = Array.isArray(step[name]) ? step[name] : [];
  step[name] = list;
  const last = list.at(-1);
  const goesOn = last?.type === 'text' && more.type === 'text' && !more.annotations;
  if (goesOn) last.text = `${last.text ?? ''}${more.text ?? ''}`;
  else list.push(structuredClone(more) as Step);
}
