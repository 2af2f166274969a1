import { type Block, parseStructure, type Token } from './parser.ts';
import { TextQueue } from './textQueue.ts';

/**
 * A block that is still streaming while its first parts are already closed: the items of a list, the rows
 * of a table, the lines of a code block. `prefix` is put before the text that follows so that it parses
 * as more of the same.
 */
export interface Container {
  readonly kind: 'list' | 'table' | 'fence';
  readonly prefix: string;
}

/** Text that nothing written later can change. */
export type Closed =
  | {
      readonly kind: 'blocks';
      /** Whole blocks, or further parts of `continues` and then whole blocks. */
      readonly source: string;
      readonly continues: Container | undefined;
      /** What the last block still is: its next parts follow later. */
      readonly remains: Container | undefined;
      /** Whether a blank line was seen between items of the list that remains. */
      readonly loose: boolean;
    }
  /** A block too long to parse again and again, to be shown as it was written. `ends` closes it. */
  | { readonly kind: 'plain'; readonly text: string; readonly ends: boolean };

/** The text that may still change. */
export interface Open {
  readonly source: string;
  readonly continues: Container | undefined;
}

/** A block longer than this, without an inner boundary, is shown as plain text. */
export const maxBlockLength = 8 * 1024;

/** How much text one step takes in. Keeps a step short however much was pushed at once. */
const stepSize = 1024;

/** What a line may consist of while it is not known yet what it will be, so that it is not shown yet. */
const markers = new Set('-=*+#~`_|:.)> \t\n');
const undecidedNumber = /^[ \t>]*\d{1,9}[.)]?[ \t]*$/;

/**
 * Cuts a Markdown text that arrives piece by piece into what is closed and what is open, so that only the
 * open end has to be parsed again. Pure; one splitter per text. How the text was cut into pieces makes no
 * difference to what comes out in the end.
 *
 * A block is closed once a complete line shows that it has ended: a blank line after it, or a line that
 * begins the next block. Lists, tables and fenced code are closed part by part.
 */
export class BlockSplitter {
  readonly #waiting = new TextQueue();
  /** Whether what was pushed ends in a carriage return, to which a line feed may yet belong. */
  #carriageReturn = false;
  #open = '';
  #container: Container | undefined;
  #plain = false;

  push(text: string): void {
    const whole = this.#carriageReturn ? `\r${text}` : text;
    this.#carriageReturn = whole.endsWith('\r');
    const certain = this.#carriageReturn ? whole.slice(0, -1) : whole;
    this.#waiting.push(certain.includes('\r') ? certain.replace(/\r\n?/g, '\n') : certain);
  }

