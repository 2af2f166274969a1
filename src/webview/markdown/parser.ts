import MarkdownIt, { type Env, type StateBlock, type Token } from 'markdown-it';
import { fileLink, openableLink } from './links.ts';
import { readAnnotations } from './syntax/annotations.ts';
import { readFolds } from './syntax/details.ts';
import { readFootnoteMentions, readFootnotes } from './syntax/footnotes.ts';
import { maxColumns } from './syntax/limits.ts';
import { lineOf } from './syntax/lines.ts';
import { readMarks } from './syntax/marks.ts';
import { readMaths, readMathsBlocks } from './syntax/maths.ts';

export type { Token };

/** Link reference definitions seen so far, by normalised label. */
export type References = NonNullable<Env['references']>;

/** The type of a token that holds a table with too many columns, as it was written. */
export const wideTable = 'wide_table';

const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.validateLink = (url) => openableLink(url) !== undefined || fileLink(url) !== undefined;
// Without a scheme `main.rs` and `README.md` would become links to other people's hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const blocksOnly = new MarkdownIt({ html: false });
blocksOnly.validateLink = markdown.validateLink;
blocksOnly.core.ruler.enableOnly(['normalize', 'block']);

for (const parser of [markdown, blocksOnly]) {
  parser.block.ruler.before('table', wideTable, readWideTable, { alt: ['paragraph', 'reference'] });
  parser.use(readMathsBlocks).use(readFootnotes).use(readFolds);
}
markdown.use(readMaths).use(readFootnoteMentions).use(readMarks).use(readAnnotations);

/** One block that stands at the top level: its tokens, and the lines it covers as [first, end). */
export interface Block {
  readonly opener: Token;
  readonly tokens: readonly Token[];
  readonly start: number;
  readonly end: number;
  /** The text that the lines are of. */
  readonly source: string;
}

/**
 * Parses Markdown whole. Definitions of links and footnotes found are added to `references`.
 *
 * @param arriving whether more of the text may follow: a formula without an end is then kept as it is written
 */
export function parse(source: string, references: References, arriving = false): readonly Block[] {
  return topLevel(markdown.parse(source, { references, arriving }), source);
}

/** Parses only the block structure, which is all it takes to see where blocks end. */
export function parseStructure(source: string): readonly Block[] {
  return topLevel(blocksOnly.parse(source, {}), source);
}

/** The form of a link label under which its definition is kept. */
export function normalizeLabel(label: string): string {
  return markdown.utils.normalizeReference(label);
}

function topLevel(tokens: readonly Token[], source: string): readonly Block[] {
  const blocks: (Block & { tokens: Token[] })[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      const [start, end] = token.map ?? [0, 0];
      blocks.push({ opener: token, tokens: [token], start, end, source });
    } else {
      blocks.at(-1)?.tokens.push(token);
    }
  }
  return blocks;
}

/**
 * Takes a table with too many columns as it was written. Each of its rows, however short, would become as
 * many cells.
 */
function readWideTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const next = startLine + 1;
  if (next >= endLine || !isWideRule(lineOf(state, next))) return false;
  if (silent) return true;
  let end = startLine;
  while (end < endLine && !state.isEmpty(end)) end += 1;
  const token = state.push(wideTable, '', 0);
  token.content = state.getLines(startLine, end, state.blkIndent, false);
  token.map = [startLine, end];
  state.line = end;
  return true;
}

function isWideRule(line: string): boolean {
  return line.length > maxColumns && /^[|:\- \t]+$/.test(line) && line.split('|').length > maxColumns + 1;
}
