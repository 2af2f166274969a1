import { type Block, parseStructure, type Token } from './markdownParser.ts';
import { foldClose, foldOpen, foldSummary } from './syntax/foldSyntax.ts';

/**
 * An arriving block whose first parts are already closed: items of a list, rows of a table or lines of a code block.
 * With `prefix` before it, the following text is parsed as a continuation of the block.
 */
export interface Container {
  readonly kind: 'list' | 'table' | 'fence';
  readonly prefix: string;
}

/** The part of a text that later text cannot change. */
interface Boundary {
  /** Everything before this line is closed. */
  readonly line: number;
  /** The container of the unfinished block at the boundary. */
  readonly openContainer: Container | undefined;
  /** Whether there was a blank line between items of the unfinished list. */
  readonly isLoose: boolean;
}

/**
 * Finds the part of `source`, which consists of complete lines, that can no longer change: everything before
 * `offset`. Undefined if everything can still change.
 */
export function findBoundary(source: string): (Boundary & { readonly offset: number }) | undefined {
  const boundary = findBlockBoundary(source, parseStructure(source));
  return boundary && { ...boundary, offset: findLineOffset(source, boundary.line) };
}

function findBlockBoundary(source: string, blocks: readonly Block[]): Boundary | undefined {
  const last = blocks.at(-1);
  if (!last) return undefined;
  if (isFoldMarker(last)) return createBoundary(last.end);
  const inner = findInnerBoundary(source, last);
  if (inner) return inner;
  if (endsAtBlankLine(last) && last.end < countLines(source)) return createBoundary(last.end);
  const previous = blocks.at(-2);
  return previous ? createBoundary(previous.end) : undefined;
}

function createBoundary(line: number): Boundary {
  return { line, openContainer: undefined, isLoose: false };
}

/** Whether a block is a line that begins, names or ends a fold. Such a line is always a separate block. */
export function isFoldMarker({ opener: { type } }: Block): boolean {
  return type === foldOpen || type === foldSummary || type === foldClose;
}

function endsAtBlankLine(block: Block): boolean {
  const { type } = block.opener;
  return type !== 'code_block' && type !== 'footnote_open' && !isList(block);
}

function isList(block: Block): boolean {
  return block.opener.type === 'bullet_list_open' || block.opener.type === 'ordered_list_open';
}

/** Finds the boundary inside the last block, if its parts close one by one. */
function findInnerBoundary(source: string, block: Block): Boundary | undefined {
  if (isList(block)) return findListBoundary(block);
  if (block.opener.type === 'fence') return findFenceBoundary(source, block);
  if (block.opener.type === 'table_open') return findTableBoundary(source, block);
  return undefined;
}

/** Finds the boundary in a list: an item is closed when the next one has begun. */
function findListBoundary(list: Block): Boundary | undefined {
  const items = list.tokens.filter((token) => token.type === 'list_item_open' && token.level === 1);
  const lastItem = items.at(-1);
  if (!lastItem?.map || items.length < 2) return undefined;
  const number = list.opener.type === 'ordered_list_open' ? '1' : '';
  // Indented so far that the following items, at any indent, are parsed as its siblings, not as its children.
  const prefix = `${number}${list.opener.markup}    x\n`;
  return {
    line: lastItem.map[0],
    openContainer: { kind: 'list', prefix },
    isLoose: isLooseList(list.tokens),
  };
}

/**
 * Whether there is a blank line between the items of the list that opens at `start`, or between the blocks of an
 * item. Its paragraphs then have space between them.
 */
export function isLooseList(tokens: readonly Token[], start = 0): boolean {
  const level = tokens[start]?.level ?? 0;
  for (let index = start + 1; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token || token.level === level) return false;
    if (token.type === 'paragraph_open' && token.level === level + 2 && !token.hidden) return true;
  }
  return false;
}

function findFenceBoundary(source: string, fence: Block): Boundary | undefined {
  const contentLines = countLines(fence.opener.content);
  const isClosed = fence.end - fence.start === contentLines + 2;
  if (isClosed) return createBoundary(fence.end);
  // An opening line with a `|` could still become the head of a table.
  if (contentLines === 0) return undefined;
  return { line: fence.end, openContainer: createFenceContainer(source, fence), isLoose: false };
}

/** Creates a container without the text after the opening fence, which could form a table with a later line. */
function createFenceContainer(source: string, fence: Block): Container {
  const indent = /^ */.exec(sliceLines(source, fence.start, fence.start + 1))?.[0] ?? '';
  return { kind: 'fence', prefix: `${indent}${fence.opener.markup}\n` };
}

/** Returns the container of the code block at the end of `source`; undefined if there is none. */
export function findFenceContainer(source: string): Container | undefined {
  const last = parseStructure(source).at(-1);
  return last?.opener.type === 'fence' ? createFenceContainer(source, last) : undefined;
}

function findTableBoundary(source: string, table: Block): Boundary | undefined {
  if (table.end < countLines(source)) return undefined;
  const prefix = sliceLines(source, table.start, table.start + 2);
  return { line: table.end, openContainer: { kind: 'table', prefix }, isLoose: false };
}

function countLines(text: string): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) count += 1;
  return count;
}

function findLineOffset(text: string, line: number): number {
  let offset = 0;
  for (let index = 0; index < line; index += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

function sliceLines(text: string, start: number, end: number): string {
  return text.slice(findLineOffset(text, start), findLineOffset(text, end));
}
