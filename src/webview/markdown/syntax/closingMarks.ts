import type { StateInline } from 'markdown-it';

/** The last search for a closing mark: where it began, and the result; -1 if not found. */
interface CachedSearch {
  readonly from: number;
  readonly result: number;
}

const searches = new WeakMap<StateInline, Map<string, CachedSearch>>();

/**
 * Finds the closing mark at or after `from`; -1 if there is none. Remembers the result, so that many opening marks
 * cost only one search of the text.
 *
 * @param find searches for the mark; `indexOf` by default
 */
export function findCloser(
  state: StateInline,
  mark: string,
  from: number,
  find: (text: string, from: number) => number = (text, start) => text.indexOf(mark, start),
): number {
  const marks = searches.get(state) ?? new Map<string, CachedSearch>();
  searches.set(state, marks);
  const cached = marks.get(mark);
  if (cached && from >= cached.from && (cached.result === -1 || from <= cached.result)) return cached.result;
  const result = find(state.src, from);
  marks.set(mark, { from, result });
  return result;
}
