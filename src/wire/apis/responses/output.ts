import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import { type FailureDetails, tooManyParts } from '../../errorMapping.ts';

/** The most items of one response, far more than models write. */
const maxItems = 4_096;

type Said = 'text' | 'refusal' | 'reasoning' | 'signature' | 'arguments' | 'citation' | 'media';

interface Item {
  /** What events reported of the item. Its last event holds all of it again and adds only the rest. */
  readonly said: Set<Said>;
  /** Position among the tool calls, for a call. */
  position?: number;
  callId?: string;
  itemId?: string;
  /** Arguments that came with the start of a call, for a stream that sends no more. */
  early?: string;
  /** The index of the last part of its summary. */
  part?: unknown;
}

/** Reads the output items of one response, streamed, whole, or both in this order. */
export class ResponsesOutput {
  readonly #items = new Map<unknown, Item>();
  /** Calls by both ids that events use: that of the call and that of the item. */
  readonly #calls = new Map<string, Item>();
  readonly #said = new Set<Said>();
  #callCount = 0;
  #last: Item | undefined;

  /** What is wrong with the output so far, if anything. */
  get failure(): FailureDetails | undefined {
    return this.#items.size > maxItems ? tooManyParts(maxItems) : undefined;
  }

  get hasCalls(): boolean {
    return this.#callCount > 0;
  }

  /** Reads one event of a stream. Events without output are ignored. */
  readEvent(event: JsonObject, events: ChatEvent[]): void {
    const item = this.#callNamed(event) ?? this.#itemOf(event);
    switch (event.type) {
      case 'response.output_text.delta':
        this.#say(item, 'text', event.delta, events);
        break;
      case 'response.refusal.delta':
        this.#say(item, 'refusal', event.delta, events);
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
        if (!item.said.has('arguments')) this.#addArguments(item, event.arguments ?? event.input, events);
        break;
      case 'response.output_item.added':
        if (!isCall(event.item)) break;
        this.#openCall(item, event.item, events);
        item.early = textOfArguments(argumentsOf(event.item));
        break;
      case 'response.output_item.done':
        if (isObject(event.item)) this.#readItem(item, event.item, events);
        break;
    }
  }

  /** Reads the output of a whole response. After a stream it reads only what no event reported. */
  readWhole({ output, output_text: text }: JsonObject, events: ChatEvent[]): void {
    const told = new Set(this.#said);
    for (const item of Array.isArray(output) ? output : []) {
      if (!isObject(item)) continue;
      const known = this.#knownCall(item);
      if (known) {
        if (!known.said.has('arguments')) this.#addArguments(known, argumentsOf(item), events);
        continue;
      }
      if (isCall(item)) told.delete('arguments');
      this.#readItem({ said: new Set(told) }, item, events);
    }
    for (const item of new Set(this.#calls.values()))
      if (!item.said.has('arguments')) this.#addArguments(item, item.early, events);
    if (!this.#said.has('text')) this.#say({ said: new Set() }, 'text', text, events);
  }

  #knownCall(item: JsonObject): Item | undefined {
    return isCall(item) && typeof item.call_id === 'string' ? this.#calls.get(item.call_id) : undefined;
  }

  /**
   * The call of an event by its id, since two calls may have the same position in the output. Ids of other
   * items are ignored, because relays write new ones into every event.
   */
  #callNamed({ item_id, output_index, item }: JsonObject): Item | undefined {
    const place = output_index ?? (isObject(item) ? item.id : item_id);
    const placed = this.#items.get(place);
    const id = isCall(item) ? nonEmptyString(item.call_id) : nonEmptyString(item_id);
    if (id === undefined || placed?.callId === id || placed?.itemId === id) return undefined;
    const known = this.#calls.get(id);
    if (known) this.#last = known;
    // Another call begins at this position.
    else if (isCall(item) && placed?.callId !== undefined) this.#items.delete(place);
    return known;
  }

  /** An event names its item by position, otherwise by id; without both, it is the item before. */
  #itemOf({ output_index, item_id, item }: JsonObject): Item {
    const key = output_index ?? item_id ?? (isObject(item) ? item.id : undefined);
    const known = key === undefined ? this.#last : this.#items.get(key);
    this.#last = known ?? this.#openItem(key);
    return this.#last;
  }

  #openItem(key: unknown): Item {
    const item: Item = { said: new Set() };
    this.#items.set(key, item);
    return item;
  }

