import type { FieldSpan, Span } from './jsonFields.ts';
import { noEnd, stringEnd } from './jsonTokens.ts';
import { joined, type Pieces, replaceSpan } from './pieces.ts';

/** New values of fields; undefined takes the field out. */
export type EditedFields<Name extends string> = { readonly [Field in Name]?: unknown };

/** Replaces every one of these values, so that nobody can read another value than the one given. */
export function replaceValues(bytes: Uint8Array, places: readonly Span[], value: unknown): Uint8Array {
  return replaceSpans(bytes, places, Buffer.from(JSON.stringify(value)));
}

/** Does the same in pieces, which stay apart where there is one value. */
export function replaceInPieces(pieces: Pieces, places: readonly Span[], value: unknown): Pieces {
  const [place, ...others] = places;
  if (!place || others.length > 0) return [replaceValues(joined(pieces), places, value)];
  return replaceSpan(pieces, place, Buffer.from(JSON.stringify(value)));
}

/** Puts the same bytes in place of each of these. */
export function replaceSpans(bytes: Uint8Array, places: readonly Span[], text: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(bytes.subarray(from, start), text);
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/**
 * Replaces strings of JSON that may be addresses, wherever they are; all other bytes stay as they are.
 *
 * @param bytes valid JSON, or lines of it
 * @param replacement of a string; undefined keeps it
 */
export function replaceAddresses(
  bytes: Uint8Array,
  replacement: (text: string) => string | undefined,
): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let start = text.indexOf(quote); start >= 0; ) {
    const end = stringEnd(text, start);
    if (end === noEnd) break;
    const token = end - start <= maxAddressBytes ? text.toString('utf8', start, end) : '';
    const next = token.includes('/') ? replacement(JSON.parse(token) as string) : undefined;
    if (next !== undefined) {
      parts.push(text.subarray(from, start), Buffer.from(JSON.stringify(next)));
      from = end;
    }
    start = text.indexOf(quote, end);
  }
  return from === 0 ? bytes : Buffer.concat([...parts, text.subarray(from)]);
}

const quote = 0x22;
const maxAddressBytes = 16 * 1024;

/**
 * Takes fields out of the bytes of a JSON object, and puts those that have a value in front. All other bytes
 * stay as they are.
 *
 * @param found the places of at least the fields in `values`, as `scanObject` finds them
 */
export function editObject<Name extends string>(
  bytes: Uint8Array,
  found: ReadonlyMap<Name, readonly FieldSpan[]>,
  values: EditedFields<Name>,
): Uint8Array {
  const names = Object.keys(values) as Name[];
  const rest = withoutFields(
    bytes,
    names.flatMap((name) => found.get(name) ?? []),
  );
  const added = names
    .filter((name) => values[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(values[name])}`)
    .join();
  if (added === '') return rest;
  const inside = rest.indexOf('{') + 1;
  const comma = firstAfterBlanks(rest, inside) === '}' ? '' : ',';
  return Buffer.concat([rest.subarray(0, inside), Buffer.from(added + comma), rest.subarray(inside)]);
}

function withoutFields(bytes: Uint8Array, fields: readonly FieldSpan[]): Buffer {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Buffer[] = [];
  let from = 0;
  for (const { nameStart, end } of fields.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.subarray(from, nameStart));
    from = afterComma(text, end);
  }
  parts.push(text.subarray(from));
  return fields.length === 0 ? text : withoutLastComma(Buffer.concat(parts));
}

/** The place behind the comma that follows; the same place where none does, at the end of the object. */
function afterComma(text: Buffer, end: number): number {
  const at = skipBlanks(text, end);
  return text[at] === comma ? at + 1 : end;
}

/** Takes away the comma that a last field, now gone, has left behind. */
function withoutLastComma(text: Buffer): Buffer {
  let at = text.lastIndexOf('}') - 1;
  while (isBlank(text[at])) at -= 1;
  return text[at] === comma ? Buffer.concat([text.subarray(0, at), text.subarray(at + 1)]) : text;
}

function firstAfterBlanks(text: Buffer, from: number): string {
  return String.fromCharCode(text[skipBlanks(text, from)] ?? 0);
}

function skipBlanks(text: Buffer, from: number): number {
  let at = from;
  while (isBlank(text[at])) at += 1;
  return at;
}

const comma = 0x2c;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
