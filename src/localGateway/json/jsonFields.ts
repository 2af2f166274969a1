import { blanksEnd, noEnd, stringEnd, wordEnd } from './jsonTokens.ts';

/** The place of a value in the bytes of a body; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The place of a field's value, with that of its name before it. */
export interface FieldSpan extends Span {
  readonly nameStart: number;
}

/** What a scan finds in an object. */
export interface ScannedObject<Name extends string> {
  /** The places of each wanted field, one for each time it occurs. */
  readonly fields: ReadonlyMap<Name, readonly FieldSpan[]>;
  /** The depth of nested objects and arrays; 1 for an object of plain values. */
  readonly depth: number;
}

/**
 * Finds the places of some fields of a JSON object in its bytes, and its depth. It builds no values, so
 * numbers of any size, repeated fields and any depth pass. Strings are not decoded and may hold bytes that
 * are not UTF-8.
 *
 * @returns undefined when the bytes are no JSON object
 */
export function scanObject<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
): ScannedObject<Name> | undefined {
  return new ObjectScan(bytes, names).run();
}

/** More than any wanted name has, even if each of its characters is written as an escape of six bytes. */
const maxNameBytes = 256;

class ObjectScan<Name extends string> {
  readonly #bytes: Uint8Array;
  readonly #names: readonly Name[];
  readonly #found = new Map<Name, FieldSpan[]>();
  /** The open brackets, outermost first. */
  readonly #open: number[] = [];
  #deepest = 0;
  #at: number;
  /** The wanted field of the outermost object whose value is being read. */
  #field: { readonly name: Name; readonly nameStart: number; readonly start: number } | undefined;

  constructor(bytes: Uint8Array, names: readonly Name[]) {
    this.#bytes = bytes;
    this.#names = names;
    this.#at = startsWithMark(bytes) ? 3 : 0;
  }

  run(): ScannedObject<Name> | undefined {
    if (this.#next() !== openObject) return undefined;
    do {
      if (!this.#value() || !this.#afterValue()) return undefined;
    } while (this.#open.length > 0);
    if (this.#next() !== undefined) return undefined;
    return { fields: this.#found, depth: this.#deepest };
  }

  /** Reads a whole value, or the openings of containers up to the first value inside. */
  #value(): boolean {
    for (;;) {
      const byte = this.#next();
      if (byte === quote) return this.#goTo(stringEnd(this.#bytes, this.#at));
      if (byte !== openObject && byte !== openArray) return this.#goTo(wordEnd(this.#bytes, this.#at));
      this.#at += 1;
      this.#open.push(byte);
      if (this.#open.length > this.#deepest) this.#deepest = this.#open.length;
      if (this.#next() === closing(byte)) return true;
      if (byte === openObject && !this.#key()) return false;
    }
  }

  /** Reads what may follow a value: ends of containers, and the comma before the next value. */
  #afterValue(): boolean {
    while (this.#open.length > 0) {
      if (this.#open.length === 1) this.#endField();
      const holder = this.#open.at(-1) ?? 0;
      const byte = this.#next();
      this.#at += 1;
      if (byte === comma) return holder === openArray || this.#key();
      if (byte !== closing(holder)) return false;
      this.#open.pop();
    }
    return true;
  }

  #key(): boolean {
    if (this.#next() !== quote) return false;
    const start = this.#at;
    if (!this.#goTo(stringEnd(this.#bytes, start))) return false;
    const end = this.#at;
    if (this.#next() !== colon) return false;
    this.#at += 1;
    if (this.#open.length > 1) return true;
    const name = this.#nameAt(start, end);
    this.#next();
    if (name !== undefined) this.#field = { name, nameStart: start, start: this.#at };
    return true;
  }

  #nameAt(start: number, end: number): Name | undefined {
    if (end - start > maxNameBytes) return undefined;
    const plain = this.#names.find((name) => this.#isPlainKey(name, start, end));
    if (plain !== undefined || !this.#bytes.subarray(start, end).includes(backslash)) return plain;
    const key: unknown = JSON.parse(textOf(this.#bytes.subarray(start, end)));
    return this.#names.find((name) => name === key);
  }

  /** Whether the bytes are this name in its quotes, without an escape. Most keys are told apart by their length. */
  #isPlainKey(name: Name, start: number, end: number): boolean {
    if (end - start !== name.length + 2) return false;
    for (let i = 0; i < name.length; i += 1) {
      if (this.#bytes[start + 1 + i] !== name.charCodeAt(i)) return false;
    }
    return true;
  }

  #endField(): void {
    if (!this.#field) return;
    const { name, nameStart, start } = this.#field;
    const spans = this.#found.get(name) ?? [];
    spans.push({ nameStart, start, end: this.#at });
    this.#found.set(name, spans);
    this.#field = undefined;
  }

  /** @returns false where a token has no end */
  #goTo(end: number): boolean {
    if (end === noEnd) return false;
    this.#at = end;
    return true;
  }

  /** The next byte that is no white space. */
  #next(): number | undefined {
    this.#at = blanksEnd(this.#bytes, this.#at);
    return this.#bytes[this.#at];
  }
}

function closing(bracket: number): number {
  return bracket === openObject ? closeObject : closeArray;
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
