import { t } from '../words/l10n.ts';
import { createElement, createTextNodes } from './dom.ts';
import type { Block, Token } from './markdownParser.ts';
import { markOpaque } from './patchNodes.ts';
import { foldOpen, foldSummary } from './syntax/foldSyntax.ts';
import { maxBlockDepth, maxFolds } from './syntax/markdownLimits.ts';
import { readPlainText } from './tokenElements.ts';

interface FoldElements {
  readonly frame: HTMLElement;
  readonly summary: HTMLElement;
  /** The element for the text of the fold. */
  readonly section: HTMLElement;
}

/** A fold whose end has not arrived. */
interface Fold extends FoldElements {
  /** The section where the text continues after the fold. */
  readonly outer: HTMLElement;
  /** Whether the fold has a title. */
  isNamed: boolean;
}

/** Creates the elements of a fold. An empty title is replaced by a general one. */
function createFoldElements(title: string): FoldElements {
  const frame = createElement('details', 'fold-box');
  const summary = createElement('summary');
  const section = createElement('div', 'section');
  summary.append(...createTitleNodes(title));
  frame.append(summary, section);
  return { frame, summary, section };
}

function createTitleNodes(title: string): readonly Node[] {
  return createTextNodes(readPlainText(title) || t('Details'));
}

/** The position of the next text: a section, and its last block so far. */
interface InsertionPoint {
  readonly section: HTMLElement;
  readonly last: Node | null;
}

/** The open folds, `<details>` at the margin of the text, that contain the arriving text. */
export class Folds {
  readonly #openFolds: Fold[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#openFolds.length === 0;
  }

  /** Whether a fold marker has a meaning here. Otherwise it is shown as text. */
  accepts({ opener: { type } }: Block): boolean {
    if (type === foldOpen) return this.#openFolds.length < maxBlockDepth && this.#count < maxFolds;
    const fold = this.#openFolds.at(-1);
    if (type === foldSummary) return fold !== undefined && !fold.isNamed && !fold.section.hasChildNodes();
    return fold !== undefined;
  }

  /**
   * Handles a fold marker.
   *
   * @param add adds a block to the section
   * @returns the position where the text continues; undefined if the marker does not have a meaning here
   */
  handleMarker(
    { opener }: Block,
    section: HTMLElement,
    add: (block: HTMLElement) => void,
  ): InsertionPoint | undefined {
    if (opener.type === foldOpen) return this.#beginFold(opener.content, section, add);
    if (opener.type === foldSummary) return this.#nameFold(opener.content);
    const fold = this.#openFolds.pop();
    return fold && { section: fold.outer, last: fold.frame };
  }

  #beginFold(
    title: string,
    outer: HTMLElement,
    add: (block: HTMLElement) => void,
  ): InsertionPoint | undefined {
    this.#count += 1;
    const fold = createFoldElements(title);
    markOpaque(fold.frame);
    add(fold.frame);
    this.#openFolds.push({ ...fold, outer, isNamed: title !== '' });
    return { section: fold.section, last: null };
  }

  #nameFold(title: string): InsertionPoint | undefined {
    const fold = this.#openFolds.at(-1);
    if (!fold) return undefined;
    fold.isNamed = true;
    fold.summary.replaceChildren(...createTitleNodes(title));
    return { section: fold.section, last: null };
  }
}

/** The folds inside one block, such as a list item. */
export class InnerFolds {
  readonly #openFolds: FoldElements[] = [];
  #unnamedFold: FoldElements | undefined;

  /**
   * Handles a fold marker.
   *
   * @param container the element that contains the line
   * @returns the element where the text continues; undefined if the marker does not have a meaning here
   */
  handleMarker({ type, content }: Token, container: HTMLElement): HTMLElement | undefined {
    if (type === foldOpen) return this.#beginFold(content, container);
    return type === foldSummary ? this.#nameFold(content, container) : this.leaveFold(container);
  }

  /**
   * Ends the fold whose text is in `container`.
   *
   * @returns the element that contains the fold; undefined if there is no fold
   */
  leaveFold(container: HTMLElement): HTMLElement | undefined {
    const fold = this.#openFolds.at(-1);
    if (fold?.section !== container) return undefined;
    this.#openFolds.pop();
    return fold.frame.parentElement ?? undefined;
  }

  #beginFold(title: string, container: HTMLElement): HTMLElement | undefined {
    if (this.#openFolds.length >= maxBlockDepth) return undefined;
    const fold = createFoldElements(title);
    container.append(fold.frame);
    this.#openFolds.push(fold);
    this.#unnamedFold = title === '' ? fold : undefined;
    return fold.section;
  }

  #nameFold(title: string, container: HTMLElement): HTMLElement | undefined {
    const fold = this.#unnamedFold;
    this.#unnamedFold = undefined;
    if (fold?.section !== container || container.hasChildNodes()) return undefined;
    fold.summary.replaceChildren(...createTitleNodes(title));
    return container;
  }
}
