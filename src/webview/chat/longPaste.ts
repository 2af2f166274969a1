import type { ContextView } from '../../protocol/chatContext.ts';
import type { FromChatPage } from '../../protocol/chatPage.ts';

/** A longer text goes along beside the question, in UTF-16 units. */
const maxInBox = 20_000;

/** The most bytes of what goes along. More stays in the message box, where it can be cut. */
const maxBytes = 1024 * 1024;

/**
 * The pasted text that is too long for the message box: it would hide the question, and where it has no line breaks
 * some writings take a second to lay out. Undefined where it belongs into the box.
 */
export function longPaste({ clipboardData }: ClipboardEvent): string | undefined {
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  const isLong = text.length > maxInBox && !text.includes('\0');
  return isLong && bytesOf(text) <= maxBytes ? text : undefined;
}

/** Lets a text go along under a name of its own. */
export function attachedText(
  text: string,
  context: readonly ContextView[],
): FromChatPage & { type: 'drop-text' } {
  return { type: 'drop-text', name: freeName(context), bytes: bytesOf(text), text };
}

function freeName(context: readonly ContextView[]): string {
  const taken = new Set(context.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'Pasted text' : `Pasted text ${number}`;
    if (!taken.has(name)) return name;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
