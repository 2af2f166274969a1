import type { ContextView } from '../../protocol/chatContext.ts';
import type { FromChatPage } from '../../protocol/chatPage.ts';
import { t } from '../words/l10n.ts';
import type { Problem } from '../words/problems.ts';

/** A longer text goes along beside the question, in UTF-16 units. */
const maxInBox = 20_000;

/** The most bytes of what goes along. */
const maxBytes = 1024 * 1024;

/** A pasted text that does not belong into a box: it goes along, or it is too big even for that. */
export type LongPaste = { readonly text: string } | { readonly problem: Problem };

/**
 * Looks whether the pasted text is too long for a box: it would hide the question, and where it has no line breaks
 * some writings take a second to lay out. Undefined where it belongs into the box.
 *
 * @param takenBytes how many bytes go along already, of what may
 */
export function longPaste({ clipboardData }: ClipboardEvent, takenBytes = 0): LongPaste | undefined {
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  if (text.length <= maxInBox) return undefined;
  const bytes = takenBytes + bytesOf(text);
  if (bytes > maxBytes) return { problem: { kind: 'paste-too-big', bytes, max: maxBytes } };
  return text.includes('\0') ? undefined : { text };
}

/** Lets a text go along under a name of its own. */
export function attachedText(
  text: string,
  context: readonly ContextView[],
): FromChatPage & { type: 'drop-text' } {
  return { type: 'drop-text', name: freeName(context), bytes: bytesOf(text), text };
}

/** A name for a pasted text that none of the others has. */
export function freeName(others: readonly { readonly name: string }[]): string {
  const taken = new Set(others.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? t('Pasted text') : t('Pasted text {0}', number);
    if (!taken.has(name)) return name;
  }
}

/** How many bytes a text has as it is sent. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
