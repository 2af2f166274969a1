import { t } from '../words/l10n.ts';
import { element, textNodes } from './dom.ts';
import type { Block, Token } from './markdownParser.ts';
import { markOpaque } from './patchNodes.ts';
import { foldOpen, foldSummary } from './syntax/foldSyntax.ts';
import { maxBlockDepth, maxFolds } from './syntax/markdownLimits.ts';
import { plainTextOf } from './tokenElements.ts';

interface FoldElements {
  readonly frame: HTMLElement;
  readonly summary: HTMLElement;
  /** The element for its text. */
  readonly section: HTMLElement;
}

/** An open fold, and where the text continues after it. */
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
  return textNodes(plainTextOf(title) || t('Details'));
}

/** Where the next text is inserted: a section, and its last block so far. */
interface InsertionPoint {
  readonly section: HTMLElement;
  readonly last: Node | null;
}

/** The open folds, `<details>` at the margin of the text, that contain the arriving text. */
export class Folds {
  readonly #open: Fold[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Whether a fold marker has a meaning here. Otherwise it is shown as text. */
  accepts({ opener: { type } }: Block): boolean {
    if (type === foldOpen) return this.#open.length < maxBlockDepth && this.#count < maxFolds;
    const fold = this.#open.at(-1);
    if (type === foldSummary) return fold !== undefined && !fold.isNamed && !fold.section.hasChildNodes();
    return fold !== undefined;
  }

  /**
   * Handles a fold marker.
   *
   * @param add adds a block to the section
   * @returns where the text continues; undefined if the marker has no meaning here
   */
  handleMarker(
    { opener }: Block,
    section: HTMLElement,
    add: (block: HTMLElement) => void,
  ): InsertionPoint | undefined {
    if (opener.type === foldOpen) return this.#begin(opener.content, section, add);
    if (opener.type === foldSummary) return this.#name(opener.content);
    const fold = this.#open.pop();
    return fold && { section: fold.outer, last: fold.frame };
  }

  #begin(title: string, outer: HTMLElement, add: (block: HTMLElement) => void): InsertionPoint | undefined {
    this.#count += 1;
    const fold = foldElements(title);
    markOpaque(fold.frame);
    add(fold.frame);
    this.#open.push({ ...fold, outer, isNamed: title !== '' });
    return { section: fold.section, last: null };
  }

  #name(title: string): InsertionPoint | undefined {
    const fold = this.#open.at(-1);
    if (!fold) return undefined;
    fold.isNamed = true;
    fold.summary.replaceChildren(...titleOf(title));
    return { section: fold.section, last: null };
  }
}

/** The folds inside one block, such as a list item. */
export class InnerFolds {
  readonly #open: FoldElements[] = [];
  #unnamed: FoldElements | undefined;

  /**
   * Handles a fold marker.
   *
   * @param container the element that contains the line
   * @returns where the text continues; undefined if the marker has no meaning here and is shown as text
   */
  handleMarker({ type, content }: Token, container: HTMLElement): HTMLElement | undefined {
    if (type === foldOpen) return this.#begin(content, container);
    return type === foldSummary ? this.#name(content, container) : this.leave(container);
  }

  /**
   * Ends the fold whose text is in `container`.
   *
   * @returns the element that contains the fold; undefined if there is no fold
   */
  leave(container: HTMLElement): HTMLElement | undefined {
    const fold = this.#open.at(-1);
    if (fold?.section !== container) return undefined;
    this.#open.pop();
    return fold.frame.parentElement ?? undefined;
  }

  #begin(title: string, container: HTMLElement): HTMLElement | undefined {
    if (this.#open.length >= maxBlockDepth) return undefined;
    const fold = foldElements(title);
    container.append(fold.frame);
    this.#open.push(fold);
    this.#unnamed = title === '' ? fold : undefined;
    return fold.section;
  }

  #name(title: string, container: HTMLElement): HTMLElement | undefined {
    const fold = this.#unnamed;
    this.#unnamed = undefined;
    if (fold?.section !== container || container.hasChildNodes()) return undefined;
    fold.summary.replaceChildren(...titleOf(title));
    return container;
  }
}
