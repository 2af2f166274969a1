/** Part of a representation; both ends count. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a Range header for a representation of so many bytes (RFC 9110, section 14).
 *
 * @returns undefined where the header is to be ignored: it is none, of another unit, or asks for several parts
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
