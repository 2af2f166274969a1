import type { CodeBlockView } from './codeBlock.ts';
import type { Block } from './markdownParser.ts';
import { patchAfter } from './patchNodes.ts';
import { findPartsElement, renderBlock } from './renderBlock.ts';

/** A block in the document whose first parts are final while more parts arrive. */
export interface StreamingBlock {
  /** Adds parts that are final. Returns the nodes that show them. */
  extend(block: Block, isLoose: boolean): readonly Node[];
  /** Shows parts that may still change, and replaces the previous ones. */
  paintOpen(block: Block): void;
  /** Called when the block is complete. */
  finish(): void;
  /** The element of its last parts. */
  readonly element: HTMLElement;
}

/**
 * The maximum number of items or rows in one element, so that an added one causes a new layout of only a few others.
 */
const maxParts = 100;

/** A list or a table. Its parts are items or rows. */
export class StreamingParts implements StreamingBlock {
  #element: HTMLElement;
  /** The earlier elements, which are full. */
  readonly #fullElements: HTMLElement[] = [];
  #partsElement: Element;
  #lastClosed: Node | null;
  #isLoose: boolean;

  constructor(renderedBlock: HTMLElement, isLoose: boolean) {
    this.#element = renderedBlock;
    this.#partsElement = findPartsElement(renderedBlock);
    this.#lastClosed = this.#partsElement.lastChild;
    this.#isLoose = isLoose;
    this.#updateLoose(renderedBlock);
  }

  get element(): HTMLElement {
    return this.#element;
  }

  extend(block: Block, isLoose: boolean): readonly Node[] {
    const renderedBlock = renderBlock(block, true);
    this.#isLoose ||= isLoose || renderedBlock.classList.contains('loose');
    if (this.#partsElement.childElementCount >= maxParts) this.#continueInCopy();
    const nodes = patchAfter(this.#partsElement, this.#lastClosed, listFurtherParts(renderedBlock));
    this.#lastClosed = this.#partsElement.lastChild;
    this.#updateLoose(renderedBlock);
    return nodes;
  }

  paintOpen(block: Block): void {
    const renderedBlock = renderBlock(block, false);
    patchAfter(this.#partsElement, this.#lastClosed, listFurtherParts(renderedBlock));
    this.#updateLoose(renderedBlock);
  }

  finish(): void {}

  /** Continues in a second list or table that looks like part of the first one. */
  #continueInCopy(): void {
    while (this.#lastClosed?.nextSibling) this.#lastClosed.nextSibling.remove();
    const next = copyWithoutParts(this.#element);
    const start = this.#element.getAttribute('start') ?? '1';
    if (next.matches('ol'))
      next.setAttribute('start', `${Number(start) + this.#partsElement.childElementCount}`);
    next.classList.add('continued');
    this.#element.after(next);
    this.#fullElements.push(this.#element);
    this.#element = next;
    this.#partsElement = findPartsElement(next);
    this.#lastClosed = null;
  }

  #updateLoose(renderedBlock: HTMLElement): void {
    const isLoose = this.#isLoose || renderedBlock.classList.contains('loose');
    if (isLoose === this.#element.classList.contains('loose')) return;
    for (const each of [...this.#fullElements, this.#element]) each.classList.toggle('loose', isLoose);
  }
}

/** Copies a list or a table without its items or rows. The copy of a table has the same head. */
function copyWithoutParts(shown: HTMLElement): HTMLElement {
  const copy = shown.matches('ul, ol') ? shown.cloneNode(false) : shown.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return shown;
  findPartsElement(copy).replaceChildren();
  return copy;
}

/** Returns the parts of a continued block, without the item that represents the earlier ones. */
export function listFurtherParts(renderedBlock: HTMLElement): readonly Node[] {
  const parts = [...findPartsElement(renderedBlock).children];
  return renderedBlock.matches('ul, ol') ? parts.slice(1) : parts;
}

/** A block of code. Its parts are lines. */
export class StreamingCode implements StreamingBlock {
  readonly #code: CodeBlockView;

  get element(): HTMLElement {
    return this.#code.element;
  }

  constructor(code: CodeBlockView) {
    this.#code = code;
  }

  extend(block: Block): readonly Node[] {
    this.#code.append(block.opener.content);
    return [];
  }

  paintOpen(block: Block): void {
    this.#code.showTail(block.opener.content);
  }

  finish(): void {
    this.#code.finish();
  }
}
