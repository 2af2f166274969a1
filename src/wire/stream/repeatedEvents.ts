import { isObject, parseJson } from '../../base/json.ts';

/** A text or a count that differs between events: a member of an object within the payload. */
export interface ChangingValue {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

/** A changing value with its position in the text of the event. */
interface Hole extends ChangingValue {
  readonly isText: boolean;
  readonly start: number;
  readonly end: number;
}

/** The payload of an event, and the text of the event around the changing values. */
interface Template {
  readonly payload: unknown;
  /** In the order of the text, each with the text between it and the previous value. */
  readonly holes: readonly (Hole & { readonly before: string })[];
  /** The text after the last value. */
  readonly after: string;
}

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;

/** After this many consecutive templates that do not match any event, no more templates are created. */
const maxMisses = 16;

const maxDigits = 15;

/** Events with longer values are parsed as usual, which also checks the limit of an event. */
const maxTextLength = 64 * 1024;

/**
 * Reads events of one stream that differ from an earlier one only in their text and token counts, as most do.
 * The lines of such an event are not split and its JSON is not parsed again, which saves most of the cost of a
 * stream. The payload of the earlier event is returned with the new values, so it is valid only until the next event.
 */
export class RepeatedEvents {
  readonly #findChanging: (payload: unknown) => readonly ChangingValue[];
  #template: Template | undefined;
  #misses = 0;

  /** @param changing finds the changing values of a payload; returns none for an unusual payload */
  constructor(changing: (payload: unknown) => readonly ChangingValue[]) {
    this.#findChanging = changing;
  }

  /**
   * Reads repeated events.
   *
   * @param from a position at which an event begins
   * @returns the position after the last repeated event; `from` if the text does not begin with one
   */
  read(text: string, from: number, onPayload: (payload: unknown) => void): number {
    const template = this.#template;
    if (!template) return from;
    let at = from;
    while (at < text.length) {
      const end = fillTemplate(template, text, at);
      if (end < 0) break;
      at = end;
      onPayload(template.payload);
    }
    if (at > from) this.#misses = 0;
    return at;
  }

  /**
   * Stores an event as the template, so that a repetition with other values is recognized.
   *
   * @param event its whole text with the blank line
   */
  learn(event: string, payload: unknown): void {
    // A few misses are normal, because an unusual event may occur between two usual events.
    if (this.#misses >= maxMisses) return;
    const template = createTemplate(event, payload, this.#findChanging(payload));
    if (!template) return;
    this.#template = template;
    this.#misses++;
  }
}

/**
 * Puts the values of another event into the payload. Comparing slices is five times faster than `startsWith` if
 * only one string is Latin-1.
 *
 * @returns the position after the event; -1 if it also differs from the template elsewhere
 */
function fillTemplate({ holes, after }: Template, text: string, from: number): number {
  let at = from;
  for (let index = 0; index < holes.length; index++) {
    const hole = holes[index];
    if (!hole) break;
    const start = at + hole.before.length;
    if (text.slice(at, start) !== hole.before) return -1;
    at = hole.isText ? fillText(hole, text, start) : fillCount(hole, text, start);
    if (at < 0) return -1;
  }
  const end = at + after.length;
  return text.slice(at, end) === after ? end : -1;
}

/** @returns the position of the quote after the text; -1 if the text is not valid or too long */
function fillText({ holder, member }: Hole, text: string, from: number): number {
  let end = findPlainTextEnd(text, from);
  const isPlain = text.charCodeAt(end) === quote;
  if (!isPlain) end = findTextEnd(text, end);
  if (end - from > maxTextLength) return -1;
  const source = text.slice(from, end);
  const value = isPlain ? source : parseJson(`"${source}"`);
  if (typeof value !== 'string') return -1;
  holder[member] = value;
  return end;
}

/** The position of the first quote, escape or control character, or the end of the text. */
function findPlainTextEnd(text: string, from: number): number {
  let end = from;
  let code = text.charCodeAt(end);
  while (code >= space && code !== quote && code !== backslash) code = text.charCodeAt(++end);
  return end;
}

/** The position of the quote at the end of a string, or the end of the text. */
function findTextEnd(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end > from && isEscaped(text, from, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, from: number, position: number): boolean {
  let first = position;
  while (first > from && text.charCodeAt(first - 1) === backslash) first--;
  return (position - first) % 2 === 1;
}

/** @returns the position after the digits; -1 if they are not a whole number as JSON.stringify writes it */
function fillCount({ holder, member }: Hole, text: string, from: number): number {
  const end = findDigitsEnd(text, from);
  const length = end - from;
  if (length === 0 || length > maxDigits || (length > 1 && text.charCodeAt(from) === zero)) return -1;
  let value = 0;
  for (let at = from; at < end; at++) value = value * 10 + text.charCodeAt(at) - zero;
  holder[member] = value;
  return end;
}

function findDigitsEnd(text: string, from: number): number {
  let end = from;
  let code = text.charCodeAt(end);
  while (code >= zero && code <= nine) code = text.charCodeAt(++end);
  return end;
}

/** Creates a template only if the payload has a changing text and the text of the event has no escapes. */
function createTemplate(
  event: string,
  payload: unknown,
  changing: readonly ChangingValue[],
): Template | undefined {
  if (changing.length === 0 || event.includes('\\')) return undefined;
  const holes = changing
    .flatMap((value) => createHole(event, value) ?? [])
    .toSorted((a, b) => a.start - b.start);
  if (!holes.some(({ isText }) => isText)) return undefined;
  const ends = [0, ...holes.map(({ end }) => end)];
  return {
    payload,
    holes: holes.map((hole, index) => ({ ...hole, before: event.slice(ends[index], hole.start) })),
    after: event.slice(ends.at(-1)),
  };
}

/** Finds a value whose name occurs only once, and that is written as JSON.stringify writes it. */
function createHole(event: string, { holder, member }: ChangingValue): Hole | undefined {
  if (!/^\w+$/.test(member)) return undefined;
  const [match, ...others] = event.matchAll(new RegExp(`"${member}"\\s*:\\s*("?)`, 'g'));
  if (!match || others.length > 0) return undefined;
  const value = holder[member];
  const isText = typeof value === 'string';
  const start = match.index + match[0].length;
  const end = start + String(value).length;
  const isComplete = isText
    ? event[end] === '"'
    : findDigitsEnd(event, start) === end && !/[.eE]/.test(event[end] ?? '');
  const isFound = isText === (match[1] === '"') && event.slice(start, end) === String(value) && isComplete;
  return isFound ? { holder, member, isText, start, end } : undefined;
}

/** The first of these members that is a text, in a list; empty if none is. */
export function findChangingText(holder: unknown, ...members: readonly string[]): readonly ChangingValue[] {
  if (!isObject(holder)) return [];
  const member = members.find((name) => typeof holder[name] === 'string');
  return member === undefined ? [] : [{ holder, member }];
}

/**
 * The position after the first blank line of an event stream, at which an event begins; the length of the text if it
 * has none.
 */
export function findEventEnd(text: string, from: number): number {
  const blank = text.indexOf('\n\n', from);
  const end = blank < 0 ? text.length : blank + 2;
  const carriage = text.slice(from, end).indexOf('\n\r\n');
  return carriage < 0 ? end : from + carriage + 3;
}

/** Whether a text ends with a blank line, so that an event begins after it. */
export function endsEvent(text: string): boolean {
  return text.endsWith('\n\n') || text.endsWith('\n\r\n');
}
