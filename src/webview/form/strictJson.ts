import type { JsonProblem } from '../words/problemWords.ts';
import type { Path } from './schemaViolation.ts';

// JSON.parse reports errors with the engine's messages, often without a position, and does not report the positions of
// the parts of a value.

/** The value of a JSON text. */
interface JsonText {
  readonly value: unknown;
  /** Returns the offset of the part at a path, in UTF-16 units; 0 if there is no such part. */
  readonly findOffset: (path: Path) => number;
}

/** Why a text is not JSON, and the offset in UTF-16 units. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
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
 * @throws {JsonError}
 */
export function readJson(text: string): JsonText {
  if (text.length > maxLength) throw new JsonError(0, { kind: 'json-length', max: maxLength });
  const reader = new JsonReader(text);
  const value = reader.readDocument();
  return { value, findOffset: (path) => reader.offsets.get(JSON.stringify(path)) ?? 0 };
}

/** Returns the line and column of an offset, counted from 1. */
export function findLineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

const maxDepth = 100;

/** The longest text, in UTF-16 units. The host does not accept longer messages. */
const maxLength = 1024 * 1024;
const whiteSpace = /[ \t\n\r]*/y;
const literalWord = /true|false|null/y;
const numberLiteral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class JsonReader {
  readonly offsets = new Map<string, number>();
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): unknown {
    const value = this.#readValue([]);
    if (this.#offset < this.#text.length) this.#fail({ kind: 'json-end' });
    return value;
  }

  #readValue(path: Path): unknown {
    this.#match(whiteSpace);
    this.offsets.set(JSON.stringify(path), this.#offset);
    if (path.length > maxDepth) this.#fail({ kind: 'json-depth', max: maxDepth });
    const value = this.#readBareValue(path);
    this.#match(whiteSpace);
    return value;
  }

  #readBareValue(path: Path): unknown {
    const next = this.#text[this.#offset];
    if (next === '{') return this.#readObject(path);
    if (next === '[') return this.#readArray(path);
    if (next === '"') return this.#readString();
    const literal = this.#match(literalWord);
    return literal === '' ? this.#readNumber() : JSON.parse(literal);
  }

  #readObject(path: Path): unknown {
    const entries = new Map<string, unknown>();
    this.#readList('}', () => {
      if (this.#text[this.#offset] !== '"') this.#fail({ kind: 'json-name' });
      const start = this.#offset;
      const name = this.#readString();
      if (entries.has(name)) this.#fail({ kind: 'json-repeated-name', name }, start);
      this.#match(whiteSpace);
      if (!this.#skip(':')) this.#fail({ kind: 'json-colon' });
      entries.set(name, this.#readValue([...path, name]));
    });
    // Unlike an assignment, this adds __proto__ as an ordinary member.
    return Object.fromEntries(entries);
  }

  #readArray(path: Path): unknown {
    const items: unknown[] = [];
    this.#readList(']', () => items.push(this.#readValue([...path, items.length])));
    return items;
  }

  #readList(end: string, readNext: () => void): void {
    this.#offset += 1;
    this.#match(whiteSpace);
    if (this.#skip(end)) return;
    do {
      this.#match(whiteSpace);
      readNext();
    } while (this.#skip(','));
    if (!this.#skip(end)) this.#fail({ kind: 'json-list', end });
  }

  #readString(): string {
    const start = this.#offset;
    for (let end = start + 1; end < this.#text.length; end += 1) {
      const character = this.#text[end] ?? '';
      if (character === '\\') end += 1;
      else if (character < ' ') this.#fail({ kind: 'json-open-line' }, end);
      else if (character === '"') {
        this.#offset = end + 1;
        return this.#unescape(start);
      }
    }
    return this.#fail({ kind: 'json-open-text' }, this.#text.length);
  }

  #unescape(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#offset));
    } catch {
      return this.#fail({ kind: 'json-escape' }, start);
    }
  }

  #readNumber(): number {
    const start = this.#offset;
    const digits = this.#match(numberLiteral);
    if (digits === '') this.#fail({ kind: 'json-value' });
    const value = Number(digits);
    const isExact = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(digits));
    if (!isExact) this.#fail({ kind: 'json-number' }, start);
    return value;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset += 1;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#text)?.[0] ?? '';
    this.#offset += match.length;
    return match;
  }

  #fail(problem: JsonProblem, offset = this.#offset): never {
    throw new JsonError(offset, problem);
  }
}
