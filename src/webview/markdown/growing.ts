import type { CodeBlock } from './codeBlock.ts';
import type { Block } from './parser.ts';
import { patchAfter } from './patch.ts';
import { partsOf, renderBlock } from './render.ts';

/** A block in the document whose first parts are final while more of them arrive. */
export interface Growing {
  /** Adds parts that are final. Returns the nodes that show them. */
  extend(block: Block, loose: boolean): readonly Node[];
  /** Shows parts that may still change, instead of those shown before. */
  paintOpen(block: Block): void;
  /** No more parts will come. */
  finish(): void;
}

/** A list or a table: its parts are items or rows. */
export class GrowingParts implements Growing {
  readonly #element: HTMLElement;
  readonly #parts: Element;
  #lastClosed: Node | null;
  #loose: boolean;

  constructor(rendered: HTMLElement, loose: boolean) {
    this.#element = rendered;
    this.#parts = partsOf(rendered);
    this.#lastClosed = this.#parts.lastChild;
    this.#loose = loose;
    this.#showLoose(rendered);
  }

  extend(block: Block, loose: boolean): readonly Node[] {
    const rendered = renderBlock(block, true);
    this.#loose ||= loose || rendered.classList.contains('loose');
    const kept = patchAfter(this.#parts, this.#lastClosed, furtherParts(rendered));
    this.#lastClosed = this.#parts.lastChild;
    this.#showLoose(rendered);
    return kept;
  }

  paintOpen(block: Block): void {
    const rendered = renderBlock(block, false);
    patchAfter(this.#parts, this.#lastClosed, furtherParts(rendered));
    this.#showLoose(rendered);
  }

  finish(): void {}

  #showLoose(rendered: HTMLElement): void {
    this.#element.classList.toggle('loose', this.#loose || rendered.classList.contains('loose'));
  }
}

/** The parts of a block that continues another: all but the item that stands for those before. */
export function furtherParts(rendered: HTMLElement): readonly Node[] {
  const parts = [...partsOf(rendered).children];
  return rendered.matches('ul, ol') ? parts.slice(1) : parts;
}

/** A block of code: its parts are lines. */
export class GrowingCode implements Growing {
  readonly #code: CodeBlock;

  constructor(code: CodeBlock) {
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
