import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { isIndentedCode, readLine } from './parserState.ts';

const definitionMarker = /^\[\^([^[\]\s]{1,100})\]:[ \t]*/;
const mentionMark = /\[\^([^[\]\s]{1,100})\]/y;

/**
 * Creates the key of a footnote's definition among the definitions of links. The keys of links are in upper case,
 * so they never equal the key of a footnote.
 */
export function createFootnoteKey(label: string): string {
  return `footnote ${label}`;
}

/** Adds the syntax of references such as `[^1]` to a footnote that has a definition. */
export function addFootnoteMentionSyntax({ inline }: MarkdownIt): void {
  inline.ruler.before('link', 'footnote_mention', readMention);
}

/** Adds the syntax of definitions such as `[^1]: Words`, with the indented blocks below. */
export function addFootnoteSyntax({ block }: MarkdownIt): void {
  block.ruler.before('table', 'footnote', readDefinition, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function readMention(state: StateInline, isSilent: boolean): boolean {
  mentionMark.lastIndex = state.pos;
  const [text, label] = mentionMark.exec(state.src) ?? [];
  if (text === undefined || label === undefined || state.pos + text.length > state.posMax) return false;
  if (!state.env.references || !(createFootnoteKey(label) in state.env.references)) return false;
  if (!isSilent) state.push('footnote_mention', '', 0).content = label;
  state.pos += text.length;
  return true;
}

function readDefinition(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const [marker, label] = definitionMarker.exec(readLine(state, startLine)) ?? [];
  if (marker === undefined || label === undefined) return false;
  if (isSilent) return true;
  // If a footnote is defined twice, the first definition applies, as with links.
  state.env.references ??= {};
  const key = createFootnoteKey(label);
  if (!(key in state.env.references)) state.env.references[key] = { href: '', title: '' };
  const opener = state.push('footnote_open', '', 1);
  opener.content = label;
  readBody(state, startLine, endLine, marker.length);
  opener.map = [startLine, state.line];
  state.push('footnote_close', '', -1).content = label;
  return true;
}

/** Reads the blocks of a definition: the text after its marker, and lines indented by four columns. */
function readBody(state: StateBlock, startLine: number, endLine: number, markerLength: number): void {
  const { blkIndent, parentType } = state;
  const original = [
    state.bMarks[startLine] ?? 0,
    state.tShift[startLine] ?? 0,
    state.sCount[startLine] ?? 0,
  ] as const;
  const [begin, shift] = original;
  state.blkIndent += 4;
  state.parentType = 'footnote';
  setLineStart(state, startLine, [begin + shift + markerLength, 0, state.blkIndent]);
  state.md.block.tokenize(state, startLine, endLine);
  setLineStart(state, startLine, original);
  state.parentType = parentType;
  state.blkIndent = blkIndent;
}

/** Sets the start of a line, the number of its indent characters, and the column where the indent ends. */
function setLineStart(
  state: StateBlock,
  line: number,
  [begin, shift, column]: readonly [number, number, number],
): void {
  state.bMarks[line] = begin;
  state.tShift[line] = shift;
  state.sCount[line] = column;
}
