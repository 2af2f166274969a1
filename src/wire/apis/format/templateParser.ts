import { isObject, parseExactJson, parseJson } from '../../../base/json.ts';

/** A text or a count that differs between events: a member of an object within the payload. */
export interface ChangingValue {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

/** A changing value, and its position in the JSON text. */
interface Hole extends ChangingValue {
  readonly isText: boolean;
  readonly start: number;
  readonly end: number;
}

/** A parsed payload, and the JSON text around its changing values. */
interface Template {
  readonly payload: unknown;
  /** In their order, each with the text between it and the one before. */
  readonly holes: readonly (Hole & { readonly before: string })[];
  /** The text after the last. */
  readonly after: string;
}

/** Text in a JSON string without escapes. */
const plainText = /^[^"\\\p{Cc}]*$/u;

/** After so many templates in a row that match no event, the stream counts as one without a pattern. */
const maxMisses = 16;

const maxDigits = 15;

/**
 * Parses the events of one stream. Most differ only in their text and token counts; such an event is not
 * parsed again, which saves most of the cost of a stream. The payload of the event before is returned with
 * the new values, so a payload is valid only until the next call.
 */
export class TemplateParser {
  readonly #changing: (payload: unknown) => readonly ChangingValue[];
  readonly #parse: (json: string) => unknown;
  #template: Template | undefined;
  #misses = 0;

  /**
   * @param changing finds the values in a payload of the usual kind, and none in any other
   * @param parse parses an event that matches nothing; undefined when it is no JSON
   */
  constructor(
    changing: (payload: unknown) => readonly ChangingValue[],
    parse: (json: string) => unknown = parseJson,
  ) {
    this.#changing = changing;
    this.#parse = parse;
  }

  /** @returns the value of the JSON text; undefined when it is none */
  parse(json: string): unknown {
    if (this.#template && fill(this.#template, json)) {
      this.#misses = 0;
      return this.#template.payload;
    }
    const payload = this.#parse(json);
    // An event of another kind may come between two usual ones.
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
 * Puts the values of another event into the payload. Comparing slices is five times faster than `startsWith`
 * when only one string is Latin-1.
 *
 * @returns false when the event differs from the template elsewhere
 */
function fill({ holes, after }: Template, json: string): boolean {
  const last = json.length - after.length;
  if (last < 0 || json.slice(last) !== after) return false;
  let at = 0;
  for (let nth = 0; nth < holes.length; nth++) {
    const hole = holes[nth];
    if (!hole) break;
    const start = at + hole.before.length;
    if (start > last || json.slice(at, start) !== hole.before) return false;
    at = nth === holes.length - 1 ? last : endOf(hole, json, start);
    const value = hole.isText ? textValue(json.slice(start, at)) : countValue(json.slice(start, at));
    if (value === undefined) return false;
    hole.holder[hole.member] = value;
  }
  return at === last;
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

function isEscaped(json: string, from: number, at: number): boolean {
  let first = at;
  while (first > from && json[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

function endOfDigits(json: string, from: number): number {
  let at = from;
  for (let code = json.charCodeAt(at); code >= 48 && code <= 57; code = json.charCodeAt(at)) at++;
  return at;
}

function textValue(text: string): string | undefined {
  if (plainText.test(text)) return text;
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : undefined;
}

function countValue(digits: string): number | undefined {
  return digits.length <= maxDigits && /^(?:0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}

/** Makes a template only where it is certain: with a text, and without escapes. */
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
    holes: holes.map((hole, nth) => ({ ...hole, before: json.slice(ends[nth], hole.start) })),
    after: json.slice(ends.at(-1)),
  };
}

/** Finds a value whose name occurs once, and which is written as JSON.stringify would. */
function holeOf(json: string, { holder, member }: ChangingValue): Hole | undefined {
  if (!/^\w+$/.test(member)) return undefined;
  const [found, ...others] = json.matchAll(new RegExp(`"${member}"\\s*:\\s*("?)`, 'g'));
  if (!found || others.length > 0) return undefined;
  const value = holder[member];
  const isText = typeof value === 'string';
  const start = found.index + found[0].length;
  const end = start + String(value).length;
  const isWhole = isText
    ? json[end] === '"'
    : endOfDigits(json, start) === end && !/[.eE]/.test(json[end] ?? '');
  const isFound = isText === (found[1] === '"') && json.slice(start, end) === String(value) && isWhole;
  return isFound ? { holder, member, isText, start, end } : undefined;
}

/** The first of these members that is a text, as the only changing value; none if there is no such member. */
export function changingText(holder: unknown, ...members: readonly string[]): readonly ChangingValue[] {
  if (!isObject(holder)) return [];
  const member = members.find((name) => typeof holder[name] === 'string');
  return member === undefined ? [] : [{ holder, member }];
}

/**
 * Parses a payload of a format whose arguments of calls are JSON values. Those may hold large integer ids, which
 * become text.
 *
 * @returns the value of the JSON text; undefined when it is none
 */
export function parseCalls(json: string): unknown {
  return json.includes('"function') || json.includes('"tool_use"') ? parseExactJson(json) : parseJson(json);
}
