import { createElement, createTextNodes } from './dom.ts';
import { patchAfter } from './patchNodes.ts';
import { type StreamingTextView, TextQueue } from './streaming/streamingText.ts';

/** The length of a box of text, in UTF-16 units. Added text causes a new layout of only the last box. */
const boxSize = 4 * 1024;

/** Shows a text as it was written, while it grows at its end. */
export class PlainTextView implements StreamingTextView {
  readonly element = createElement('div', 'plain-text');
  #box = this.element.appendChild(createElement('div'));
  /** The text in the last box. */
  #text = '';
  readonly #queue = new TextQueue();

  append(text: string): void {
    this.#queue.push(text);
  }

  finish(): void {}

  /** Fills at most one box. */
  paint(): boolean {
    this.#text += this.#queue.dequeue(2 * boxSize - this.#text.length);
    const end = findBoxEnd(this.#text);
    if (end === undefined) {
      patchAfter(this.#box, null, createTextNodes(this.#text));
      return false;
    }
    patchAfter(this.#box, null, createTextNodes(this.#text.slice(0, end)));
    this.#text = this.#text.slice(end);
    this.#box = this.element.appendChild(createElement('div'));
    return true;
  }
}

/**
 * Finds the end of a full box: after a space if there is one near, and never inside a character. Undefined if the
 * box is not full.
 */
function findBoxEnd(text: string): number | undefined {
  if (text.length < 2 * boxSize) return undefined;
  const space = text.slice(boxSize, 2 * boxSize - 1).search(/\s/);
  if (space !== -1) return boxSize + space + 1;
  const isHighSurrogate = /[\ud800-\udbff]/.test(text.charAt(boxSize - 1));
  return isHighSurrogate ? boxSize - 1 : boxSize;
}
