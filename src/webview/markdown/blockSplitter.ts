import { type Container, findBoundary, findFenceContainer } from './blockBoundaries.ts';
import { TextQueue } from './streaming/streamingText.ts';
import { mayBeginFold } from './syntax/foldSyntax.ts';

/** Text that later text cannot change. */
export type ClosedPart =
  | {
      readonly kind: 'blocks';
      /** Whole blocks, after further parts of `continuedContainer` if it is set. */
      readonly source: string;
      /** The container of the block that the previous part left unfinished. */
      readonly continuedContainer: Container | undefined;
      /** The container of the last block, if the block is unfinished: its next parts follow later. */
      readonly openContainer: Container | undefined;
      /** Whether there was a blank line between items of the unfinished list. */
      readonly isLoose: boolean;
    }
  /** A part of a block that is too long to parse repeatedly. It is shown as it was written. */
  | { readonly kind: 'plain'; readonly text: string; readonly isLast: boolean };

/** The text at the end that may still change. */
interface OpenText {
  readonly source: string;
  readonly continuedContainer: Container | undefined;
}

/** The maximum length of a block without an inner boundary, in UTF-16 units. A longer block is shown as plain text. */
export const maxBlockLength = 8 * 1024;

/** The length of the text that one step reads, in UTF-16 units, regardless of the size of the text and its blocks. */
const stepSize = 256;

/** The characters that may become markup. At the end of the open text they are not shown yet. */
const markers = new Set('-=*+#~`_|:.)>$ \t\n');
/** Last lines that may still become other markup. */
const undecidedLines = [
  /^[ \t>]*\d{1,9}[.)]?[ \t]*$/,
  // The box of a task, the kind of an alert, the label of a footnote.
  /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?[ \t]*$/,
  /^[ \t>]*>[ \t]*\[!?[A-Za-z]{0,9}\]?[ \t]*$/,
  /^[ \t>]*\[\^?[^[\]\s]{0,20}\]?:?[ \t]*$/,
];

/**
 * Splits a Markdown text that arrives piece by piece into closed and open parts, so that only the open end has to
 * be parsed again. Each text has its own splitter. The division of the text into pieces does not affect the final
 * result.
 *
 * A block is closed when a complete line shows that it has ended: a blank line after it, or a line that begins the
 * next block. Lists, tables and fenced code are closed part by part.
 */
export class BlockSplitter {
  readonly #queue = new TextQueue();
  /** Whether the pushed text ends in a carriage return that may be followed by a line feed. */
  #endsWithCarriageReturn = false;
  /** The text that has been read and is not closed yet. */
  #openSource = '';
  /** The container of the unfinished block at the beginning of the open text. */
  #container: Container | undefined;
  /** Whether the open text belongs to a block that is too long to be formatted. */
  #isPlain = false;

  push(text: string): void {
    const receivedText = this.#endsWithCarriageReturn ? `\r${text}` : text;
    this.#endsWithCarriageReturn = receivedText.endsWith('\r');
    const decidedPart = this.#endsWithCarriageReturn ? receivedText.slice(0, -1) : receivedText;
    this.#queue.push(decidedPart.includes('\r') ? decidedPart.replace(/\r\n?/g, '\n') : decidedPart);
  }

  /** Whether `step` has text to read. */
  get hasPending(): boolean {
    return !this.#queue.isEmpty;
  }

  /** Reads a part of the pushed text and yields the parts that it closed. */
  *step(): Generator<ClosedPart> {
    this.#openSource += this.#queue.dequeue(stepSize);
    yield* this.#close();
  }

