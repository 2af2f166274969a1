import { isObject, parseExactJson, parseJson } from '../../../base/json.ts';

/** A text or a count that differs between events: a member of an object within the payload. */
export interface ChangingValue {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

/** A changing value with its position in the JSON text. */
interface Hole extends ChangingValue {
  readonly isText: boolean;
  readonly start: number;
  readonly end: number;
}

/** A parsed payload, and the JSON text around its changing values. */
interface Template {
  readonly payload: unknown;
  /** In the order of the text, each with the text between it and the previous value. */
  readonly holes: readonly (Hole & { readonly before: string })[];
  /** The text after the last value. */
  readonly after: string;
}

/** Text in a JSON string without escapes. */
const plainText = /^[^"\\\p{Cc}]*$/u;

/** After this many consecutive templates that match no event, the stream is parsed without templates. */
const maxMisses = 16;

const maxDigits = 15;

/**
 * Parses the events of one stream. Most differ only in their text and token counts; such an event is not parsed
 * again, which saves most of the cost of a stream. The payload of the previous event is returned with the new
 * values, so a payload is valid only until the next call.
 */
export class TemplateParser {
  readonly #changing: (payload: unknown) => readonly ChangingValue[];
  readonly #parse: (json: string) => unknown;
  #template: Template | undefined;
  #misses = 0;

  /**
   * @param changing finds the changing values of a payload; returns none for an unusual payload
   * @param parse parses an event that does not match; returns undefined if it is not JSON
   */
  constructor(
    changing: (payload: unknown) => readonly ChangingValue[],
    parse: (json: string) => unknown = parseJson,
  ) {
    this.#changing = changing;
    this.#parse = parse;
  }

  /** @returns the value of the JSON text; undefined if it is not JSON */
  parse(json: string): unknown {
    if (this.#template && fill(this.#template, json)) {
      this.#misses = 0;
      return this.#template.payload;
    }
    const payload = this.#parse(json);
    // An unusual event may come between two usual ones.
    const template =
      this.#misses < maxMisses ? templateOf(json, payload, this.#changing(payload)) : undefined;
    if (template) {
      this.#template = template;
      this.#misses++;
    }
    return payload;
  }
}

/**
 * Puts the values of another event into the payload. Comparing slices is five times faster than `startsWith` if
 * only one string is Latin-1.
 *
 * @returns false if the event also differs from the template elsewhere
 */
function fill({ holes, after }: Template, json: string): boolean {
  const last = json.length - after.length;
  if (last < 0 || json.slice(last) !== after) return false;
  let position = 0;
  for (let index = 0; index < holes.length; index++) {
    const hole = holes[index];
    if (!hole) break;
    const start = position + hole.before.length;
    if (start > last || json.slice(position, start) !== hole.before) return false;
    position = index === holes.length - 1 ? last : endOf(hole, json, start);
    const text = json.slice(start, position);
    const value = hole.isText ? textValue(text) : countValue(text);
    if (value === undefined) return false;
    hole.holder[hole.member] = value;
  }
  return position === last;
}

function endOf({ isText }: Hole, json: string, start: number): number {
  return isText ? endOfText(json, start) : endOfDigits(json, start);
}

/** The position of the quote at the end of a string, or the end of the text. */
function endOfText(json: string, from: number): number {
  let end = json.indexOf('"', from);
  while (end > from && isEscaped(json, from, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
}

function isEscaped(json: string, from: number, position: number): boolean {
  let first = position;
  while (first > from && json[first - 1] === '\\') first--;
  return (position - first) % 2 === 1;
}

function endOfDigits(json: string, from: number): number {
  let end = from;
  for (let code = json.charCodeAt(end); code >= 48 && code <= 57; code = json.charCodeAt(end)) end++;
  return end;
}

function textValue(text: string): string | undefined {
  if (plainText.test(text)) return text;
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : undefined;
}

function countValue(digits: string): number | undefined {
  return digits.length <= maxDigits && /^(?:0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}

/** Makes a template only if the payload has a changing text and the JSON text has no escapes. */
function templateOf(
  json: string,
  payload: unknown,
  changing: readonly ChangingValue[],
): Template | undefined {
  if (changing.length === 0 || json.includes('\\')) return undefined;
  const holes = changing.flatMap((value) => holeOf(json, value) ?? []).toSorted((a, b) => a.start - b.start);
  if (!holes.some(({ isText }) => isText)) return undefined;
  const ends = [0, ...holes.map(({ end }) => end)];
  return {
    payload,
    holes: holes.map((hole, index) => ({ ...hole, before: json.slice(ends[index], hole.start) })),
    after: json.slice(ends.at(-1)),
  };
}

/** Finds a value whose name occurs only once, and that is written as JSON.stringify writes it. */
function holeOf(json: string, { holder, member }: ChangingValue): Hole | undefined {
  if (!/^\w+$/.test(member)) return undefined;
  const [match, ...others] = json.matchAll(new RegExp(`"${member}"\\s*:\\s*("?)`, 'g'));
  if (!match || others.length > 0) return undefined;
  const value = holder[member];
  const isText = typeof value === 'string';
  const start = match.index + match[0].length;
  const end = start + String(value).length;
  const isWhole = isText
    ? json[end] === '"'
    : endOfDigits(json, start) === end && !/[.eE]/.test(json[end] ?? '');
  const isFound = isText === (match[1] === '"') && json.slice(start, end) === String(value) && isWhole;
  return isFound ? { holder, member, isText, start, end } : undefined;
}

/** The first of these members that is a text, in a list; empty if none is. */
export function changingText(holder: unknown, ...members: readonly string[]): readonly ChangingValue[] {
  if (!isObject(holder)) return [];
  const member = members.find((name) => typeof holder[name] === 'string');
  return member === undefined ? [] : [{ holder, member }];
}

/**
 * Parses a payload of a format whose calls have JSON values as arguments. These may hold large integer ids, which
 * become text.
 *
 * @returns the value of the JSON text; undefined if it is not JSON
 */
export function parseCalls(json: string): unknown {
  return json.includes('"function') || json.includes('"tool_use"') ? parseExactJson(json) : parseJson(json);
}
