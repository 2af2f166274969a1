import { clipped, withoutHidden } from './plainText.ts';

const maxEntryLength = 20_000;

/**
 * Formats an entry of the log. Hidden and control characters are written out and further lines are indented,
 * so that no text from outside steers a terminal or imitates an entry.
 */
export function logText(text: string): string {
  return withoutHidden(clipped(text, maxEntryLength), writtenOut).replaceAll('\n', '\n    ');
}

function writtenOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
