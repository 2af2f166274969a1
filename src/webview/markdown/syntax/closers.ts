import type { StateInline } from 'markdown-it';

/** Where a closing mark was looked for last, and found; -1 for nowhere. */
interface Found {
  readonly from: number;
  readonly at: number;
}

const found = new WeakMap<StateInline, Map<string, Found>>();

/**
 * Finds where a mark closes, at or after `from`; -1 for nowhere. Remembers what it found, so that many opening
 * marks cost no more than one look at the text.
 *
 * @param find looks the mark up; `indexOf` unless told
 */
export function closerAfter(
  state: StateInline,
  mark: string,
  from: number,
  find: (text: string, from: number) => number = (text, start) => text.indexOf(mark, start),
): number {
  const marks = found.get(state) ?? new Map<string, Found>();
  found.set(state, marks);
  const known = marks.get(mark);
  if (known && from >= known.from && (known.at === -1 || from <= known.at)) return known.at;
  const at = find(state.src, from);
  marks.set(mark, { from, at });
  return at;
}
