import type { StateBlock, StateInline } from 'markdown-it';

/** Returns a line of the text without its indent. */
export function readLine(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/** Whether a line is indented far enough to be code. */
export function isIndentedCode(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** Whether a line belongs to the current list item or quote, and is not blank. */
export function isContinuationLine(state: StateBlock, line: number, endLine: number): boolean {
  return line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent;
}

/** The last search for a closing mark: where it began, and the result; -1 if not found. */
interface CachedSearch {
  readonly from: number;
  readonly result: number;
}

const searches = new WeakMap<StateInline, Map<string, CachedSearch>>();

/**
 * Finds the closing mark at or after `from`; -1 if there is none. Caches the result, so that many opening marks need
 * only one search of the text.
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
