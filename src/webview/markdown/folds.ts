import { element, textNodes } from './dom.ts';
import { maxBlockDepth, maxFolds } from './limits.ts';
import type { Block } from './parser.ts';
import { keepOpaque } from './patch.ts';
import { foldOpen, foldSummary } from './syntax/details.ts';
import { plainText } from './tokenElements.ts';

/** A fold that is still open for text, and where the text goes on after it. */
interface Fold {
  readonly frame: HTMLElement;
  readonly summary: HTMLElement;
  readonly section: HTMLElement;
  readonly outer: HTMLElement;
  isNamed: boolean;
}

/** Where text goes: a section, and the block of it that is the last so far. */
export interface Place {
  readonly section: HTMLElement;
  readonly last: Node | null;
}

/** The folds, `<details>` in the text, in which the text stands that arrives now. */
export class Folds {
  readonly #open: Fold[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Whether a line that begins, names or ends a fold means anything here; else it is text. */
  knows({ opener: { type } }: Block): boolean {
    if (type === foldOpen) return this.#open.length < maxBlockDepth && this.#count < maxFolds;
    const fold = this.#open.at(-1);
    if (type === foldSummary) return fold !== undefined && !fold.isNamed && !fold.section.hasChildNodes();
    return fold !== undefined;
  }

  /**
   * Follows a line that begins, names or ends a fold.
   *
   * @param add adds a block to the section
   * @returns where the text goes on; undefined where the line means nothing here
   */
  follow({ opener }: Block, section: HTMLElement, add: (block: HTMLElement) => void): Place | undefined {
    if (opener.type === foldOpen) return this.#begin(opener.content, section, add);
    if (opener.type === foldSummary) return this.#name(opener.content);
    const fold = this.#open.pop();
    return fold && { section: fold.outer, last: fold.frame };
  }

  #begin(title: string, outer: HTMLElement, add: (block: HTMLElement) => void): Place | undefined {
    this.#count += 1;
    const frame = element('details', 'fold-box');
    const summary = element('summary');
    const section = element('div', 'section');
    summary.append(...textNodes(plainText(title) || 'Details'));
    frame.append(summary, section);
    keepOpaque(frame);
    add(frame);
    this.#open.push({ frame, summary, section, outer, isNamed: title !== '' });
    return { section, last: null };
  }

  #name(title: string): Place | undefined {
    const fold = this.#open.at(-1);
    if (!fold) return undefined;
    fold.isNamed = true;
    fold.summary.replaceChildren(...textNodes(plainText(title) || 'Details'));
    return { section: fold.section, last: null };
  }
}
