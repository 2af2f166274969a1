import { type BodyPieces, joinPieces, replaceSpan } from './bodyPieces.ts';
import type { FieldSpan, Span } from './jsonFields.ts';
import { findStringEnd, findWhitespaceEnd, noEnd } from './jsonTokens.ts';

/** New values of fields; undefined removes the field. */
export type EditedFields<Name extends string> = { readonly [Field in Name]?: unknown };

/** Replaces the values at all of these spans, so that every parser reads the same value. */
export function replaceValues(bytes: Uint8Array, spans: readonly Span[], value: unknown): Uint8Array {
  return replaceSpans(bytes, spans, Buffer.from(JSON.stringify(value)));
}

/** Replaces values like `replaceValues`. The pieces are not joined if there is only one span. */
export function replaceInPieces(pieces: BodyPieces, spans: readonly Span[], value: unknown): BodyPieces {
  const [span, ...others] = spans;
  if (!span || others.length > 0) return [replaceValues(joinPieces(pieces), spans, value)];
  return replaceSpan(pieces, span, Buffer.from(JSON.stringify(value)));
}

/** Replaces each of these spans by the same bytes. */
export function replaceSpans(bytes: Uint8Array, spans: readonly Span[], replacement: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(bytes.subarray(from, start), replacement);
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/**
 * Replaces strings of JSON that may be addresses, at any depth; all other bytes are unchanged.
 *
 * @param bytes valid JSON, or lines of it
 * @param replace returns the new string; undefined if it does not change
 */
export function replaceAddresses(
  bytes: Uint8Array,
  replace: (text: string) => string | undefined,
): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let start = text.indexOf(quote); start >= 0; ) {
    const end = findStringEnd(text, start);
    if (end === noEnd) break;
    const token = end - start <= maxAddressBytes ? text.toString('utf8', start, end) : '';
    const next = token.includes('/') ? replace(JSON.parse(token) as string) : undefined;
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
 * Removes fields from the bytes of a JSON object, and inserts the fields with a value at the start. All other
 * bytes are unchanged.
 *
 * @param positions the positions of at least the fields in `values`, as `scanObject` returns them
 */
export function editObject<Name extends string>(
  bytes: Uint8Array,
  positions: ReadonlyMap<Name, readonly FieldSpan[]>,
  values: EditedFields<Name>,
): Uint8Array {
  const names = Object.keys(values) as Name[];
  const rest = removeFields(
    bytes,
    names.flatMap((name) => positions.get(name) ?? []),
  );
  const addedText = names
    .filter((name) => values[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(values[name])}`)
    .join();
  if (addedText === '') return rest;
  const inside = rest.indexOf('{') + 1;
  const separator = rest[findWhitespaceEnd(rest, inside)] === closeObject ? '' : ',';
  return Buffer.concat([rest.subarray(0, inside), Buffer.from(addedText + separator), rest.subarray(inside)]);
}

function removeFields(bytes: Uint8Array, fields: readonly FieldSpan[]): Buffer {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Buffer[] = [];
  let from = 0;
  for (const { nameStart, end } of fields.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.subarray(from, nameStart));
    from = skipComma(text, end);
  }
  parts.push(text.subarray(from));
  return fields.length === 0 ? text : removeLastComma(Buffer.concat(parts));
}

/**
 * Returns the position after the next comma. After the last field, which no comma follows, returns the given
 * position.
 */
function skipComma(text: Buffer, end: number): number {
  const index = findWhitespaceEnd(text, end);
  return text[index] === comma ? index + 1 : end;
}

/** Removes the comma that remains after the last field was removed. */
function removeLastComma(text: Buffer): Buffer {
  let index = text.lastIndexOf('}') - 1;
  while (isWhitespace(text[index])) index -= 1;
  return text[index] === comma ? Buffer.concat([text.subarray(0, index), text.subarray(index + 1)]) : text;
}

const comma = 0x2c;
const closeObject = 0x7d;

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
