import type { JsonProblem } from '../words/problemWords.ts';
import type { Path } from './schemaViolation.ts';

// JSON.parse reports syntax errors in engine-specific text, often without a position, and never reports the
// positions of parts of the value. This reader records positions.

/** A JSON text, with the offset of the part at a path. */
interface JsonText {
  readonly value: unknown;
  readonly offsetOf: (path: Path) => number;
}

/** Why a text is not JSON, and the offset in UTF-16 units. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly offset: number;
  readonly problem: JsonProblem;

  constructor(offset: number, problem: JsonProblem) {
    super(problem.kind);
    this.offset = offset;
    this.problem = problem;
  }
}

/**
 * Reads a JSON text. Refuses a repeated name in an object, and a number that would be sent differently, because
 * both would lose data silently.
 *
 * @throws {JsonFault}
 */
export function readJson(text: string): JsonText {
  if (text.length > maxLength) throw new JsonFault(0, { kind: 'json-length', max: maxLength });
  const reader = new JsonReader(text);
  const value = reader.document();
  return { value, offsetOf: (path) => reader.offsets.get(JSON.stringify(path)) ?? 0 };
}

/** Returns the line and column of an offset. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

const maxDepth = 100;

/** The longest text, in UTF-16 units. The host does not accept longer messages. */
const maxLength = 1024 * 1024;
const blank = /[ \t\n\r]*/y;
const word = /true|false|null/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class JsonReader {
  readonly offsets = new Map<string, number>();
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value([]);
    if (this.#offset < this.#text.length) this.#fail({ kind: 'json-end' });
    return value;
  }

  #value(path: Path): unknown {
    this.#take(blank);
    this.offsets.set(JSON.stringify(path), this.#offset);
    if (path.length > maxDepth) this.#fail({ kind: 'json-depth', max: maxDepth });
    const value = this.#bareValue(path);
    this.#take(blank);
    return value;
  }

  #bareValue(path: Path): unknown {
    const next = this.#text[this.#offset];
    if (next === '{') return this.#object(path);
    if (next === '[') return this.#array(path);
    if (next === '"') return this.#string();
    const literal = this.#take(word);
    return literal === '' ? this.#number() : JSON.parse(literal);
  }

  #object(path: Path): unknown {
    const entries = new Map<string, unknown>();
    this.#list('}', () => {
      if (this.#text[this.#offset] !== '"') this.#fail({ kind: 'json-name' });
      const start = this.#offset;
      const name = this.#string();
      if (entries.has(name)) this.#fail({ kind: 'json-repeated-name', name }, start);
      this.#take(blank);
      if (!this.#skip(':')) this.#fail({ kind: 'json-colon' });
      entries.set(name, this.#value([...path, name]));
    });
    // Unlike an assignment, this adds __proto__ as an ordinary member.
    return Object.fromEntries(entries);
  }

  #array(path: Path): unknown {
    const items: unknown[] = [];
    this.#list(']', () => items.push(this.#value([...path, items.length])));
    return items;
  }

  #list(end: string, readNext: () => void): void {
    this.#offset += 1;
    this.#take(blank);
    if (this.#skip(end)) return;
    do {
      this.#take(blank);
      readNext();
    } while (this.#skip(','));
    if (!this.#skip(end)) this.#fail({ kind: 'json-list', end });
  }

  #string(): string {
    const start = this.#offset;
    for (let end = start + 1; end < this.#text.length; end += 1) {
      const character = this.#text[end] ?? '';
      if (character === '\\') end += 1;
      else if (character < ' ') this.#fail({ kind: 'json-open-line' }, end);
      else if (character === '"') {
        this.#offset = end + 1;
        return this.#unescaped(start);
      }
    }
    return this.#fail({ kind: 'json-open-text' }, this.#text.length);
  }

  #unescaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#offset));
    } catch {
      return this.#fail({ kind: 'json-escape' }, start);
    }
  }

  #number(): number {
    const start = this.#offset;
    const digits = this.#take(number);
    if (digits === '') this.#fail({ kind: 'json-value' });
    const value = Number(digits);
    const exact = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(digits));
    if (!exact) this.#fail({ kind: 'json-number' }, start);
    return value;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset += 1;
    return true;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#text)?.[0] ?? '';
    this.#offset += match.length;
    return match;
  }

  #fail(problem: JsonProblem, offset = this.#offset): never {
    throw new JsonFault(offset, problem);
  }
}
