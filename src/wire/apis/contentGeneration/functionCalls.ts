import { deepJsonText, isObject, type JsonObject, jsonText, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';

interface OpenCall {
  readonly index: number;
  readonly id: string | undefined;
  readonly args: PartialArguments;
}

/**
 * Reads the function calls of one candidate. A call arrives whole, with its arguments as an object, unless it is
 * marked as continued: then the arguments arrive value by value, and are reported once they are complete.
 */
export class FunctionCalls {
  #count = 0;
  #open: OpenCall | undefined;

  get count(): number {
    return this.#count;
  }

  read(call: JsonObject, signature: string | undefined, choice: number, events: ChatEvent[]): void {
    const pieces = call.partialArgs ?? call.partial_args;
    const willContinue = call.willContinue === true || call.will_continue === true;
    if (!this.#belongsToOpenCall(call)) {
      this.end(choice, events);
      this.#begin(call, signature, willContinue || Array.isArray(pieces), choice, events);
    } else if (signature !== undefined && this.#open) {
      events.push({ type: 'toolCall', choice, index: this.#open.index, signature });
    }
    if (Array.isArray(pieces)) for (const piece of pieces) if (isObject(piece)) this.#open?.args.add(piece);
    if (!willContinue) this.end(choice, events);
  }

  /** Reports the arguments of the open call, if there is one. */
  end(choice: number, events: ChatEvent[]): void {
    if (!this.#open) return;
    const { index, args } = this.#open;
    this.#open = undefined;
    events.push({ type: 'toolCall', choice, index, arguments: args.text });
  }

  /** Whether a piece belongs to the open call: it has the same id, or neither an id nor a name. */
  #belongsToOpenCall(call: JsonObject): boolean {
    if (!this.#open) return false;
    const id = nonEmptyString(call.id);
    return id === undefined ? nonEmptyString(call.name) === undefined : id === this.#open.id;
  }

  #begin(
    call: JsonObject,
    signature: string | undefined,
    isOpen: boolean,
    choice: number,
    events: ChatEvent[],
  ): void {
    const index = this.#count++;
    const id = nonEmptyString(call.id);
    const name = nonEmptyString(call.name);
    if (isOpen) this.#open = { index, id, args: new PartialArguments() };
    events.push({
      type: 'toolCall',
      choice,
      index,
      ...(id && { id }),
      ...(name && { name }),
      ...(!isOpen && { arguments: readArguments(call.args) }),
      ...(signature && { signature }),
    });
  }
}

/** Arguments are an object. Relays of other formats send the JSON text of the object. */
function readArguments(args: unknown): string {
  return typeof args === 'string' ? args : deepJsonText(isObject(args) ? args : {});
}

const maxDepth = 64;
/**
 * The longest gap between the end of a list and the position of a value. Values arrive roughly in order, and a large
 * gap would use too much memory.
 */
const maxGap = 16;

/** Names with a special meaning in JavaScript, which no real parameter has. */
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
    const path = parsePath(piece.jsonPath ?? piece.json_path) ?? [];
    const value = readPieceValue(piece);
    if (value === undefined) return;
    let container: Container | undefined = this.#root;
    for (const [index, segment] of path.entries()) {
      const next = path[index + 1];
      if (next === undefined) setChild(container, segment, value);
      else container = openChild(container, segment, typeof next === 'number');
      if (!container) return;
    }
  }
}

/** The names and positions in a path such as `$.a['b'][0]`; undefined for an invalid path. */
function parsePath(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== 'string' || !/^\$(\.[^.[\]]+|\[\d{1,5}\]|\['[^']*'\]|\["[^"]*"\])+$/.test(path)) {
    return undefined;
  }
  const matches = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g);
  const parts = [...matches].map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  );
  const isForbidden = parts.some((part) => typeof part !== 'number' && forbiddenNames.has(part));
  return isForbidden || parts.length > maxDepth ? undefined : parts;
}

function readPieceValue(piece: JsonObject): unknown {
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

function openChild(parent: Container, segment: string | number, isList: boolean): Container | undefined {
  const existing = getChild(parent, segment);
  // A number that JavaScript cannot represent is a frozen object.
  if ((Array.isArray(existing) || isObject(existing)) && !Object.isFrozen(existing))
    return existing as Container;
  const created: Container = isList ? [] : Object.create(null);
  return setChild(parent, segment, created) ? created : undefined;
}

function getChild(parent: Container, segment: string | number): unknown {
  if (Array.isArray(parent)) return typeof segment === 'number' ? parent[segment] : undefined;
  return parent[segment];
}

/**
 * Appends to a string, and replaces any other value.
 *
 * @returns false if the position is invalid
 */
function setChild(parent: Container, segment: string | number, value: unknown): boolean {
  const existing = getChild(parent, segment);
  const next = typeof existing === 'string' && typeof value === 'string' ? existing + value : value;
  if (!Array.isArray(parent)) parent[segment] = next;
  else if (typeof segment === 'number' && segment <= parent.length + maxGap) parent[segment] = next;
  else return false;
  return true;
}
