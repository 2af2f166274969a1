import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { isIndentedCode, lineOf } from './lines.ts';

const definition = /^\[\^([^[\]\s]{1,100})\]:[ \t]*/;
const mention = /\[\^([^[\]\s]{1,100})\]/y;

/**
 * The name under which a footnote's definition is kept among those of links. Labels of links are kept in
 * upper case, so none of them is that of a footnote.
 */
export function footnoteKey(label: string): string {
  return `footnote ${label}`;
}

/** Mentions such as `[^1]` of a footnote that is defined somewhere. */
export function readFootnoteMentions({ inline }: MarkdownIt): void {
  inline.ruler.before('link', 'footnote_mention', readMention);
}

/** Definitions such as `[^1]: Words`, with the blocks below that are indented. */
export function readFootnotes({ block }: MarkdownIt): void {
  block.ruler.before('table', 'footnote', readDefinition, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function readMention(state: StateInline, silent: boolean): boolean {
  mention.lastIndex = state.pos;
  const [text, label] = mention.exec(state.src) ?? [];
  if (text === undefined || label === undefined || state.pos + text.length > state.posMax) return false;
  if (!state.env.references || !(footnoteKey(label) in state.env.references)) return false;
  if (!silent) state.push('footnote_mention', '', 0).content = label;
  state.pos += text.length;
  return true;
}

function readDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (isIndentedCode(state, startLine)) return false;
  const [marker, label] = definition.exec(lineOf(state, startLine)) ?? [];
  if (marker === undefined || label === undefined) return false;
  if (silent) return true;
  // The first of two definitions counts, as with links.
  state.env.references ??= {};
  const key = footnoteKey(label);
  if (!(key in state.env.references)) state.env.references[key] = { href: '', title: '' };
  const opener = state.push('footnote_open', '', 1);
  opener.content = label;
  readBody(state, startLine, endLine, marker.length);
  opener.map = [startLine, state.line];
  state.push('footnote_close', '', -1).content = label;
  return true;
}

/** Reads the blocks of a definition: the words after its marker, and lines indented by four columns. */
function readBody(state: StateBlock, startLine: number, endLine: number, markerLength: number): void {
  const { blkIndent, parentType } = state;
  const kept = [
    state.bMarks[startLine] ?? 0,
    state.tShift[startLine] ?? 0,
    state.sCount[startLine] ?? 0,
  ] as const;
  const [begin, shift] = kept;
  state.blkIndent += 4;
  state.parentType = 'footnote';
  placeLine(state, startLine, [begin + shift + markerLength, 0, state.blkIndent]);
  state.md.block.tokenize(state, startLine, endLine);
  placeLine(state, startLine, kept);
  state.parentType = parentType;
  state.blkIndent = blkIndent;
}

/** Sets where a line begins, how many characters of indent it has, and to which column they reach. */
function placeLine(
  state: StateBlock,
  line: number,
  [begin, shift, column]: readonly [number, number, number],
): void {
  state.bMarks[line] = begin;
  state.tShift[line] = shift;
  state.sCount[line] = column;
}
