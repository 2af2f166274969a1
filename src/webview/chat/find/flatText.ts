import { getFormulaSource } from '../../markdown/formulaElement.ts';

/** Separates blocks, so that matches do not cross them. Texts do not contain it. */
const blockEnd = '\0';

const blocks = new Set([
  'P',
  'DIV',
  'SECTION',
  'BLOCKQUOTE',
  'PRE',
  'DETAILS',
  'SUMMARY',
  'HR',
  'UL',
  'OL',
  'LI',
  'TABLE',
  'TR',
  'TH',
  'TD',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
]);

interface Piece {
  readonly begin: number;
  /** A text, or an element that can only be matched as a whole. */
  readonly node: Text | Element;
}

/** The visible text of an element as one string, with the position of each part. */
export class FlatText {
  readonly text: string;
  readonly #pieces: readonly Piece[];

  constructor(root: Element) {
    const pieces: Piece[] = [];
    const texts: string[] = [];
    let length = 0;
    const add = (text: string, node?: Piece['node']) => {
      if (node) pieces.push({ begin: length, node });
      texts.push(text);
      length += text.length;
    };
    collectText(root, add);
    this.text = texts.join('');
    this.#pieces = pieces;
  }

  /** Creates the range of a match in the page; undefined if there is no text. */
  createRange(begin: number, end: number): Range | undefined {
    const [first, last] = [this.#findPiece(begin), this.#findPiece(end - 1)];
    if (!first || !last) return undefined;
    const range = document.createRange();
    if (first.node instanceof Text) range.setStart(first.node, begin - first.begin);
    else range.setStartBefore(first.node);
    if (last.node instanceof Text) range.setEnd(last.node, end - last.begin);
    else range.setEndAfter(last.node);
    return range;
  }

  /** Finds the last piece that begins at or before a position. */
  #findPiece(position: number): Piece | undefined {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pieces[middle]?.begin ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low];
  }
}

function collectText(from: Element, add: (text: string, node?: Text | Element) => void): void {
  for (const node of from.childNodes) {
    if (node instanceof Text) {
      if (node.data !== '') add(node.data, node);
      continue;
    }
    if (!(node instanceof Element) || node.tagName === 'BUTTON') continue;
    const formula = node.classList.contains('formula') ? getFormulaSource(node) : undefined;
    if (formula !== undefined) add(formula, node);
    else if (node.tagName === 'BR') add('\n');
    else if (blocks.has(node.tagName)) {
      add(blockEnd);
      collectText(node, add);
      add(blockEnd);
    } else collectText(node, add);
  }
}
