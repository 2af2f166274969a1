import { element, icon, textNodes } from './dom.ts';
import { grammarFor, highlight } from './highlight.ts';
import { keepWhole } from './patch.ts';
import { codeRuns } from './tokens.ts';

/** Lines that share one box, so that a line added at the end lays out again only the last box. */
const linesPerBox = 32;

/** How many lines are coloured together. One by one would cost more than the lines are worth. */
const linesPerStretch = 4;

/** A stretch of code that stays inside a string or comment for longer than this is coloured as it is. */
const longestStretch = 8 * 1024;

/** The frame of a block of code: its language, the copy button, and the place where the code goes. */
export function codeFrame(info: string): { frame: HTMLElement; code: HTMLElement } {
  const language = /^\S*/.exec(info.trim())?.[0] ?? '';
  const frame = element('div', 'code-block');
  const header = element('div', 'code-header');
  const label = element('span', 'code-language');
  label.append(...textNodes(language.slice(0, 40)));
  const copy = element('button', 'icon-button', {
    type: 'button',
    title: 'Copy code',
    'aria-label': 'Copy code',
    'data-action': 'copy-code',
  });
  copy.append(icon('copy'));
  header.append(label, copy);
  const name = language ? `Code in ${language.slice(0, 40)}` : 'Code';
  const pre = element('pre', '', { tabindex: '0', role: 'region', 'aria-label': name });
  const code = element('code');
  pre.append(code);
  frame.append(header, pre);
  return { frame, code };
}

/**
 * A block of code that grows at its end. Complete lines are coloured once, as soon as a line ends outside
 * every string and comment, and are never touched again; the unfinished line stands after them as plain
 * text. The result depends on the code alone, not on how it arrived.
 */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  readonly #grammar: string | undefined;
  readonly #tail = element('span');
  #box = element('span', 'code-lines');
  #linesInBox = 0;
  /** Complete lines that are not coloured yet, because they end inside a string or comment. */
  #stretch = '';
  #linesInStretch = 0;

  constructor(info: string) {
    const { frame, code } = codeFrame(info);
    this.element = frame;
    this.#code = code;
    this.#grammar = grammarFor(/^\S*/.exec(info.trim())?.[0] ?? '');
    this.#code.append(this.#box);
    this.#box.append(this.#tail);
    keepWhole(frame);
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
    this.#settle(true);
    this.#tail.remove();
  }

  #appendLine(line: string): void {
    if (!this.#grammar) {
      this.#emit(textNodes(line), 1);
      return;
    }
    this.#stretch += line;
    this.#linesInStretch += 1;
    const overlong = this.#stretch.length > longestStretch;
    if (overlong || isDue(this.#linesInStretch)) this.#settle(overlong);
  }

  #settle(force: boolean): void {
    if (!this.#grammar || this.#stretch === '') return;
    if (this.#stretch.length > 2 * longestStretch) {
      this.#emit(textNodes(this.#stretch), this.#linesInStretch);
      return;
    }
    const { markup, settled } = highlight(this.#stretch, this.#grammar);
    if (settled || force) this.#emit(colouredNodes(markup), this.#linesInStretch);
  }

  #emit(nodes: readonly Node[], lines: number): void {
    this.#stretch = '';
    this.#linesInStretch = 0;
    if (this.#linesInBox >= linesPerBox) {
      this.#box = element('span', 'code-lines');
      this.#linesInBox = 0;
      this.#code.append(this.#box);
      this.#box.append(this.#tail);
    }
    this.#linesInBox += lines;
    this.#tail.before(...nodes);
    this.#tail.replaceChildren();
  }
}

/** At 4, 8, 16 … lines: the work stays proportional to the length of the stretch. */
function isDue(lines: number): boolean {
  return lines >= linesPerStretch && (lines & (lines - 1)) === 0;
}

function colouredNodes(markup: string): readonly Node[] {
  return codeRuns(markup).flatMap(({ kind, text }) => {
    const nodes = textNodes(text);
    // White space has no colour.
    if (kind === '' || text.trim() === '') return nodes;
    const span = element('span', `token-${kind}`);
    span.append(...nodes);
    return [span];
  });
}
