import type { Span } from './jsonFields.ts';

/** The bytes of a body, in pieces as they arrived. A long body is passed on without being joined. */
export type BodyPieces = readonly Uint8Array[];

export function countBytes(pieces: BodyPieces): number {
  return pieces.reduce((length, piece) => length + piece.byteLength, 0);
}

/** Joins the pieces. A single piece is not copied. */
export function joinPieces(pieces: BodyPieces): Buffer {
  const [first, ...others] = pieces;
  if (!first || others.length > 0) return Buffer.concat(pieces);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

/** The largest body that reuses memory, in bytes. */
const maxReusedBytes = 1024 * 1024;
let reusedBuffer = Buffer.alloc(0);

/** Joins the pieces in reused memory. Read the bytes before the next call, which may overwrite them. */
export function joinTemporarily(pieces: BodyPieces): Uint8Array {
  const length = countBytes(pieces);
  if (pieces.length === 1 || length > maxReusedBytes) return joinPieces(pieces);
  // Allocating memory for each body would cost more in garbage collection than all other work on it.
  if (reusedBuffer.length < length)
    reusedBuffer = Buffer.allocUnsafeSlow(Math.min(maxReusedBytes, 2 * length));
  let offset = 0;
  for (const piece of pieces) {
    reusedBuffer.set(piece, offset);
    offset += piece.byteLength;
  }
  return reusedBuffer.subarray(0, length);
}

/** Returns the bytes of a span without copying them. */
export function sliceSpan(pieces: BodyPieces, { start, end }: Span): BodyPieces {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const piece of pieces) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.byteLength);
    if (from < to) parts.push(piece.subarray(from, to));
    offset += piece.byteLength;
  }
  return parts;
}

/** Replaces a span by other bytes. */
export function replaceSpan(pieces: BodyPieces, { start, end }: Span, replacement: Uint8Array): BodyPieces {
  const before = sliceSpan(pieces, { start: 0, end: start });
  return [...before, replacement, ...sliceSpan(pieces, { start: end, end: countBytes(pieces) })];
}
