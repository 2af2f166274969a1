import type { Span } from './jsonFields.ts';

/** The bytes of a body in the pieces in which they arrived. A long body is passed on without being joined. */
export type Pieces = readonly Uint8Array[];

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((length, piece) => length + piece.byteLength, 0);
}

/** All bytes in one piece. */
export function joined(pieces: Pieces): Buffer {
  const [first, ...others] = pieces;
  if (!first || others.length > 0) return Buffer.concat(pieces);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

/** The largest body for which memory is kept, in bytes. */
const maxKept = 1024 * 1024;
let kept = Buffer.alloc(0);

/** All bytes in one piece, to be read at once: the next call may put others there. */
export function joinedForNow(pieces: Pieces): Uint8Array {
  const length = lengthOf(pieces);
  if (pieces.length === 1 || length > maxKept) return joined(pieces);
  // Memory of its own for each body costs more, in collecting garbage, than all else that is done with it.
  if (kept.length < length) kept = Buffer.allocUnsafeSlow(Math.min(maxKept, 2 * length));
  let at = 0;
  for (const piece of pieces) {
    kept.set(piece, at);
    at += piece.byteLength;
  }
  return kept.subarray(0, length);
}

/** The bytes of a span. */
export function slice(pieces: Pieces, { start, end }: Span): Pieces {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, piece.byteLength);
    if (from < to) parts.push(piece.subarray(from, to));
    at += piece.byteLength;
  }
  return parts;
}

/** Puts other bytes in place of a span. */
export function replaceSpan(pieces: Pieces, { start, end }: Span, text: Uint8Array): Pieces {
  const before = slice(pieces, { start: 0, end: start });
  return [...before, text, ...slice(pieces, { start: end, end: lengthOf(pieces) })];
}
