import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { maxFormulaLength } from './markdownLimits.ts';
import { findCloser, isContinuationLine, isIndentedCode, readLine } from './parserState.ts';

/** The types of the tokens that contain a formula: inline, and on separate lines. */
export const inlineMaths = 'maths_inline';
export const displayMaths = 'maths_display';

/** Delimiters, longer ones first. */
const delimiters = [
  { opener: '$$', closer: '$$', type: displayMaths },
  { opener: '\\[', closer: '\\]', type: displayMaths },
  { opener: '\\(', closer: '\\)', type: inlineMaths },
] as const;

/** Adds the syntax of formulas between `$`, `$$`, `\(` and `\[`. */
export function addMathsSyntax({ inline }: MarkdownIt): void {
  inline.ruler.before('escape', 'maths', readDelimited);
  inline.ruler.before('escape', 'dollar_maths', readDollars);
}

/**
 * Adds the syntax of formulas on separate lines. A formula does not contain a blank line, so an unclosed formula ends
 * with its paragraph.
 */
export function addMathsBlockSyntax({ block }: MarkdownIt): void {
  block.ruler.before('table', displayMaths, readFormulaBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function readFormulaBlock(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const first = readLine(state, startLine);
  const delimiter = delimiters.find(({ opener, type }) => type === displayMaths && first.startsWith(opener));
  if (!delimiter || first.startsWith('$$$')) return false;
  const closing = first.indexOf(delimiter.closer, delimiter.opener.length);
  if (closing !== -1 && first.slice(closing + delimiter.closer.length).trim() !== '') return false;
  if (isSilent) return true;
  let last = startLine;
  let isClosed = closing !== -1;
  while (!isClosed && isContinuationLine(state, last + 1, endLine)) {
    last += 1;
    isClosed = readLine(state, last).trimEnd().endsWith(delimiter.closer);
  }
  state.line = last + 1;
  const text = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  const formula = text.slice(delimiter.opener.length, -delimiter.closer.length).trim();
  if (isClosed && formula !== '' && !formula.includes(delimiter.closer))
    pushFormula(state, formula, startLine);
  else pushParagraph(state, text, startLine);
  return true;
}

function pushFormula(state: StateBlock, formula: string, startLine: number): void {
  const token = state.push(displayMaths, '', 0);
  token.content = formula;
  token.map = [startLine, state.line];
}

function pushParagraph(state: StateBlock, text: string, startLine: number): void {
  state.push('paragraph_open', 'p', 1).map = [startLine, state.line];
  const token = state.push('inline', '', 0);
  token.content = text;
  token.map = [startLine, state.line];
  token.children = [];
  state.push('paragraph_close', 'p', -1);
}

function readDelimited(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  const delimiter = delimiters.find(({ opener }) => src.startsWith(opener, pos));
  if (!delimiter || src.startsWith('$$$', pos) || (src[pos] === '$' && src[pos - 1] === '$')) return false;
  const start = pos + delimiter.opener.length;
  const end = findCloser(state, delimiter.closer, start);
  if (end === -1) return showAsSource(state, isSilent);
  const formula = src.slice(start, end).trim();
  if (formula === '' || end > state.posMax) return false;
  return pushInlineFormula(state, isSilent, {
    type: delimiter.type,
    formula,
    end: end + delimiter.closer.length,
  });
}

/**
 * Reads a formula between single `$`. A `$` opens a formula if the next character is not a blank. It closes the
 * formula if the previous character is not a blank and the next one is not a letter or number. Prices and names of
 * variables are therefore not read as formulas.
 */
function readDollars(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$' || src[pos + 1] === '$' || /[\p{L}\p{N}$]/u.test(src[pos - 1] ?? '')) return false;
  if (!/^\S/.test(src[pos + 1] ?? '')) return false;
  const end = findCloser(state, '$', pos + 1, findClosingDollar);
  const isUnfinished = end === -1 && looksLikeMaths(src.slice(pos + 1, pos + 200));
  if (isUnfinished) return showAsSource(state, isSilent);
  if (end === -1 || end >= state.posMax || end - pos > maxFormulaLength) return false;
  const formula = src.slice(pos + 1, end);
  if (formula === '' || isPrice(formula)) return false;
  return pushInlineFormula(state, isSilent, { type: inlineMaths, formula, end: end + 1 });
}

function findClosingDollar(text: string, from: number): number {
  for (let index = text.indexOf('$', from); index !== -1; index = text.indexOf('$', index + 1)) {
    if (/[^\s\\$]/.test(text[index - 1] ?? ' ') && !/[\p{L}\p{N}$]/u.test(text[index + 1] ?? ''))
      return index;
  }
  return -1;
}

function looksLikeMaths(text: string): boolean {
  return /[\\^_{}=]/.test(text);
}

/** Whether a text is prose that begins with a price, such as the text after the `$` of "$5 or 6". */
function isPrice(text: string): boolean {
  return /^[\d.,]+\s/.test(text) && /\s\p{L}{2,}/u.test(text) && !looksLikeMaths(text);
}

/** Shows an unclosed formula as source while the text arrives. Marks in it are ignored. */
function showAsSource(state: StateInline, isSilent: boolean): boolean {
  if (!state.env.arriving) return false;
  if (!isSilent) state.pending += state.src.slice(state.pos, state.posMax);
  state.pos = state.posMax;
  return true;
}

interface Formula {
  readonly type: string;
  readonly formula: string;
  /** Where the text continues. */
  readonly end: number;
}

function pushInlineFormula(state: StateInline, isSilent: boolean, { type, formula, end }: Formula): boolean {
  if (formula.length > maxFormulaLength) return false;
  if (!isSilent) state.push(type, '', 0).content = formula;
  state.pos = end;
  return true;
}
