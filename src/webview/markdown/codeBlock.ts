import { codeFrame, languageOf } from './codeFrame.ts';
import { element, limitNotice, textNodes } from './dom.ts';
import { codeRuns, grammarFor, highlight } from './highlight.ts';
import { keepOpaque } from './patch.ts';
import { maxColourRuns } from './syntax/limits.ts';

/** How much code shares one box, so that a line added at the end lays out again only the last box. */
const boxSize = 1024;

/** How many lines are coloured together. One by one would cost more than the lines are worth. */
const linesPerStretch = 4;

/** A stretch of code that stays inside a string or comment for longer than this is coloured as it is. */
const maxStretchLength = 8 * 1024;

/** Longer lines are not highlighted, in UTF-16 units: people did not write them. */
const maxLineLength = 500;

const usualGrammars = ['typescript', 'python', 'bash', 'json', 'xml'];

/** Builds the grammars of the usual languages while nothing else is to be done: a large one takes 10 ms. */
export function prepareGrammars(): void {
  for (const grammar of usualGrammars) requestIdleCallback(() => highlight('x', grammar));
}

/**
 * A block of code that grows at its end. Complete lines are coloured once, as soon as a line ends outside
 * every string and comment, and are never touched again; the unfinished line stands after them as plain
 * text. The result depends on the code alone, not on how it arrived.
 */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  #grammar: string | undefined;
  readonly #tail = element('span');
  #box = element('span', 'code-lines');
  #inBox = 0;
  /** Complete lines that are not coloured yet, because they end inside a string or comment. */
  #stretch = '';
  #linesInStretch = 0;
  #colours = 0;

  constructor(info: string) {
    const { frame, code } = codeFrame(info);
    this.element = frame;
    this.#code = code;
    this.#grammar = grammarFor(languageOf(info));
    this.#code.append(this.#box);
    this.#box.append(this.#tail);
    keepOpaque(frame);
  }

  /** Adds text that is final. */
  append(text: string): void {
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline === -1 ? text.length : newline + 1;
      this.#appendLine(text.slice(start, end));
      start = end;
    }
  }

  /** Shows the unfinished line, instead of the one shown before. */
  showTail(text: string): void {
    this.#tail.replaceChildren(...textNodes(this.#stretch + text));
  }

  /** No more code will come. */
  finish(): void {
    this.#colourStretch(true);
    this.#tail.remove();
  }

  #appendLine(line: string): void {
    if (!this.#grammar || line.length > maxLineLength) {
      this.#colourStretch(true);
      this.#emit(textNodes(line), line.length);
      return;
    }
    this.#stretch += line;
    this.#linesInStretch += 1;
    const overlong = this.#stretch.length > maxStretchLength;
    if (overlong || isDue(this.#linesInStretch)) this.#colourStretch(overlong);
  }

  /** Colours the stretch if it can be coloured by itself, or if it must be now. */
  #colourStretch(force: boolean): void {
    if (!this.#grammar || this.#stretch === '') return;
    const { markup, complete } = highlight(this.#stretch, this.#grammar);
    if (!complete && !force) return;
    const nodes = colouredNodes(markup);
    this.#colours += nodes.length;
    this.#emit(nodes, this.#stretch.length);
    if (this.#colours > maxColourRuns) this.#stopColouring();
  }

  #stopColouring(): void {
    this.#grammar = undefined;
    this.#tail.before(limitNotice('colours'));
  }

  #emit(nodes: readonly Node[], length: number): void {
    this.#stretch = '';
    this.#linesInStretch = 0;
    if (this.#inBox >= boxSize) {
      this.#box = element('span', 'code-lines');
      this.#inBox = 0;
      this.#code.append(this.#box);
      this.#box.append(this.#tail);
    }
    this.#inBox += length;
    this.#tail.before(...nodes);
    this.#tail.replaceChildren();
  }
}

/** At 4, 8, 16 … lines: the work stays proportional to the length of the stretch. */
function isDue(lines: number): boolean {
  return lines >= linesPerStretch && (lines & (lines - 1)) === 0;
}

/** Highlighted code as nodes: a span for each run of one colour. */
export function colouredNodes(markup: string): readonly Node[] {
  return codeRuns(markup).flatMap(({ kind, text }) => {
    const nodes = textNodes(text);
    // White space has no colour.
    if (kind === '' || text.trim() === '') return nodes;
    const span = element('span', `token-${kind}`);
    span.append(...nodes);
    return [span];
  });
}
