import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

type Index = number | string | undefined;

interface ToolCall {
  readonly position: number;
  readonly index: Index;
  id: string | undefined;
  named: boolean;
}

/**
 * Assigns fragments to the tool calls of one choice: by their index, without one by their id, without both to
 * the call that was open last. Another id under the same index is another call, and so is the same id under
 * another index.
 */
export class ToolCalls {
  /** The last call that began with an index. */
  readonly #byIndex = new Map<Index, ToolCall>();
  readonly #byId = new Map<string, ToolCall>();
  #count = 0;
  #last: ToolCall | undefined;

  read(delta: JsonObject, choice: number, events: ChatEvent[]): void {
    const { tool_calls: fragments, function_call: legacy } = delta;
    if (Array.isArray(fragments)) {
      for (const fragment of fragments) if (isObject(fragment)) this.#readFragment(fragment, choice, events);
    }
    if (isObject(legacy)) this.#readFragment({ index: 0, function: legacy }, choice, events);
  }

  #readFragment(fragment: JsonObject, choice: number, events: ChatEvent[]): void {
    const body = calledTool(fragment);
    const id = nonEmptyString(fragment.id);
    const name = nonEmptyString(body.name);
    const call = this.#callOf(fragment.index, id, name);
    const text = argumentsText(body.arguments ?? body.input);
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

  #callOf(told: unknown, id: string | undefined, name: string | undefined): ToolCall {
    const index = typeof told === 'number' || typeof told === 'string' ? told : undefined;
    const call = this.#known(index, id, name) ?? this.#open(index, id);
    call.id ??= id;
    call.named ||= name !== undefined;
    if (index !== undefined) this.#byIndex.set(index, call);
    if (call.id !== undefined) this.#byId.set(call.id, call);
    this.#last = call;
    return call;
  }

  #known(index: Index, id: string | undefined, name: string | undefined): ToolCall | undefined {
    if (index === undefined && id === undefined) {
      // Whole calls with neither index nor id have a name each.
      return name && this.#last?.named ? undefined : this.#last;
    }
    const indexed = index === undefined ? undefined : this.#byIndex.get(index);
    if (id === undefined) return indexed;
    if (indexed && (indexed.id === undefined || indexed.id === id)) return indexed;
    const identified = this.#byId.get(id);
    const sameIndex = index === undefined || identified?.index === undefined || identified.index === index;
    return sameIndex ? identified : undefined;
  }

  #open(index: Index, id: string | undefined): ToolCall {
    return { position: this.#count++, index, id, named: false };
  }
}

/** What a fragment says of its call: of a function, or of a custom tool, whose input is text. */
function calledTool({ function: called, custom }: JsonObject): JsonObject {
  if (isObject(called)) return called;
  return isObject(custom) ? custom : {};
}

/** Arguments arrive as pieces of JSON text; a few servers send the object. */
function argumentsText(value: unknown): string | undefined {
  return isObject(value) ? deepJsonText(value) : nonEmptyString(value);
}

/** The signature that some providers want back with the call, under the provider's own name. */
export function thoughtSignature(extraContent: unknown): string | undefined {
  if (!isObject(extraContent)) return undefined;
  const extras = Object.values(extraContent).filter(isObject);
  return extras.map((extra) => nonEmptyString(extra.thought_signature)).find(Boolean);
}
