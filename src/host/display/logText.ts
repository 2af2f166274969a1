import { clipped, withoutHidden } from './plainText.ts';

const maxEntryLength = 20_000;

/**
 * An entry of the log: hidden and control characters are written out, and lines after the first are indented, so
 * that words from outside can neither steer a terminal nor pass for an entry of their own.
 */
export function logText(text: string): string {
  return withoutHidden(clipped(text, maxEntryLength), writtenOut).replaceAll('\n', '\n    ');
}

function writtenOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
