import { createElement, createTextNodes } from './dom.ts';
import { patchAfter } from './patchNodes.ts';
import type { StreamingTextView } from './streaming/textFeed.ts';
import { TextQueue } from './streaming/textQueue.ts';

/** The size of a layout box for long text, so that added text causes a new layout of only the last box. */
const boxSize = 4 * 1024;

/** Text shown as it was written, growing at its end. */
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

/** Where a full box ends: after a space if there is one near, and never inside a character. */
function findBoxEnd(text: string): number | undefined {
  if (text.length < 2 * boxSize) return undefined;
  const space = text.slice(boxSize, 2 * boxSize - 1).search(/\s/);
  if (space !== -1) return boxSize + space + 1;
  const isHighSurrogate = /[\ud800-\udbff]/.test(text.charAt(boxSize - 1));
  return isHighSurrogate ? boxSize - 1 : boxSize;
}