  /** Reads the rest of the text, which is complete, and yields all parts that are not closed yet. */
  *end(): Generator<ClosedPart> {
    if (this.#endsWithCarriageReturn) this.push('\n');
    while (this.hasPending) yield* this.step();
    if (this.#isPlain) yield this.#cutPlain(this.#openSource.length, true);
    else if (this.#openSource !== '' || this.#container)
      yield this.#cutBlocks(this.#openSource.length, undefined, false);
  }

  /** The text that is not closed yet, without an end whose kind is still undecided. */
  get openText(): OpenText | undefined {
    if (this.#isPlain) return undefined;
    const decidedText = this.#openSource.slice(0, measureDecidedLength(this.#openSource));
    return { source: (this.#container?.prefix ?? '') + decidedText, continuedContainer: this.#container };
  }

  /** Removes and returns all text that is not closed yet. */
  removeRest(): string {
    const rest = this.#openSource + this.#queue.dequeue(Number.POSITIVE_INFINITY);
    this.#openSource = '';
    return rest;
  }

  *#close(): Generator<ClosedPart> {
    for (;;) {
      // Blank lines before a block are ignored.
      if (!this.#isPlain && !this.#container)
        this.#openSource = this.#openSource.replace(/^(?:[ \t]*\n)+/, '');
      const closed = this.#isPlain ? this.#closePlain() : (this.#closeBlocks() ?? this.#closeOverlong());
      if (!closed) return;
      yield closed;
    }
  }

  #closeBlocks(): ClosedPart | undefined {
    const completeLines = this.#openSource.slice(0, this.#openSource.lastIndexOf('\n') + 1);
    if (completeLines === '') return undefined;
    const prefix = this.#container?.prefix ?? '';
    const source = prefix + completeLines;
    const boundary = findBoundary(source);
    if (!boundary) return undefined;
    const length = boundary.offset - prefix.length;
    return length > 0 ? this.#cutBlocks(length, boundary.openContainer, boundary.isLoose) : undefined;
  }

  #closeOverlong(): ClosedPart | undefined {
    if (this.#openSource.length <= maxBlockLength) return undefined;
    const fence = this.#container?.kind === 'fence' ? this.#container : findFenceContainer(this.#openSource);
    if (fence) return this.#cutBlocks(maxBlockLength, fence, false);
    this.#isPlain = true;
    this.#container = undefined;
    return this.#closePlain();
  }

  /** Closes plain text. It ends at the first blank line. */
  #closePlain(): ClosedPart | undefined {
    const blankLine = /\n[ \t]*\n/.exec(this.#openSource);
    if (blankLine) return this.#cutPlain(blankLine.index + blankLine[0].length, true);
    const undecided = /\n[ \t]*$/.exec(this.#openSource);
    const length = undecided ? undecided.index : this.#openSource.length;
    return length > 0 ? this.#cutPlain(length, false) : undefined;
  }

  #cutPlain(length: number, isLast: boolean): ClosedPart {
    const text = this.#openSource.slice(0, length);
    this.#openSource = this.#openSource.slice(length);
    if (isLast) this.#isPlain = false;
    return { kind: 'plain', text, isLast };
  }

  #cutBlocks(length: number, openContainer: Container | undefined, isLoose: boolean): ClosedPart {
    const continuedContainer = this.#container;
    const source = (continuedContainer?.prefix ?? '') + this.#openSource.slice(0, length);
    this.#openSource = this.#openSource.slice(length);
    this.#container = openContainer;
    return { kind: 'blocks', source, continuedContainer, openContainer, isLoose };
  }
}

/**
 * Measures the part of the open end that can be shown: without last lines that consist only of markers or that may
 * still become other markup.
 */
function measureDecidedLength(open: string): number {
  const lastLine = open.lastIndexOf('\n') + 1;
  const line = open.slice(lastLine);
  if (undecidedLines.some((undecided) => undecided.test(line)) || mayBeginFold(line)) return lastLine;
  let end = open.length;
  while (end > 0 && markers.has(open.charAt(end - 1))) end -= 1;
  if (end === open.length) return end;
  return end === 0 ? 0 : open.indexOf('\n', end) + 1 || open.length;
}
