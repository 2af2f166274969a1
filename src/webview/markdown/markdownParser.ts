import MarkdownIt, {
  type Env,
  type MarkdownIt as MarkdownItParser,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it';
import { parseOpenableLink, readFileLink } from './linkTargets.ts';
import { addAlertAndTaskSyntax } from './syntax/alertAndTaskSyntax.ts';
import { addFoldSyntax } from './syntax/foldSyntax.ts';
import { addFootnoteMentionSyntax, addFootnoteSyntax } from './syntax/footnoteSyntax.ts';
import { maxColumns } from './syntax/markdownLimits.ts';
import { addMathsBlockSyntax, addMathsSyntax } from './syntax/mathsSyntax.ts';
import { findCloser, readLine } from './syntax/parserState.ts';

export type { Token };

const superscript = /\^([^\s^\\]{1,100})\^/y;
const subscript = /~([^\s~\\]{1,100})~(?!~)/y;
const openingTag = /<(sub|sup|kbd|b|strong|i|em)>/y;
const lineBreakTag = /<br[ \t]*\/?>/y;

/** The elements for the HTML tags that models write within lines. All other HTML is shown as source. */
const elementTags: Readonly<Record<string, string>> = {
  sub: 'sub',
  sup: 'sup',
  kbd: 'kbd',
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
};

/** The longest text between two tags, in UTF-16 units. */
const maxTaggedLength = 1000;

/** The link definitions found so far, by normalised label. */
export type References = NonNullable<Env['references']>;

/** The type of a token that contains the source of a table with too many columns. */
export const wideTable = 'wide_table';

const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.validateLink = (url) => parseOpenableLink(url) !== undefined || readFileLink(url) !== undefined;
// Without a scheme, `main.rs` and `README.md` would become links to unrelated hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const blocksOnly = new MarkdownIt({ html: false });
blocksOnly.validateLink = markdown.validateLink;
blocksOnly.core.ruler.enableOnly(['normalize', 'block']);

for (const parser of [markdown, blocksOnly]) {
  parser.block.ruler.before('table', wideTable, readWideTable, { alt: ['paragraph', 'reference'] });
  parser.use(addMathsBlockSyntax).use(addFootnoteSyntax).use(addFoldSyntax);
}
markdown.use(addMathsSyntax).use(addFootnoteMentionSyntax).use(addMarkSyntax).use(addAlertAndTaskSyntax);

/** A top-level block: its tokens, and its lines from `start` to before `end`. */
export interface Block {
  readonly opener: Token;
  readonly tokens: readonly Token[];
  readonly start: number;
  readonly end: number;
  /** The text that contains the lines. */
  readonly source: string;
}

/**
 * Parses a whole Markdown text, and adds its definitions of links and footnotes to `references`.
 *
 * @param isArriving whether more of the text may follow: an unclosed formula is then shown as source
 */
export function parse(source: string, references: References, isArriving = false): readonly Block[] {
  return groupTopLevelBlocks(markdown.parse(source, { references, arriving: isArriving }), source);
}

/** Parses only the block structure, which is enough to find the ends of blocks. */
export function parseStructure(source: string): readonly Block[] {
  return groupTopLevelBlocks(blocksOnly.parse(source, {}), source);
}

/** Returns the normalised form of a link label, which is the key of its definition. */
export function normalizeLabel(label: string): string {
  return markdown.utils.normalizeReference(label);
}

function groupTopLevelBlocks(tokens: readonly Token[], source: string): readonly Block[] {
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
 * Reads a table with too many columns as source. Each of its rows, even a short one, would become that many cells.
 */
function readWideTable(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const next = startLine + 1;
  if (next >= endLine || !isWideRule(readLine(state, next))) return false;
  if (isSilent) return true;
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

/** Adds the syntax of `~sub~`, `^sup^`, and a few HTML tags. */
function addMarkSyntax({ inline }: MarkdownItParser): void {
  inline.ruler.before('strikethrough', 'scripts', readScript);
  inline.ruler.before('html_inline', 'tags', readTag);
}

function readScript(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  const mark = src[pos];
  if ((mark !== '^' && mark !== '~') || src[pos - 1] === mark) return false;
  const pattern = mark === '^' ? superscript : subscript;
  pattern.lastIndex = pos;
  const [text, content] = pattern.exec(src) ?? [];
  if (text === undefined || content === undefined || pos + text.length > state.posMax) return false;
  if (!isSilent) {
    const tag = mark === '^' ? 'sup' : 'sub';
    state.push(`${tag}_open`, tag, 1);
    state.push('text', '', 0).content = content;
    state.push(`${tag}_close`, tag, -1);
  }
  state.pos += text.length;
  return true;
}

function readTag(state: StateInline, isSilent: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  return readBreak(state, isSilent) || readPair(state, isSilent);
}

function readBreak(state: StateInline, isSilent: boolean): boolean {
  lineBreakTag.lastIndex = state.pos;
  const [text] = lineBreakTag.exec(state.src) ?? [];
  if (text === undefined || state.pos + text.length > state.posMax) return false;
  if (!isSilent) state.push('hardbreak', 'br', 0);
  state.pos += text.length;
  return true;
}

function readPair(state: StateInline, isSilent: boolean): boolean {
  openingTag.lastIndex = state.pos;
  const [text, name = ''] = openingTag.exec(state.src) ?? [];
  const tag = elementTags[name];
  if (text === undefined || tag === undefined) return false;
  const start = state.pos + text.length;
  const closer = `</${name}>`;
  const end = findCloser(state, closer, start);
  const after = end + closer.length;
  if (end === -1 || after > state.posMax || end - start > maxTaggedLength) return false;
  if (!isSilent) readPairContent(state, { tag, start, end });
  state.pos = after;
  return true;
}

function readPairContent(
  state: StateInline,
  { tag, start, end }: { readonly tag: string; readonly start: number; readonly end: number },
): void {
  const { posMax } = state;
  state.push(`${tag}_open`, tag, 1);
  state.pos = start;
  state.posMax = end;
  state.md.inline.tokenize(state);
  state.posMax = posMax;
  state.push(`${tag}_close`, tag, -1);
}
