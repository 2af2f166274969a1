import { deepJsonText, isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import { createTooManyPartsFailure, type FailureDetails } from '../../failures/replyFailure.ts';

/** The most items of one response. Real responses have far fewer. */
const maxItems = 4_096;

type PartKind = 'text' | 'refusal' | 'reasoning' | 'signature' | 'arguments' | 'citation' | 'media';

interface Item {
  /** The parts of the item that events reported. The last event of an item repeats them, so they are then skipped. */
  readonly reportedParts: Set<PartKind>;
  /** The position of a call among the tool calls. */
  position?: number;
  callId?: string;
  itemId?: string;
  /** The arguments at the start of a call. They are used if no later event has arguments. */
  earlyArguments?: string;
  /** The index of the last part of its summary. */
  summaryIndex?: unknown;
}

/** Reads the output items of one response, streamed, whole, or both in this order. */
export class ResponsesOutput {
  readonly #items = new Map<unknown, Item>();
  /** Calls by both ids that events use: the call's id and the item's id. */
  readonly #calls = new Map<string, Item>();
  readonly #reportedParts = new Set<PartKind>();
  #callCount = 0;
  #last: Item | undefined;

  /** The error in the output so far, if any. */
  get failure(): FailureDetails | undefined {
    return this.#items.size > maxItems ? createTooManyPartsFailure(maxItems) : undefined;
  }

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** Reads one event of a stream. Events without output are ignored. */
  readEvent(event: JsonObject, events: ChatEvent[]): void {
    const item = this.#callById(event) ?? this.#findItem(event);
    switch (event.type) {
      case 'response.output_text.delta':
        this.#addText(item, 'text', event.delta, events);
        break;
      case 'response.refusal.delta':
        this.#addText(item, 'refusal', event.delta, events);
        break;
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.#addReasoning(item, event, events);
        break;
      case 'response.output_text.annotation.added':
        this.#addCitation(item, event.annotation, events);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#addArguments(item, event.delta, events);
        break;
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        if (!item.reportedParts.has('arguments'))
          this.#addArguments(item, event.arguments ?? event.input, events);
        break;
      case 'response.output_item.added':
        if (!isCall(event.item)) break;
        this.#openCall(item, event.item, events);
        item.earlyArguments = writeArguments(readArguments(event.item));
        break;
      case 'response.output_item.done':
        if (isObject(event.item)) this.#readItem(item, event.item, events);
        break;
    }
  }

  /** Reads the output of a whole response. After a stream, it reads only the parts that no event reported. */
  readComplete({ output, output_text: text }: JsonObject, events: ChatEvent[]): void {
    const reported = new Set(this.#reportedParts);
    for (const item of Array.isArray(output) ? output : []) {
      if (!isObject(item)) continue;
      const call = this.#findCall(item);
      if (call) {
        if (!call.reportedParts.has('arguments')) this.#addArguments(call, readArguments(item), events);
        continue;
      }
      if (isCall(item)) reported.delete('arguments');
      this.#readItem({ reportedParts: new Set(reported) }, item, events);
    }
    for (const item of new Set(this.#calls.values()))
      if (!item.reportedParts.has('arguments')) this.#addArguments(item, item.earlyArguments, events);
    if (!this.#reportedParts.has('text')) this.#addText({ reportedParts: new Set() }, 'text', text, events);
  }

  #findCall(item: JsonObject): Item | undefined {
    return isCall(item) && typeof item.call_id === 'string' ? this.#calls.get(item.call_id) : undefined;
  }

  /**
   * The call of an event by its id, because two calls may have the same position in the output. Ids of other items
   * are ignored, because relays write new ones into every event.
   */
  #callById({ item_id, output_index, item }: JsonObject): Item | undefined {
    const position = output_index ?? (isObject(item) ? item.id : item_id);
    const itemAtPosition = this.#items.get(position);
    const id = isCall(item) ? nonEmptyString(item.call_id) : nonEmptyString(item_id);
    if (id === undefined || itemAtPosition?.callId === id || itemAtPosition?.itemId === id) return undefined;
    const call = this.#calls.get(id);
    if (call) this.#last = call;
    // Another call begins at this position.
    else if (isCall(item) && itemAtPosition?.callId !== undefined) this.#items.delete(position);
    return call;
  }

  /** An event identifies its item by position, otherwise by id; without both, it is the previous item. */
  #findItem({ output_index, item_id, item }: JsonObject): Item {
    const key = output_index ?? item_id ?? (isObject(item) ? item.id : undefined);
    this.#last = (key === undefined ? this.#last : this.#items.get(key)) ?? this.#openItem(key);
    return this.#last;
  }

  #openItem(key: unknown): Item {
    const item: Item = { reportedParts: new Set() };
    this.#items.set(key, item);
    return item;
  }

  #readItem(item: Item, finished: JsonObject, events: ChatEvent[]): void {
    switch (finished.type) {
      case 'message':
        this.#readContent(item, finished.content, events);
        break;
      case 'reasoning':
        this.#readReasoning(item, finished, events);
        break;
      case 'image_generation_call':
        this.#addImage(item, finished, events);
        break;
      default:
        if (!isCall(finished)) break;
        this.#openCall(item, finished, events);
        if (!item.reportedParts.has('arguments')) this.#addArguments(item, readArguments(finished), events);
    }
  }

  #readContent(item: Item, content: unknown, events: ChatEvent[]): void {
    const reported = new Set(item.reportedParts);
    for (const part of objectsIn(content)) {
      if (!reported.has('text')) this.#addText(item, 'text', part.text, events);
      if (!reported.has('refusal')) this.#addText(item, 'refusal', part.refusal, events);
      if (reported.has('citation')) continue;
      for (const annotation of objectsIn(part.annotations)) this.#addCitation(item, annotation, events);
    }
  }

  #readReasoning(item: Item, { summary, content, encrypted_content }: JsonObject, events: ChatEvent[]): void {
    if (!item.reportedParts.has('reasoning')) {
      const texts = [...objectsIn(summary), ...objectsIn(content)].map(
        ({ text }) => nonEmptyString(text) ?? '',
      );
      this.#addText(item, 'reasoning', texts.filter(Boolean).join('\n\n'), events);
    }
    const signature = nonEmptyString(encrypted_content);
    if (signature === undefined || item.reportedParts.has('signature')) return;
    this.#markReported(item, 'signature');
    events.push({ type: 'reasoning', choice: 0, text: '', signature });
  }

  /** Each part of a summary is a paragraph. */
  #addReasoning(item: Item, { delta, summary_index: index }: JsonObject, events: ChatEvent[]): void {
    const startsParagraph =
      index !== item.summaryIndex && item.reportedParts.has('reasoning') && nonEmptyString(delta);
    item.summaryIndex = index;
    this.#addText(item, 'reasoning', startsParagraph ? `\n\n${delta}` : delta, events);
  }

  #addText(item: Item, kind: 'text' | 'refusal' | 'reasoning', text: unknown, events: ChatEvent[]): void {
    if (typeof text !== 'string' || text === '') return;
    this.#markReported(item, kind);
    events.push({ type: kind, choice: 0, text });
  }

  #openCall(item: Item, call: JsonObject, events: ChatEvent[]): void {
    const itemId = nonEmptyString(call.id);
    const id = nonEmptyString(call.call_id) ?? itemId;
    const name = nonEmptyString(call.name) ?? readBuiltInName(call);
    // The arguments of the call may have arrived first.
    if (item.callId !== undefined || (item.position !== undefined && id === undefined)) return;
    item.position ??= this.#callCount++;
    if (id) item.callId = id;
    if (itemId) item.itemId = itemId;
    for (const each of [id, itemId]) if (each) this.#calls.set(each, item);
    events.push({
      type: 'toolCall',
      choice: 0,
      index: item.position,
      ...(id && { id }),
      ...(name && { name }),
    });
  }

  #addArguments(item: Item, args: unknown, events: ChatEvent[]): void {
    const text = writeArguments(args);
    if (text === undefined) return;
    item.position ??= this.#callCount++;
    this.#markReported(item, 'arguments');
    events.push({ type: 'toolCall', choice: 0, index: item.position, arguments: text });
  }

  #addCitation(item: Item, annotation: unknown, events: ChatEvent[]): void {
    if (!isObject(annotation)) return;
    const url = nonEmptyString(annotation.url);
    const title = nonEmptyString(annotation.title) ?? nonEmptyString(annotation.filename);
    if (!url && !title) return;
    this.#markReported(item, 'citation');
    events.push({ type: 'citation', choice: 0, ...(url && { url }), ...(title && { title }) });
  }

  #addImage(item: Item, { result, output_format }: JsonObject, events: ChatEvent[]): void {
    const data = nonEmptyString(result);
    if (data === undefined || item.reportedParts.has('media')) return;
    this.#markReported(item, 'media');
    const mimeType = `image/${nonEmptyString(output_format) ?? 'png'}`;
    events.push({ type: 'media', choice: 0, mimeType, data });
  }

  #markReported(item: Item, kind: PartKind): void {
    item.reportedParts.add(kind);
    this.#reportedParts.add(kind);
  }
}

const functionCallTypes: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

/** Whether an item is a call that the caller resolves, including calls of a shell, a patch or a computer. */
export function isCall(item: unknown): item is JsonObject {
  if (!isObject(item)) return false;
  if (functionCallTypes.has(item.type)) return true;
  const isResolvedByCaller = typeof item.call_id === 'string' && item.execution !== 'server';
  return isResolvedByCaller && typeof item.type === 'string' && item.type.endsWith('_call');
}

function readBuiltInName({ type }: JsonObject): string | undefined {
  return functionCallTypes.has(type) ? undefined : nonEmptyString(type)?.replace(/_call$/, '');
}

function readArguments({ arguments: text, input, action, actions, operation }: JsonObject): unknown {
  return text ?? input ?? action ?? actions ?? operation;
}

function writeArguments(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? deepJsonText(value) : nonEmptyString(value);
}
