import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { openableLink } from './links.ts';

export type { Token };

/** Link reference definitions seen so far, by normalised label. */
export type References = NonNullable<Env['references']>;

const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.validateLink = (url) => openableLink(url) !== undefined;
// Without a scheme `main.rs` and `README.md` would become links to other people's hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const blocksOnly = new MarkdownIt({ html: false });
blocksOnly.validateLink = markdown.validateLink;
blocksOnly.core.ruler.enableOnly(['normalize', 'block']);

/** One block that stands at the top level: its tokens, and the lines it covers as [first, end). */
export interface Block {
  readonly opener: Token;
  readonly tokens: readonly Token[];
  readonly start: number;
  readonly end: number;
}

/** Parses Markdown whole. Link reference definitions found are added to `references`. */
export function parse(source: string, references: References): readonly Block[] {
  return topLevel(markdown.parse(source, { references }));
}

/** Parses only the block structure, which is all it takes to see where blocks end. */
export function parseStructure(source: string): readonly Block[] {
  return topLevel(blocksOnly.parse(source, {}));
}

/** The form of a link label under which its definition is kept. */
export function normalizeLabel(label: string): string {
  return markdown.utils.normalizeReference(label);
}

function topLevel(tokens: readonly Token[]): readonly Block[] {
  const blocks: (Block & { tokens: Token[] })[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      const [start, end] = token.map ?? [0, 0];
      blocks.push({ opener: token, tokens: [token], start, end });
    } else {
      blocks.at(-1)?.tokens.push(token);
    }
  }
  return blocks;
}
