import { deepJsonText, isObject, type JsonObject, nonEmptyString, objectsIn } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

type Index = number | string | undefined;

interface ToolCall {
  readonly position: number;
  readonly index: Index;
  id: string | undefined;
  name: string | undefined;
  /** Whether its first fragment contained all arguments. */
  isComplete: boolean;
}

/**
 * Assigns fragments to the tool calls of one choice: by index, otherwise by id, otherwise to the last open call. A
 * fragment belongs to another call if it has another id under the same index, the same id under another index, or a
 * name and all arguments after a complete call.
 */
export class ToolCalls {
  /** The latest call of each index. */
  readonly #byIndex = new Map<Index, ToolCall>();
  readonly #byId = new Map<string, ToolCall>();
  #count = 0;
  #last: ToolCall | undefined;

  read(delta: JsonObject, choice: number, events: ChatEvent[]): void {
    for (const fragment of listCallFragments(delta)) this.#readFragment(fragment, choice, events);
  }

  #readFragment(fragment: JsonObject, choice: number, events: ChatEvent[]): void {
    const body = findTool(fragment);
    const id = nonEmptyString(fragment.id);
    const name = nonEmptyString(body.name);
    const text = readArguments(body.arguments ?? body.input ?? body.parameters);
    const call = this.#assignCall(fragment.index, id, name, isCompleteObject(text));
    const signature = readThoughtSignature(fragment.extra_content);
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

  #assignCall(
    rawIndex: unknown,
    id: string | undefined,
    name: string | undefined,
    isComplete: boolean,
  ): ToolCall {
    const index = typeof rawIndex === 'number' || typeof rawIndex === 'string' ? rawIndex : undefined;
    const existing = this.#findCall(index, id, name);
    const call =
      existing && !isAnotherCall(existing, id, name, isComplete)
        ? existing
        : this.#createCall(index, id, isComplete);
    call.id ??= id;
    call.name ??= name;
    if (index !== undefined) this.#byIndex.set(index, call);
    if (call.id !== undefined) this.#byId.set(call.id, call);
    this.#last = call;
    return call;
  }

  #findCall(index: Index, id: string | undefined, name: string | undefined): ToolCall | undefined {
    if (index === undefined && id === undefined) {
      // Every whole call without an index and an id has a name, so a second name begins another call.
      return name && this.#last?.name ? undefined : this.#last;
    }
    const callWithIndex = index === undefined ? undefined : this.#byIndex.get(index);
    if (id === undefined) return callWithIndex;
    if (callWithIndex && (callWithIndex.id === undefined || callWithIndex.id === id)) return callWithIndex;
    const callWithId = this.#byId.get(id);
    const hasSameIndex = index === undefined || callWithId?.index === undefined || callWithId.index === index;
    return hasSameIndex ? callWithId : undefined;
  }

  #createCall(index: Index, id: string | undefined, isComplete: boolean): ToolCall {
    return { position: this.#count++, index, id, name: undefined, isComplete };
  }
}

/** The fragments of calls in a delta or a message, in any of the known members. */
export function listCallFragments(delta: JsonObject): readonly JsonObject[] {
  const { tool_calls: fragments, content, function_call: legacy } = delta;
  return [
    // A few relays send a single call instead of a list.
    ...(isObject(fragments) ? [fragments] : objectsIn(fragments)),
    // Relays of Claude return its calls as parts of the content.
    ...objectsIn(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, input })),
    ...(isObject(legacy) ? [{ index: 0, function: legacy }] : []),
  ];
}

/**
 * Whether a fragment without an id begins another call under the same index: some servers use the index 0 for all
 * calls.
 */
function isAnotherCall(
  call: ToolCall,
  id: string | undefined,
  name: string | undefined,
  isComplete: boolean,
): boolean {
  if (id !== undefined || call.id !== undefined || name === undefined || call.name === undefined)
    return false;
  return call.isComplete && (isComplete || name !== call.name);
}

function isCompleteObject(text = ''): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

/**
 * The tool in a fragment: a function, or a custom tool with text input. Some fragments have neither member and are
 * the tool themselves.
 */
function findTool(fragment: JsonObject): JsonObject {
  const { function: definition, custom } = fragment;
  if (isObject(definition)) return definition;
  return isObject(custom) ? custom : fragment;
}

/** Arguments arrive as pieces of JSON text. A few servers send the parsed value. */
function readArguments(value: unknown): string | undefined {
  return isObject(value) || Array.isArray(value) ? deepJsonText(value) : nonEmptyString(value);
}

/** The signature of a call, in a member named after its provider. Some providers require it in the next turn. */
export function readThoughtSignature(extraContent: unknown): string | undefined {
  if (!isObject(extraContent)) return undefined;
  const extras = Object.values(extraContent).filter(isObject);
  return extras.map((extra) => nonEmptyString(extra.thought_signature)).find(Boolean);
}
