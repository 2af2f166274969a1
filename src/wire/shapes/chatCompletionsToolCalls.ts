import type { ChatEvent } from '../chatEvent.ts';
import { isObject, type JsonObject, jsonText, nonEmptyString } from '../json.ts';

/** Far more calls than one turn makes; what comes beyond is dropped. */
const MAX_CALLS = 1024;

interface ToolCall {
  readonly position: number;
  named: boolean;
}

/**
 * Tells the fragments of one choice's tool calls apart. The index joins them; where a gateway leaves it
 * out the id does, and without both a fragment belongs to the call that was open last.
 */
export class ToolCalls {
  readonly #calls = new Map<number | string, ToolCall>();
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
    const body = isObject(fragment.function) ? fragment.function : {};
    const id = nonEmptyString(fragment.id);
    const name = nonEmptyString(body.name);
    const call = this.#callOf(fragment.index, id, name);
    if (!call) return;
    const text = argumentsText(body.arguments);
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

  #callOf(index: unknown, id: string | undefined, name: string | undefined): ToolCall | undefined {
    const keys = [index, id].filter((key) => typeof key === 'number' || typeof key === 'string');
    // Whole calls with neither index nor id follow each other: each brings its own name.
    const continued =
      keys.length > 0 ? this.#known(keys) : name && this.#last?.named ? undefined : this.#last;
    const call = continued ?? this.#open();
    if (!call) return undefined;
    for (const key of keys) if (!this.#calls.has(key)) this.#calls.set(key, call);
    call.named ||= name !== undefined;
    this.#last = call;
    return call;
  }

  #known(keys: readonly (number | string)[]): ToolCall | undefined {
    return keys.map((key) => this.#calls.get(key)).find((call) => call !== undefined);
  }

  #open(): ToolCall | undefined {
    return this.#count < MAX_CALLS ? { position: this.#count++, named: false } : undefined;
  }
}

/** Arguments are JSON text, in pieces; a few servers send the object itself. */
function argumentsText(value: unknown): string | undefined {
  return isObject(value) ? jsonText(value) : nonEmptyString(value);
}

/** Some providers want this proof back with the call; it sits under the provider's own name. */
export function thoughtSignature(extraContent: unknown): string | undefined {
  if (!isObject(extraContent)) return undefined;
  const extras = Object.values(extraContent).filter(isObject);
  return extras.map((extra) => nonEmptyString(extra.thought_signature)).find(Boolean);
}
