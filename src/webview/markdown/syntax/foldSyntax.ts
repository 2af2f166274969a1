import type { MarkdownIt, StateBlock } from 'markdown-it';
import { isIndentedCode, readLine } from './parserState.ts';

/** The types of the tokens for the lines that begin and end a fold, and for its summary. */
export const foldOpen = 'fold_open';
export const foldSummary = 'fold_summary';
export const foldClose = 'fold_close';

// Only one part of a pattern matches each blank, so that the time for a blank line is proportional to its length.
const openingLine = /^<details(?:\s+open(?:="[a-z]*")?)?>(?:\s*<summary>(.*?)<\/summary>)?\s*$/i;
const summaryLine = /^<summary>(.*?)<\/summary>\s*$/i;
const closingLine = /^<\/details>\s*$/i;
const markerBeginnings = ['<details', '<summary', '</details'];

/**
 * Adds the syntax of lines with `<details>`, `<summary>` or `</details>`, also in lists and quotes. Each line is a
 * separate block, so that the text between them may have any length and may arrive in parts.
 */
export function addFoldSyntax({ block }: MarkdownIt): void {
  block.ruler.before('table', 'fold', readMarker, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
}

/** The marks of quotes and items before the text of a line. */
const containers = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*/;

/** Whether an incomplete line may become a fold marker. */
export function mayBeginFold(line: string): boolean {
  const start = line.replace(containers, '').toLowerCase();
  return (
    start.startsWith('<') &&
    markerBeginnings.some((beginning) => beginning.startsWith(start) || start.startsWith(beginning))
  );
}

function readMarker(state: StateBlock, startLine: number, _endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const line = readLine(state, startLine);
  const type = readMarkerType(line);
  if (type === undefined) return false;
  // The marker ends a paragraph above it, also if that paragraph is in a list item.
  if (isSilent) return true;
  const token = state.push(type, '', 0);
  token.content = (openingLine.exec(line)?.[1] ?? summaryLine.exec(line)?.[1] ?? '').trim();
  token.markup = line;
  token.map = [startLine, startLine + 1];
  state.line = startLine + 1;
  return true;
}

function readMarkerType(line: string): string | undefined {
  if (!line.startsWith('<')) return undefined;
  if (openingLine.test(line)) return foldOpen;
  if (summaryLine.test(line)) return foldSummary;
  return closingLine.test(line) ? foldClose : undefined;
}
