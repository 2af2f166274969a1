import { findScalarEnd, findStringEnd, findWhitespaceEnd, noEnd } from './jsonTokens.ts';

/** The position of a value in the bytes of a body; `end` is exclusive. */
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

/** The position of a field's value, and of its name. */
export interface FieldSpan extends Span {
  readonly nameStart: number;
}

export interface ScannedObject<Name extends string> {
  /** The positions of each requested field, one for each occurrence. */
  readonly fields: ReadonlyMap<Name, readonly FieldSpan[]>;
  /** The depth of nested objects and arrays; 1 for an object of plain values. */
  readonly depth: number;
  /** The number of members of all objects. Repeated ones are counted each time. */
  readonly memberCount: number;
}

/**
 * Finds the positions of some fields of a JSON object in its bytes, and its depth. It does not build values, so it
 * accepts numbers of any size, repeated fields and any depth. Strings are not decoded and may contain bytes that
 * are not UTF-8.
 *
 * @returns undefined if the bytes are not a JSON object
 */
export function scanObject<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
): ScannedObject<Name> | undefined {
  return new ObjectScan(bytes, names).run();
}

/** Longer names are not compared. The limit allows an escape of six bytes for each character of a requested name. */
const maxNameBytes = 256;

class ObjectScan<Name extends string> {
  readonly #bytes: Uint8Array;
  readonly #names: readonly Name[];
  readonly #spans = new Map<Name, FieldSpan[]>();
  /** The open brackets, outermost first. */
  readonly #openBrackets: number[] = [];
  #depth = 0;
  #memberCount = 0;
  #position: number;
  /** The requested field of the outermost object whose value is being read. */
  #field: { readonly name: Name; readonly nameStart: number; readonly start: number } | undefined;

  constructor(bytes: Uint8Array, names: readonly Name[]) {
    this.#bytes = bytes;
    this.#names = names;
    this.#position = startsWithByteOrderMark(bytes) ? 3 : 0;
  }

  run(): ScannedObject<Name> | undefined {
    if (this.#peek() !== openObject) return undefined;
    do {
      if (!this.#readValue() || !this.#readAfterValue()) return undefined;
    } while (this.#openBrackets.length > 0);
    if (this.#peek() !== undefined) return undefined;
    return { fields: this.#spans, depth: this.#depth, memberCount: this.#memberCount };
  }

  /** Reads a whole value. If the value is a container, reads only its opening bracket and the first value inside. */
  #readValue(): boolean {
    for (;;) {
      const byte = this.#peek();
      if (byte === quote) return this.#moveTo(findStringEnd(this.#bytes, this.#position));
      if (byte !== openObject && byte !== openArray)
        return this.#moveTo(findScalarEnd(this.#bytes, this.#position));
      this.#position += 1;
      this.#openBrackets.push(byte);
      if (this.#openBrackets.length > this.#depth) this.#depth = this.#openBrackets.length;
      if (this.#peek() === findClosingBracket(byte)) return true;
      if (byte === openObject && !this.#readKey()) return false;
    }
  }

  /** Reads the ends of containers after a value, or the comma and the key before the next value. */
  #readAfterValue(): boolean {
    while (this.#openBrackets.length > 0) {
      if (this.#openBrackets.length === 1) this.#endField();
      const container = this.#openBrackets.at(-1) ?? 0;
      const byte = this.#peek();
      this.#position += 1;
      if (byte === comma) return container === openArray || this.#readKey();
      if (byte !== findClosingBracket(container)) return false;
      this.#openBrackets.pop();
    }
    return true;
  }

  #readKey(): boolean {
    if (this.#peek() !== quote) return false;
    const start = this.#position;
    if (!this.#moveTo(findStringEnd(this.#bytes, start))) return false;
    const end = this.#position;
    if (this.#peek() !== colon) return false;
    this.#position += 1;
    this.#memberCount += 1;
    if (this.#openBrackets.length > 1) return true;
    const name = this.#readName(start, end);
    this.#peek();
    if (name !== undefined) this.#field = { name, nameStart: start, start: this.#position };
    return true;
  }

  #readName(start: number, end: number): Name | undefined {
    if (end - start > maxNameBytes) return undefined;
    const plain = this.#names.find((name) => this.#isPlainKey(name, start, end));
    if (plain !== undefined || !this.#bytes.subarray(start, end).includes(backslash)) return plain;
    const key: unknown = JSON.parse(Buffer.from(this.#bytes.subarray(start, end)).toString());
    return this.#names.find((name) => name === key);
  }

  /** Whether the bytes are this name in quotes, without an escape. The length distinguishes most keys. */
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
    const spans = this.#spans.get(name) ?? [];
    spans.push({ nameStart, start, end: this.#position });
    this.#spans.set(name, spans);
    this.#field = undefined;
  }

  /** @returns false if a token has no end */
  #moveTo(end: number): boolean {
    if (end === noEnd) return false;
    this.#position = end;
    return true;
  }

  /** Skips white space, and returns the next byte without reading past it; undefined at the end. */
  #peek(): number | undefined {
    this.#position = findWhitespaceEnd(this.#bytes, this.#position);
    return this.#bytes[this.#position];
  }
}

function findClosingBracket(bracket: number): number {
  return bracket === openObject ? closeObject : closeArray;
}

function startsWithByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
