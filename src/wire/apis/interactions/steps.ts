import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import { type FailureDetails, failureOfInnerError, tooManyParts } from '../../errorMapping.ts';
import { readInteractionContent } from './content.ts';

/** The most steps of one interaction, far more than models take. */
const maxSteps = 4_096;

interface ToolCall {
  readonly position: number;
  readonly id: string | undefined;
}

/**
 * Reads the steps of an interaction, streamed or whole, in either schema: steps with contents, or a flat list
 * of contents. Input of the user, which some replies repeat, is ignored.
 */
export class InteractionSteps {
  /** The tool call of a step by the step's index; undefined for any other step. */
  readonly #calls = new Map<number, ToolCall | undefined>();
  readonly #echoes = new Set<number>();
  #callCount = 0;

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** Called for the start of a step, whose content is read at once. */
  start(index: unknown, step: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    if (!isIndex(index)) return undefined;
    if (index >= maxSteps) return tooManyParts(maxSteps);
    if (step.type === 'user_input') this.#echoes.add(index);
    if (step.type !== 'function_call') return this.read(step, events);
    this.#calls.set(index, this.#tellCall(step, argumentsText(step.arguments), events));
    return undefined;
  }

  delta(index: unknown, delta: JsonObject, events: ChatEvent[]): void {
    if (!isIndex(index) || this.#echoes.has(index)) return;
    if (delta.type === 'arguments_delta') this.#tellArguments(index, delta, events);
    else if (delta.type === 'function_call') {
      const args = argumentsText(delta.arguments);
      this.#calls.set(index, this.#tellCall(delta, args, events, this.#calls.get(index)));
    } else readInteractionContent(delta, events);
  }

  /** Reads a whole step, or a whole content of the flat schema. */
  read(step: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    switch (step.type) {
      case 'user_input':
        return undefined;
      case 'function_call':
        this.#tellCall(step, argumentsText(step.arguments) ?? '{}', events);
        return undefined;
      case 'model_output':
        if (Array.isArray(step.content)) {
          for (const content of step.content.filter(isObject)) readInteractionContent(content, events);
        }
        return isObject(step.error) ? failureOfInnerError({ error: step.error }) : undefined;
      default:
        readInteractionContent(step, events);
        return undefined;
    }
  }

  /** @param known the call that began with the same index; another id begins another call */
  #tellCall(call: JsonObject, args: string | undefined, events: ChatEvent[], known?: ToolCall): ToolCall {
    const id = nonEmptyString(call.id);
    const isKnown = known !== undefined && (id === undefined || known.id === undefined || id === known.id);
    const index = isKnown ? known.position : this.#callCount++;
    const name = nonEmptyString(call.name);
    events.push({
      type: 'toolCall',
      choice: 0,
      index,
      ...(id && { id }),
      ...(name && { name }),
      ...(args && { arguments: args }),
    });
    return { position: index, id: id ?? (isKnown ? known.id : undefined) };
  }

  #tellArguments(index: number, delta: JsonObject, events: ChatEvent[]): void {
    const call = this.#calls.get(index);
    const text = nonEmptyString(delta.arguments);
    if (call !== undefined && text)
      events.push({ type: 'toolCall', choice: 0, index: call.position, arguments: text });
  }
}

/** Arguments that will be streamed begin as an empty object, which is no part of their text. */
function argumentsText(args: unknown): string | undefined {
  if (!isObject(args)) return nonEmptyString(args);
  return Object.keys(args).length > 0 ? deepJsonText(args) : undefined;
}

function isIndex(index: unknown): index is number {
  return Number.isSafeInteger(index) && (index as number) >= 0;
}