  #readItem(item: Item, whole: JsonObject, events: ChatEvent[]): void {
    switch (whole.type) {
      case 'message':
        this.#readContent(item, whole.content, events);
        break;
      case 'reasoning':
        this.#readReasoning(item, whole, events);
        break;
      case 'image_generation_call':
        this.#addImage(item, whole, events);
        break;
      default:
        if (!isCall(whole)) break;
        this.#openCall(item, whole, events);
        if (!item.said.has('arguments')) this.#addArguments(item, argumentsOf(whole), events);
    }
  }

  #readContent(item: Item, content: unknown, events: ChatEvent[]): void {
    const told = new Set(item.said);
    for (const part of objects(content)) {
      if (!told.has('text')) this.#say(item, 'text', part.text, events);
      if (!told.has('refusal')) this.#say(item, 'refusal', part.refusal, events);
      if (told.has('citation')) continue;
      for (const annotation of objects(part.annotations)) this.#addCitation(item, annotation, events);
    }
  }

  #readReasoning(item: Item, { summary, content, encrypted_content }: JsonObject, events: ChatEvent[]): void {
    if (!item.said.has('reasoning')) {
      const texts = [...objects(summary), ...objects(content)].map(({ text }) => nonEmptyString(text) ?? '');
      this.#say(item, 'reasoning', texts.filter(Boolean).join('\n\n'), events);
    }
    const signature = nonEmptyString(encrypted_content);
    if (signature === undefined || item.said.has('signature')) return;
    this.#note(item, 'signature');
    events.push({ type: 'reasoning', choice: 0, text: '', signature });
  }

  /** Each part of a summary is a paragraph. */
  #addReasoning(item: Item, { delta, summary_index: part }: JsonObject, events: ChatEvent[]): void {
    const apart = part !== item.part && item.said.has('reasoning') && nonEmptyString(delta);
    item.part = part;
    this.#say(item, 'reasoning', apart ? `\n\n${delta}` : delta, events);
  }

  #say(item: Item, kind: 'text' | 'refusal' | 'reasoning', text: unknown, events: ChatEvent[]): void {
    if (typeof text !== 'string' || text === '') return;
    this.#note(item, kind);
    events.push({ type: kind, choice: 0, text });
  }

  #openCall(item: Item, call: JsonObject, events: ChatEvent[]): void {
    const itemId = nonEmptyString(call.id);
    const id = nonEmptyString(call.call_id) ?? itemId;
    const name = nonEmptyString(call.name) ?? builtInName(call);
    // Its arguments may have come before it.
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

  #addArguments(item: Item, told: unknown, events: ChatEvent[]): void {
    const text = textOfArguments(told);
    if (text === undefined) return;
    item.position ??= this.#callCount++;
    this.#note(item, 'arguments');
    events.push({ type: 'toolCall', choice: 0, index: item.position, arguments: text });
  }

  #addCitation(item: Item, annotation: unknown, events: ChatEvent[]): void {
    if (!isObject(annotation)) return;
    const url = nonEmptyString(annotation.url);
    const title = nonEmptyString(annotation.title) ?? nonEmptyString(annotation.filename);
    if (!url && !title) return;
    this.#note(item, 'citation');
    events.push({ type: 'citation', choice: 0, ...(url && { url }), ...(title && { title }) });
  }

  #addImage(item: Item, { result, output_format }: JsonObject, events: ChatEvent[]): void {
    const data = nonEmptyString(result);
    if (data === undefined || item.said.has('media')) return;
    this.#note(item, 'media');
    const mimeType = `image/${nonEmptyString(output_format) ?? 'png'}`;
    events.push({ type: 'media', choice: 0, mimeType, data });
  }

  #note(item: Item, kind: Said): void {
    item.said.add(kind);
    this.#said.add(kind);
  }
}

const ownCalls: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

/** Whether an item is a call for the caller: also of a shell, a patch or a computer, which have the id of a call. */
export function isCall(item: unknown): item is JsonObject {
  if (!isObject(item)) return false;
  if (ownCalls.has(item.type)) return true;
  const isAnswered = typeof item.call_id === 'string' && item.execution !== 'server';
  return isAnswered && typeof item.type === 'string' && item.type.endsWith('_call');
}

function builtInName({ type }: JsonObject): string | undefined {
  return ownCalls.has(type) ? undefined : nonEmptyString(type)?.replace(/_call$/, '');
}

function argumentsOf({ arguments: text, input, action, actions, operation }: JsonObject): unknown {
  return text ?? input ?? action ?? actions ?? operation;
}

function textOfArguments(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? deepJsonText(value) : nonEmptyString(value);
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
