import { createColouredNodes } from '../markdown/codeBlock.ts';
import { createElement, createTextNodes } from '../markdown/dom.ts';
import { highlight } from '../markdown/highlight.ts';

/**
 * The maximum length of the part of a text that is highlighted, in UTF-16 units. Highlighting a megabyte would block
 * the page for a second.
 */
const maxColouredLength = 32 * 1024;

/** The minimum length of one box, in UTF-16 units. Boxes outside the viewport are not laid out. */
const boxSize = 8 * 1024;

/** Creates boxes of whole lines for JSON, with its beginning highlighted. */
export function createJsonNodes(json: string): readonly Node[] {
  const boxes: Node[] = [];
  for (let start = 0; start < json.length; ) {
    const newline = json.indexOf('\n', start + boxSize);
    const end = newline === -1 ? json.length : newline + 1;
    const text = json.slice(start, end);
    const box = createElement('span', 'json-box');
    // JSON strings do not continue in the next line, so whole lines can be coloured independently.
    box.append(
      ...(end <= maxColouredLength
        ? createColouredNodes(highlight(text, 'json').markup)
        : createTextNodes(text)),
    );
    boxes.push(box);
    start = end;
  }
  return boxes;
}
