import { type Container, findBoundary, openFence } from './boundaries.ts';
import { mayBeginFold } from './syntax/details.ts';
import { TextQueue } from './textQueue.ts';

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

/** How much text one step reads, in UTF-16 units, however much was pushed at once and however small its blocks. */
const stepSize = 256;

/** What a line may consist of while it is not known yet what it will be, so that it is not shown yet. */
const markers = new Set('-=*+#~`_|:.)>$ \t\n');
const undecidedLines = [
  /^[ \t>]*\d{1,9}[.)]?[ \t]*$/,
  // The box of a task, the kind of an alert, the label of a footnote.
  /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?[ \t]*$/,
  /^[ \t>]*>[ \t]*\[!?[A-Za-z]{0,9}\]?[ \t]*$/,
  /^[ \t>]*\[\^?[^[\]\s]{0,20}\]?:?[ \t]*$/,
];

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

  /** Whether `step` has text to read. */
  get pending(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Reads a part of the pushed text and yields what it closed. */
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

  /** Removes and returns all text that is not closed yet. */
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
    const boundary = findBoundary(source);
    if (!boundary) return undefined;
    const length = boundary.offset - prefix.length;
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

/** How much of an open end can be shown: all but last lines of nothing but markers, or that may yet become something else. */
function decidedLength(open: string): number {
  const lastLine = open.lastIndexOf('\n') + 1;
  const line = open.slice(lastLine);
  if (undecidedLines.some((undecided) => undecided.test(line)) || mayBeginFold(line)) return lastLine;
  let end = open.length;
  while (end > 0 && markers.has(open.charAt(end - 1))) end -= 1;
  if (end === open.length) return end;
  return end === 0 ? 0 : open.indexOf('\n', end) + 1 || open.length;
}
