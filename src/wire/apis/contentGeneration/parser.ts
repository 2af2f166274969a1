import { isObject, parseExactJson, parseJson } from '../../../base/json.ts';

/** A value that differs between events: a member of an object within the payload. */
interface Hole {
  readonly holder: Record<string, unknown>;
  readonly member: string;
  readonly isText: boolean;
  /** The position of its value in the JSON text. */
  readonly start: number;
  readonly end: number;
}

/** A parsed payload, and the JSON text between its changing values. */
interface Template {
  readonly payload: unknown;
  readonly holes: readonly Hole[];
  /** One more than there are holes. */
  readonly literals: readonly string[];
}

/** Text in a JSON string without escapes. */
const PLAIN_TEXT = /^[^"\\\p{Cc}]*$/u;

/** After so many events in a row that match nothing, the stream counts as one without a pattern. */
const maxMisses = 16;

const maxDigits = 15;

/** Each count is searched for in the whole event; no provider sends more of them. */
const maxCounts = 16;

/**
 * Parses the events of one stream. Most differ only in their text and token counts; such an event is not
 * parsed again, which saves most of the cost of a stream. The payload of the event before is returned with
 * the new values, so a payload is valid only until the next call.
 */
export class ContentGenerationParser {
  #template: Template | undefined;
  #misses = 0;

  /** @returns the value of the JSON text; undefined when it is none */
  parse(json: string): unknown {
    if (this.#template && fill(this.#template, json)) {
      this.#misses = 0;
      return this.#template.payload;
    }
    // Arguments of calls are JSON values and may hold large integer ids.
    const payload = json.includes('"function') ? parseExactJson(json) : parseJson(json);
    if (this.#misses++ < maxMisses) this.#template = templateOf(json, payload) ?? this.#template;
    return payload;
  }
}

/**
 * Puts the values of another event into the payload.
 *
 * @returns false when the event differs from the template elsewhere
 */
function fill({ holes, literals }: Template, json: string): boolean {
  let at = 0;
  for (const [nth, literal] of literals.entries()) {
    // Comparing slices is five times faster than `startsWith` when only one string is Latin-1.
    if (json.slice(at, at + literal.length) !== literal) return false;
    at += literal.length;
    const hole = holes[nth];
    if (!hole) continue;
    const end = hole.isText ? endOfText(json, at) : endOfDigits(json, at);
    const value = hole.isText ? textValue(json.slice(at, end)) : countValue(json.slice(at, end));
    if (value === undefined) return false;
    hole.holder[hole.member] = value;
    at = end;
  }
  return at === json.length;
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
  if (PLAIN_TEXT.test(text)) return text;
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : undefined;
}

function countValue(digits: string): number | undefined {
  const isNumber = digits !== '' && digits.length <= maxDigits && (digits === '0' || digits[0] !== '0');
  return isNumber ? Number(digits) : undefined;
}

/** Makes a template only where it is certain: one candidate with one text, and no escapes. */
function templateOf(json: string, payload: unknown): Template | undefined {
  if (!isObject(payload) || json.includes('\\')) return undefined;
  const text = textHole(json, payload.candidates);
  if (!text) return undefined;
  const holes = [text, ...countHoles(json, payload.usageMetadata)].toSorted((a, b) => a.start - b.start);
  const ends = [0, ...holes.map(({ end }) => end)];
  const literals = ends.map((end, nth) => json.slice(end, holes[nth]?.start));
  return { payload, holes, literals };
}

function textHole(json: string, candidates: unknown): Hole | undefined {
  const part = onlyObject(onlyContent(candidates)?.parts);
  const [found, ...others] = json.matchAll(/"text"\s*:\s*"/g);
  if (!part || typeof part.text !== 'string' || !found || others.length > 0) return undefined;
  const start = found.index + found[0].length;
  return { holder: part, member: 'text', isText: true, start, end: start + part.text.length };
}

function onlyContent(candidates: unknown): Record<string, unknown> | undefined {
  const content = onlyObject(candidates)?.content;
  return isObject(content) ? content : undefined;
}

function onlyObject(list: unknown): Record<string, unknown> | undefined {
  const [only, ...others]: readonly unknown[] = Array.isArray(list) ? list : [];
  return isObject(only) && others.length === 0 ? only : undefined;
}

function countHoles(json: string, usage: unknown): readonly Hole[] {
  if (!isObject(usage)) return [];
  const members = Object.keys(usage);
  if (members.length > maxCounts) return [];
  return members.flatMap((member) => {
    if (!/^\w+$/.test(member) || !Number.isSafeInteger(usage[member])) return [];
    const [found, ...others] = json.matchAll(new RegExp(`"${member}"\\s*:\\s*(?=(\\d+))`, 'g'));
    if (!found || others.length > 0) return [];
    const start = found.index + found[0].length;
    return { holder: usage, member, isText: false, start, end: start + (found[1]?.length ?? 0) };
  });
}
