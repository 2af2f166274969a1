import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

type Index = number | string | undefined;

interface ToolCall {
  readonly position: number;
  readonly index: Index;
  id: string | undefined;
  name: string | undefined;
  /** Whether its first fragment held all of its arguments. */
  whole: boolean;
}

/**
 * Assigns fragments to the tool calls of one choice: by their index, without one by their id, without both to
 * the call that was open last. Another id under the same index is another call, and so is the same id under
 * another index, or a further call with its name and all of its arguments.
 */
export class ToolCalls {
  /** The last call that began with an index. */
  readonly #byIndex = new Map<Index, ToolCall>();
  readonly #byId = new Map<string, ToolCall>();
  #count = 0;
  #last: ToolCall | undefined;

  read(delta: JsonObject, choice: number, events: ChatEvent[]): void {
    for (const fragment of callFragments(delta)) this.#readFragment(fragment, choice, events);
  }

  #readFragment(fragment: JsonObject, choice: number, events: ChatEvent[]): void {
    const body = calledTool(fragment);
    const id = nonEmptyString(fragment.id);
    const name = nonEmptyString(body.name);
    const text = argumentsText(body.arguments ?? body.input ?? body.parameters);
    const call = this.#callOf(fragment.index, id, name, isWhole(text));
    const signature = thoughtSignature(fragment.extra_content);
    events.push({
      type: 'toolCall',
      choice,
      index: call.position,
      ...(id && { id }),
      ...(name && { name }),
      ...(text && { arguments: text }),
      ...(signature && { signature }),
    });
  }

  #callOf(told: unknown, id: string | undefined, name: string | undefined, whole: boolean): ToolCall {
    const index = typeof told === 'number' || typeof told === 'string' ? told : undefined;
    const known = this.#known(index, id, name);
    const call = known && !isFurther(known, id, name, whole) ? known : this.#open(index, id, whole);
    call.id ??= id;
    call.name ??= name;
    if (index !== undefined) this.#byIndex.set(index, call);
    if (call.id !== undefined) this.#byId.set(call.id, call);
    this.#last = call;
    return call;
  }

  #known(index: Index, id: string | undefined, name: string | undefined): ToolCall | undefined {
    if (index === undefined && id === undefined) {
      // Whole calls with neither index nor id have a name each.
      return name && this.#last?.name ? undefined : this.#last;
    }
    const indexed = index === undefined ? undefined : this.#byIndex.get(index);
    if (id === undefined) return indexed;
    if (indexed && (indexed.id === undefined || indexed.id === id)) return indexed;
    const identified = this.#byId.get(id);
    const sameIndex = index === undefined || identified?.index === undefined || identified.index === index;
    return sameIndex ? identified : undefined;
  }

  #open(index: Index, id: string | undefined, whole: boolean): ToolCall {
    return { position: this.#count++, index, id, name: undefined, whole };
  }
}

/** The fragments of calls in a delta or a message, in any of their places. */
export function callFragments(delta: JsonObject): readonly JsonObject[] {
  const { tool_calls: fragments, content, function_call: legacy } = delta;
  return [
    // A few relays send the only call without its list.
    ...(isObject(fragments) ? [fragments] : objectsIn(fragments)),
    // Relays of Claude leave its calls in the content.
    ...objectsIn(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, input })),
    ...(isObject(legacy) ? [{ index: 0, function: legacy }] : []),
  ];
}

/** Whether a fragment without ids is not of the call with its index: some servers give all calls the index 0. */
function isFurther(
  known: ToolCall,
  id: string | undefined,
  name: string | undefined,
  whole: boolean,
): boolean {
  if (id !== undefined || known.id !== undefined || name === undefined || known.name === undefined)
    return false;
  return known.whole && (whole || name !== known.name);
}

function isWhole(text = ''): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

/** What a fragment says of its call: of a function, or of a custom tool, whose input is text; some leave out either. */
function calledTool(fragment: JsonObject): JsonObject {
  const { function: called, custom } = fragment;
  if (isObject(called)) return called;
  return isObject(custom) ? custom : fragment;
}

/** Arguments arrive as pieces of JSON text; a few servers send the value. */
function argumentsText(value: unknown): string | undefined {
  return isObject(value) || Array.isArray(value) ? deepJsonText(value) : nonEmptyString(value);
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The signature that some providers want back with the call, under the provider's own name. */
export function thoughtSignature(extraContent: unknown): string | undefined {
  if (!isObject(extraContent)) return undefined;
  const extras = Object.values(extraContent).filter(isObject);
  return extras.map((extra) => nonEmptyString(extra.thought_signature)).find(Boolean);
}
