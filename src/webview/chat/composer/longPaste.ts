import { t } from '../../words/l10n.ts';
import type { PageProblem } from '../../words/problemWords.ts';

/** The longest text that is pasted into a box, in UTF-16 units. Longer texts are attached to the question. */
const maxTextInBox = 20_000;

/** The maximum number of bytes of attached texts. */
const maxBytes = 1024 * 1024;

/** A pasted text that is too long for a box, or a problem if it is also too big to attach. */
type LongPaste = { readonly text: string } | { readonly problem: PageProblem };

/**
 * Reads a pasted text that is too long for a box. Such a text would hide the question, and without line breaks the
 * layout of some writing systems would take a second. Undefined for a text that is pasted into the box as usual: a
 * short text, or a text with NUL, which the host would refuse as a binary file.
 *
 * @param attachedBytes the number of bytes that are already attached
 */
export function readLongPaste({ clipboardData }: ClipboardEvent, attachedBytes = 0): LongPaste | undefined {
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  if (text.length <= maxTextInBox) return undefined;
  const bytes = attachedBytes + countUtf8Bytes(text);
  if (bytes > maxBytes) return { problem: { kind: 'paste-too-big', bytes, max: maxBytes } };
  return text.includes('\0') ? undefined : { text };
}

/** Chooses a name for a pasted text that no other attachment has. */
export function choosePasteName(others: readonly { readonly name: string }[]): string {
  const usedNames = new Set(others.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? t('Pasted text') : t('Pasted text {0}', number);
    if (!usedNames.has(name)) return name;
  }
}

export function countUtf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
