import { clip, replaceHidden } from './plainText.ts';

const maxEntryLength = 20_000;

/**
 * Formats an entry of the log. Hidden and control characters are escaped and further lines are indented, so that
 * foreign text cannot control a terminal or imitate an entry.
 */
export function formatLogEntry(text: string): string {
  return replaceHidden(clip(text, maxEntryLength), escapeCharacter).replaceAll('\n', '\n    ');
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
