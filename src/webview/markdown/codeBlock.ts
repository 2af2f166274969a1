import { createCodeFrame, readLanguage } from './codeFrame.ts';
import { createElement, createLimitNotice, createTextNodes } from './dom.ts';
import { findGrammar, highlight, readCodeRuns } from './highlight.ts';
import { markOpaque } from './patchNodes.ts';
import { maxColourRuns } from './syntax/markdownLimits.ts';

/** The minimum length of a box of code, in UTF-16 units. An added line causes a new layout of only the last box. */
const boxSize = 1024;

/** The minimum number of lines that are coloured together. Colouring single lines takes too long. */
const minPendingLines = 4;

/**
 * The maximum length of code that waits for the end of a string or comment, in UTF-16 units. Longer code is coloured at
 * once.
 */
const maxPendingLength = 8 * 1024;

/** The maximum length of a highlighted line, in UTF-16 units. Longer lines are usually generated. */
const maxLineLength = 500;

const commonGrammars = ['typescript', 'python', 'bash', 'json', 'xml'];

/** Builds the grammars of common languages while the page is idle: a large one takes 10 ms. */
export function prepareGrammars(): void {
  for (const grammar of commonGrammars) requestIdleCallback(() => highlight('x', grammar));
}

/**
 * A code block that grows at its end. Complete lines are coloured once, as soon as a line ends outside every
 * string and comment, and never change again; the unfinished line follows them as plain text. The result depends
 * only on the code, not on how it arrived.
 */
export class CodeBlockView {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  #grammar: string | undefined;
  readonly #tail = createElement('span');
  #box = createElement('span', 'code-lines');
  #boxLength = 0;
  /** The complete lines that are not coloured yet. */
  #pendingCode = '';
  #pendingLines = 0;
  #colourRuns = 0;

  constructor(info: string) {
    const { frame, code } = createCodeFrame(info);
    this.element = frame;
    this.#code = code;
    this.#grammar = findGrammar(readLanguage(info));
    this.#code.append(this.#box);
    this.#box.append(this.#tail);
    markOpaque(frame);
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

  /** Shows the unfinished line, and replaces the previous one. */
  showTail(text: string): void {
    this.#tail.replaceChildren(...createTextNodes(this.#pendingCode + text));
  }

  /** Called when the code is complete. */
  finish(): void {
    this.#colourPending(true);
    this.#tail.remove();
  }

  #appendLine(line: string): void {
    if (!this.#grammar || line.length > maxLineLength) {
      this.#colourPending(true);
      this.#appendNodes(createTextNodes(line), line.length);
      return;
    }
    this.#pendingCode += line;
    this.#pendingLines += 1;
    const isOverlong = this.#pendingCode.length > maxPendingLength;
    if (isOverlong || isColouringDue(this.#pendingLines)) this.#colourPending(isOverlong);
  }

  /** Colours the waiting lines if they can be coloured independently, or in any case if `isForced`. */
  #colourPending(isForced: boolean): void {
    if (!this.#grammar || this.#pendingCode === '') return;
    const { markup, isComplete } = highlight(this.#pendingCode, this.#grammar);
    if (!isComplete && !isForced) return;
    const nodes = createColouredNodes(markup);
    this.#colourRuns += nodes.length;
    this.#appendNodes(nodes, this.#pendingCode.length);
    if (this.#colourRuns <= maxColourRuns) return;
    this.#grammar = undefined;
    this.#tail.before(createLimitNotice('colours'));
  }

  #appendNodes(nodes: readonly Node[], length: number): void {
    this.#pendingCode = '';
    this.#pendingLines = 0;
    if (this.#boxLength >= boxSize) {
      this.#box = createElement('span', 'code-lines');
      this.#boxLength = 0;
      this.#code.append(this.#box);
      this.#box.append(this.#tail);
    }
    this.#boxLength += length;
    this.#tail.before(...nodes);
    this.#tail.replaceChildren();
  }
}

/** Whether to try to colour the pending lines: at 4, 8, 16 …, so that long pending code is not read at each line. */
function isColouringDue(lines: number): boolean {
  return lines >= minPendingLines && (lines & (lines - 1)) === 0;
}

/** Creates nodes for highlighted code: a span for each run of one colour. */
export function createColouredNodes(markup: string): readonly Node[] {
  return readCodeRuns(markup).flatMap(({ kind, text }) => {
    const nodes = createTextNodes(text);
    // White space does not need a colour.
    if (kind === '' || text.trim() === '') return nodes;
    const span = createElement('span', `token-${kind}`);
    span.append(...nodes);
    return [span];
  });
}
