import type { StateBlock } from 'markdown-it';

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
