import { deepJsonText, isCount, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import {
  createTooManyPartsFailure,
  type FailureDetails,
  readInnerFailure,
} from '../../failures/replyFailure.ts';

/** The most steps of one interaction. Real interactions have far fewer. */
const maxSteps = 4_096;

interface ToolCall {
  readonly position: number;
  readonly id: string | undefined;
}

/**
 * Reads the steps of an interaction, streamed or whole, in either schema: steps with contents, or a flat list of
 * contents. The user's input, which some replies repeat, is ignored.
 */
export class InteractionSteps {
  /** The tool call of a step by the step's index; undefined for any other step. */
  readonly #calls = new Map<number, ToolCall | undefined>();
  /** The indices of steps that repeat the user's input. */
  readonly #inputSteps = new Set<number>();
  #callCount = 0;

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** Called for the start of a step. Its content is read immediately. */
  start(index: unknown, step: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    if (!isCount(index)) return undefined;
    if (index >= maxSteps) return createTooManyPartsFailure(maxSteps);
    if (step.type === 'user_input') this.#inputSteps.add(index);
    if (step.type !== 'function_call') return this.read(step, events);
    this.#calls.set(index, this.#reportCall(step, readArguments(step.arguments), events));
    return undefined;
  }

  readDelta(index: unknown, delta: JsonObject, events: ChatEvent[]): void {
    if (!isCount(index) || this.#inputSteps.has(index)) return;
    if (delta.type === 'arguments_delta') this.#reportArguments(index, delta, events);
    else if (delta.type === 'function_call') {
      const args = readArguments(delta.arguments);
      this.#calls.set(index, this.#reportCall(delta, args, events, this.#calls.get(index)));
    } else readInteractionContent(delta, events);
  }

  /** Reads a whole step, or a whole content of the flat schema. */
  read(step: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    switch (step.type) {
      case 'user_input':
        return undefined;
      case 'function_call':
        this.#reportCall(step, readArguments(step.arguments) ?? '{}', events);
        return undefined;
      case 'model_output':
        if (Array.isArray(step.content)) {
          for (const content of step.content.filter(isObject)) readInteractionContent(content, events);
        }
        return isObject(step.error) ? readInnerFailure({ error: step.error }) : undefined;
      default:
        readInteractionContent(step, events);
        return undefined;
    }
  }

  /** @param previous the call that began with the same index; another id begins another call */
  #reportCall(
    call: JsonObject,
    args: string | undefined,
    events: ChatEvent[],
    previous?: ToolCall,
  ): ToolCall {
    const id = nonEmptyString(call.id);
    const isSameCall =
      previous !== undefined && (id === undefined || previous.id === undefined || id === previous.id);
    const index = isSameCall ? previous.position : this.#callCount++;
    const name = nonEmptyString(call.name);
    events.push({
      type: 'toolCall',
      choice: 0,
      index,
      ...(id && { id }),
      ...(name && { name }),
      ...(args && { arguments: args }),
    });
    return { position: index, id: id ?? (isSameCall ? previous.id : undefined) };
  }

  #reportArguments(index: number, delta: JsonObject, events: ChatEvent[]): void {
    const call = this.#calls.get(index);
    const text = nonEmptyString(delta.arguments);
    if (call !== undefined && text)
      events.push({ type: 'toolCall', choice: 0, index: call.position, arguments: text });
  }
}

/** The text of arguments; undefined for an empty object, which only announces streamed arguments. */
function readArguments(args: unknown): string | undefined {
  if (!isObject(args)) return nonEmptyString(args);
  return Object.keys(args).length > 0 ? deepJsonText(args) : undefined;
}

/** The kinds of media, and the media type of contents without a type. */
const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image/png'],
  ['audio', 'audio/wav'],
  ['video', 'video/mp4'],
  ['document', 'application/pdf'],
]);

/** Reads a content or a delta: text with its sources, media, or thinking. */
function readInteractionContent(content: JsonObject, events: ChatEvent[]): void {
  switch (content.type) {
    case 'text':
      readText(content, events);
      return;
    case 'text_annotation':
    case 'text_annotation_delta':
      readAnnotations(content.annotations, events);
      return;
    case 'thought':
      readThought(content, events);
      return;
    case 'thought_summary':
      reportReasoning(readSummary(content.content), undefined, events);
      return;
    case 'thought_signature':
      reportReasoning('', nonEmptyString(content.signature), events);
      return;
    default:
      readMedia(content, events);
  }
}

function readText(content: JsonObject, events: ChatEvent[]): void {
  const text = nonEmptyString(content.text);
  if (text) events.push({ type: 'text', choice: 0, text });
  readAnnotations(content.annotations, events);
}

/** A whole thought, in either schema. */
function readThought(thought: JsonObject, events: ChatEvent[]): void {
  const text = readSummary(thought.summary) || (nonEmptyString(thought.text) ?? '');
  reportReasoning(text, nonEmptyString(thought.signature), events);
}

function reportReasoning(text: string, signature: string | undefined, events: ChatEvent[]): void {
  if (!text && !signature) return;
  events.push({ type: 'reasoning', choice: 0, text, ...(signature && { signature }) });
}

function readSummary(summary: unknown): string {
  if (typeof summary === 'string') return summary;
  const contents = Array.isArray(summary) ? summary : [summary];
  return contents.map((content) => (isObject(content) ? (nonEmptyString(content.text) ?? '') : '')).join('');
}

function readAnnotations(annotations: unknown, events: ChatEvent[]): void {
  if (!Array.isArray(annotations)) return;
  for (const annotation of annotations.filter(isObject)) {
    const url = nonEmptyString(annotation.url) ?? nonEmptyString(annotation.source);
    const title = nonEmptyString(annotation.title) ?? nonEmptyString(annotation.file_name);
    if (url || title) {
      events.push({ type: 'citation', choice: 0, ...(url && { url }), ...(title && { title }) });
    }
  }
}

function readMedia(content: JsonObject, events: ChatEvent[]): void {
  const defaultType = mediaTypes.get(content.type);
  if (defaultType === undefined) return;
  const mimeType = nonEmptyString(content.mime_type) ?? defaultType;
  const data = nonEmptyString(content.data);
  const url = nonEmptyString(content.uri);
  if (data) events.push({ type: 'media', choice: 0, mimeType, data });
  else if (url) events.push({ type: 'mediaLink', choice: 0, mimeType, url });
}