  /** Whether `step` has text to take in. */
  get pending(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Takes in some of the text that was pushed, and yields what that closed. */
  *step(): Generator<Closed> {
    this.#open += this.#waiting.take(stepSize);
    yield* this.#close();
  }

  /** Closes everything: no more text will come. */
  *end(): Generator<Closed> {
    if (this.#carriageReturn) this.push('\n');
    while (this.pending) yield* this.step();
    if (this.#plain) yield this.#take(this.#open.length, true);
    else if (this.#open !== '' || this.#container) yield this.#cut(this.#open.length, undefined, false);
  }

  /** The open end, as it should look now. */
  get open(): Open | undefined {
    if (this.#plain) return undefined;
    const shown = this.#open.slice(0, decidedLength(this.#open));
    return { source: (this.#container?.prefix ?? '') + shown, continues: this.#container };
  }

  /** Takes out everything that is not closed, arrived or still to be taken in. */
  rest(): string {
    const rest = this.#open + this.#waiting.take(Number.POSITIVE_INFINITY);
    this.#open = '';
    return rest;
  }

  *#close(): Generator<Closed> {
    for (;;) {
      // Blank lines before a block mean nothing.
      if (!this.#plain && !this.#container) this.#open = this.#open.replace(/^(?:[ \t]*\n)+/, '');
      const closed = this.#plain ? this.#closePlain() : (this.#closeBlocks() ?? this.#closeOverlong());
      if (!closed) return;
      yield closed;
    }
  }

  #closeBlocks(): Closed | undefined {
    const complete = this.#open.slice(0, this.#open.lastIndexOf('\n') + 1);
    if (complete === '') return undefined;
    const prefix = this.#container?.prefix ?? '';
    const source = prefix + complete;
    const boundary = findBoundary(source, parseStructure(source));
    if (!boundary) return undefined;
    const length = offsetOfLine(source, boundary.line) - prefix.length;
    return length > 0 ? this.#cut(length, boundary.remains, boundary.loose) : undefined;
  }

  #closeOverlong(): Closed | undefined {
    if (this.#open.length <= maxBlockLength) return undefined;
    const fence = this.#container?.kind === 'fence' ? this.#container : openFence(this.#open);
    if (fence) return this.#cut(maxBlockLength, fence, false);
    this.#plain = true;
    this.#container = undefined;
    return this.#closePlain();
  }

  /** Plain text runs to the first blank line. */
  #closePlain(): Closed | undefined {
    const blank = /\n[ \t]*\n/.exec(this.#open);
    if (blank) return this.#take(blank.index + blank[0].length, true);
    const undecided = /\n[ \t]*$/.exec(this.#open);
    const length = undecided ? undecided.index : this.#open.length;
    return length > 0 ? this.#take(length, false) : undefined;
  }

  #take(length: number, ends: boolean): Closed {
    const text = this.#open.slice(0, length);
    this.#open = this.#open.slice(length);
    if (ends) this.#plain = false;
    return { kind: 'plain', text, ends };
  }

  #cut(length: number, remains: Container | undefined, loose: boolean): Closed {
    const continues = this.#container;
    const source = (continues?.prefix ?? '') + this.#open.slice(0, length);
    this.#open = this.#open.slice(length);
    this.#container = remains;
    return { kind: 'blocks', source, continues, remains, loose };
  }
}

/** How much of an open end can be shown: all but last lines of nothing but markers. */
function decidedLength(open: string): number {
  const lastLine = open.lastIndexOf('\n') + 1;
  if (undecidedNumber.test(open.slice(lastLine))) return lastLine;
  let end = open.length;
  while (end > 0 && markers.has(open.charAt(end - 1))) end -= 1;
  if (end === open.length) return end;
  return end === 0 ? 0 : open.indexOf('\n', end) + 1 || open.length;
}

interface Boundary {
  /** Everything before this line is closed. */
  readonly line: number;
  readonly remains: Container | undefined;
  readonly loose: boolean;
}

/** Finds how much of `source`, which is made of complete lines, can no longer change. */
function findBoundary(source: string, blocks: readonly Block[]): Boundary | undefined {
  const last = blocks.at(-1);
  if (!last) return undefined;
  const inner = innerBoundary(source, last);
  if (inner) return inner;
  if (endsAtBlankLine(last) && last.end < countLines(source)) return closedAt(last.end);
  const previous = blocks.at(-2);
  return previous ? closedAt(previous.end) : undefined;
}

function closedAt(line: number): Boundary {
  return { line, remains: undefined, loose: false };
}

function endsAtBlankLine(block: Block): boolean {
  return block.opener.type !== 'code_block' && !isList(block);
}

function isList(block: Block): boolean {
  return block.opener.type === 'bullet_list_open' || block.opener.type === 'ordered_list_open';
}

/** The boundary inside the last block, when its parts close one by one. */
function innerBoundary(source: string, block: Block): Boundary | undefined {
  if (isList(block)) return listBoundary(block);
  if (block.opener.type === 'fence') return fenceBoundary(source, block);
  if (block.opener.type === 'table_open') return tableBoundary(source, block);
  return undefined;
}

/** An item is closed when the next one has begun. */
function listBoundary(list: Block): Boundary | undefined {
  const items = list.tokens.filter((token) => token.type === 'list_item_open' && token.level === 1);
  const lastItem = items.at(-1);
  if (!lastItem?.map || items.length < 2) return undefined;
  const number = list.opener.type === 'ordered_list_open' ? '1' : '';
  // An item indented far enough that the items which follow, at any indent, stand beside it, not in it.
  const prefix = `${number}${list.opener.markup}    x\n`;
  return { line: lastItem.map[0], remains: { kind: 'list', prefix }, loose: isLooseList(list.tokens) };
}

/**
 * Whether a blank line stands between the items of the list that opens at `start`, or between the blocks
 * of one of them: its paragraphs then stand apart.
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

function fenceBoundary(source: string, fence: Block): Boundary | undefined {
  const contentLines = countLines(fence.opener.content);
  const isClosed = fence.end - fence.start === contentLines + 2;
  if (isClosed) return closedAt(fence.end);
  // With a `|` in it, the opening line may yet turn out to be the head of a table.
  if (contentLines === 0) return undefined;
  return { line: fence.end, remains: streamingFence(source, fence), loose: false };
}

/** Goes on without the opening line's words: they could make a table of it together with a later line. */
function streamingFence(source: string, fence: Block): Container {
  const indent = /^ */.exec(sliceLines(source, fence.start, fence.start + 1))?.[0] ?? '';
  return { kind: 'fence', prefix: `${indent}${fence.opener.markup}\n` };
}

/** The block of code that `source` ends in, if its first line is not even complete. */
function openFence(source: string): Container | undefined {
  const last = parseStructure(source).at(-1);
  return last?.opener.type === 'fence' ? streamingFence(source, last) : undefined;
}

function tableBoundary(source: string, table: Block): Boundary | undefined {
  if (table.end < countLines(source)) return undefined;
  const prefix = sliceLines(source, table.start, table.start + 2);
  return { line: table.end, remains: { kind: 'table', prefix }, loose: false };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let passed = 0; passed < line; passed += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

function sliceLines(text: string, start: number, end: number): string {
  return text.slice(offsetOfLine(text, start), offsetOfLine(text, end));
}
