import { clipped, replaceHidden } from './plainText.ts';

const maxEntryLength = 20_000;

/**
 * Formats an entry of the log. Hidden and control characters are escaped and further lines are indented, so that
 * foreign text cannot control a terminal or imitate an entry.
 */
export function logText(text: string): string {
  return replaceHidden(clipped(text, maxEntryLength), escaped).replaceAll('\n', '\n    ');
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
