/** A range of bytes; both ends are included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a Range header (RFC 9110, section 14).
 *
 * @param size length of the representation in bytes
 * @returns undefined when the header is to be ignored: it is absent, has another unit, or asks for several
 * ranges
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return within({ first: Math.max(0, size - Number(to)), last: size - 1 }, size);
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return within({ first: Number(from), last: Math.min(to === '' ? size : Number(to), size - 1) }, size);
}

function within(range: ByteRange, size: number): ByteRange | 'unsatisfiable' {
  return range.first < size ? range : 'unsatisfiable';
}
