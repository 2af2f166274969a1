import { t } from '../words/l10n.ts';
import { element, textNodes } from './dom.ts';
import type { Block, Token } from './parser.ts';
import { keepOpaque } from './patch.ts';
import { foldOpen, foldSummary } from './syntax/details.ts';
import { maxBlockDepth, maxFolds } from './syntax/limits.ts';
import { plainText } from './tokenElements.ts';

interface FoldElements {
  readonly frame: HTMLElement;
  readonly summary: HTMLElement;
  /** The place for its text. */
  readonly section: HTMLElement;
}

/** A fold that is still open for text, and where the text goes on after it. */
interface Fold extends FoldElements {
  readonly outer: HTMLElement;
  isNamed: boolean;
}

/** The elements of a fold with its title, which may be empty. */
function foldElements(title: string): FoldElements {
  const frame = element('details', 'fold-box');
  const summary = element('summary');
  const section = element('div', 'section');
  summary.append(...titleOf(title));
  frame.append(summary, section);
  return { frame, summary, section };
}

function titleOf(title: string): readonly Node[] {
  return textNodes(plainText(title) || t('Details'));
}

/** Where text goes: a section, and the block of it that is the last so far. */
export interface Place {
  readonly section: HTMLElement;
  readonly last: Node | null;
}

/** The folds, `<details>` at the margin of the text, in which the text stands that arrives now. */
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
    const fold = foldElements(title);
    keepOpaque(fold.frame);
    add(fold.frame);
    this.#open.push({ ...fold, outer, isNamed: title !== '' });
    return { section: fold.section, last: null };
  }

  #name(title: string): Place | undefined {
    const fold = this.#open.at(-1);
    if (!fold) return undefined;
    fold.isNamed = true;
    fold.summary.replaceChildren(...titleOf(title));
    return { section: fold.section, last: null };
  }
}

/** The folds inside one block, such as an item of a list, which hold what stands in that block. */
export class InnerFolds {
  readonly #open: FoldElements[] = [];
  #unnamed: FoldElements | undefined;

  /**
   * Follows a line that begins, names or ends a fold.
   *
   * @param place where the line stands
   * @returns where the text goes on; undefined where the line means nothing here, and is text
   */
  follow({ type, content }: Token, place: HTMLElement): HTMLElement | undefined {
    if (type === foldOpen) return this.#begin(content, place);
    return type === foldSummary ? this.#name(content, place) : this.leave(place);
  }

  /**
   * Ends the fold whose text stands in `place`.
   *
   * @returns what holds the fold; undefined where there is none
   */
  leave(place: HTMLElement): HTMLElement | undefined {
    const fold = this.#open.at(-1);
    if (fold?.section !== place) return undefined;
    this.#open.pop();
    return fold.frame.parentElement ?? undefined;
  }

  #begin(title: string, place: HTMLElement): HTMLElement | undefined {
    if (this.#open.length >= maxBlockDepth) return undefined;
    const fold = foldElements(title);
    place.append(fold.frame);
    this.#open.push(fold);
    this.#unnamed = title === '' ? fold : undefined;
    return fold.section;
  }

  #name(title: string, place: HTMLElement): HTMLElement | undefined {
    const fold = this.#unnamed;
    this.#unnamed = undefined;
    if (fold?.section !== place || place.hasChildNodes()) return undefined;
    fold.summary.replaceChildren(...titleOf(title));
    return place;
  }
}
