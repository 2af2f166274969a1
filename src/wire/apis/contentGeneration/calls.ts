import { deepJsonText, isObject, type JsonObject, jsonText, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

interface OpenCall {
  readonly index: number;
  readonly id: string | undefined;
  readonly args: PartialArguments;
}

/**
 * Reads the function calls of one candidate. A call arrives whole, with its arguments as an object, unless it
 * says that it continues: then the arguments arrive value by value, and are reported once they are complete.
 */
export class FunctionCalls {
  #count = 0;
  #open: OpenCall | undefined;

  get count(): number {
    return this.#count;
  }

  read(call: JsonObject, signature: string | undefined, choice: number, events: ChatEvent[]): void {
    const pieces = call.partialArgs ?? call.partial_args;
    const continues = call.willContinue === true || call.will_continue === true;
    if (!this.#continues(call)) {
      this.end(choice, events);
      this.#begin(call, signature, continues || Array.isArray(pieces), choice, events);
    } else if (signature !== undefined && this.#open) {
      events.push({ type: 'toolCall', choice, index: this.#open.index, signature });
    }
    if (Array.isArray(pieces)) for (const piece of pieces) if (isObject(piece)) this.#open?.args.add(piece);
    if (!continues) this.end(choice, events);
  }

  /** Reports the arguments of the open call, if there is one. */
  end(choice: number, events: ChatEvent[]): void {
    if (!this.#open) return;
    const { index, args } = this.#open;
    this.#open = undefined;
    events.push({ type: 'toolCall', choice, index, arguments: args.text });
  }

  /** A further piece of the open call has no name, or has its id. Another id begins another call. */
  #continues(call: JsonObject): boolean {
    if (!this.#open) return false;
    const id = nonEmptyString(call.id);
    return id === undefined ? nonEmptyString(call.name) === undefined : id === this.#open.id;
  }

  #begin(
    call: JsonObject,
    signature: string | undefined,
    open: boolean,
    choice: number,
    events: ChatEvent[],
  ): void {
    const index = this.#count++;
    const id = nonEmptyString(call.id);
    const name = nonEmptyString(call.name);
    if (open) this.#open = { index, id, args: new PartialArguments() };
    events.push({
      type: 'toolCall',
      choice,
      index,
      ...(id && { id }),
      ...(name && { name }),
      ...(!open && { arguments: argumentsText(call.args) }),
      ...(signature && { signature }),
    });
  }
}

/** Arguments are an object; relays of other formats send its JSON text. */
function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : deepJsonText(isObject(args) ? args : {});
}

const maxDepth = 64;
/**
 * Values of a list arrive roughly in order. A position far behind the end is invalid and would use up memory.
 */
const maxGap = 16;

/** Names with a meaning in JavaScript, which no function uses for a parameter. */
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype']);

type Container = Record<string, unknown> | unknown[];

/** Assembles the arguments of a function call that arrive value by value, each with its JSON path. */
class PartialArguments {
  readonly #root: Record<string, unknown> = Object.create(null);

  /** The arguments as JSON text. */
  get text(): string {
    return jsonText(this.#root) ?? '';
  }

  /** Adds one value, such as `{jsonPath: '$.city', stringValue: 'Ber', willContinue: true}`. */
  add(piece: JsonObject): void {
    const path = segments(piece.jsonPath ?? piece.json_path) ?? [];
    const value = pieceValue(piece);
    if (value === undefined) return;
    let container: Container | undefined = this.#root;
    for (const [at, segment] of path.entries()) {
      const next = path[at + 1];
      if (next === undefined) set(container, segment, value);
      else container = child(container, segment, typeof next === 'number');
      if (!container) return;
    }
  }
}

/** The names and positions of `$.a['b'][0]`; undefined for a path of another form. */
function segments(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== 'string' || !/^\$(\.[^.[\]]+|\[\d{1,5}\]|\['[^']*'\]|\["[^"]*"\])+$/.test(path)) {
    return undefined;
  }
  const found = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g);
  const parts = [...found].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  );
  const bad = parts.some((part) => typeof part !== 'number' && forbiddenNames.has(part));
  return bad || parts.length > maxDepth ? undefined : parts;
}

function pieceValue(piece: JsonObject): unknown {
  if ('nullValue' in piece || 'null_value' in piece) return null;
  return (
    piece.stringValue ??
    piece.string_value ??
    piece.numberValue ??
    piece.number_value ??
    piece.boolValue ??
    piece.bool_value
  );
}

function child(parent: Container, segment: string | number, isList: boolean): Container | undefined {
  const known = get(parent, segment);
  // A number that JavaScript cannot hold is a frozen object.
  if ((Array.isArray(known) || isObject(known)) && !Object.isFrozen(known)) return known as Container;
  const created: Container = isList ? [] : Object.create(null);
  return set(parent, segment, created) ? created : undefined;
}

function get(parent: Container, segment: string | number): unknown {
  if (Array.isArray(parent)) return typeof segment === 'number' ? parent[segment] : undefined;
  return parent[segment];
}

/** Appends to a string, and replaces any other value. */
function set(parent: Container, segment: string | number, value: unknown): boolean {
  const known = get(parent, segment);
  const next = typeof known === 'string' && typeof value === 'string' ? known + value : value;
  if (!Array.isArray(parent)) parent[segment] = next;
  else if (typeof segment === 'number' && segment <= parent.length + maxGap) parent[segment] = next;
  else return false;
  return true;
}
