import { hiddenCharacters, spelledSequences } from '../../../base/hiddenCharacters.ts';
import { limitLength } from '../../../base/truncate.ts';

// Makes texts safe for VS Code's own views. VS Code parses `[label](address)` in messages and prompts as a link, even
// for `command:` addresses, and `$(name)` in lists and the status bar as an icon. Texts may contain foreign input,
// which must be shown as plain text.

/**
 * Matches sequences with invisible characters that are part of the spelling, or captures a hidden character. Line and
 * paragraph separators count as hidden, because they can control a terminal.
 */
const spelledOrHidden = new RegExp(
  `(?:${spelledSequences})|([[${hiddenCharacters}\\u2028\\u2029]--[\\t\\n]])`,
  'gv',
);

/** Matches common texts without hidden characters. This makes lists of thousands of names five times faster. */
const plainAscii = /^[\n -~]*$/;

/** Matches words with single spaces that cannot form a link or an icon, such as most names. */
const plainWords = /^[!-'*-~]+(?: [!-'*-~]+)*$/;

/** The number of characters that are read per shown character. It limits the time for texts of hidden characters. */
const readPerShown = 8;

const maxLogEntryLength = 20_000;

/** Returns one line of at most `maxLength` UTF-16 units, without hidden characters, links or icons. */
export function plainLine(text: string, maxLength: number): string {
  return arrangePlain(text, maxLength, (visible) => visible.replace(/\s+/g, ' '));
}

/** Like `plainLine`, with several lines. Consecutive empty lines become one. */
export function plainText(text: string, maxLength: number): string {
  return arrangePlain(text, maxLength, (visible) =>
    visible
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n'),
  );
}

/** Like `plainText`, escaped for Markdown: all characters are shown literally. */
export function escapeMarkdown(text: string, maxLength: number): string {
  return plainText(text, maxLength)
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll('\n', lineBreak);
}

/** A line break in Markdown. */
export const lineBreak = '\\\n';

/** Replaces each hidden character by the result of `replace`. All line breaks become `\n`. */
export function replaceHidden(text: string, replace: (character: string) => string): string {
  if (plainAscii.test(text)) return text;
  const lines = text.toWellFormed().replace(/\r\n?/g, '\n');
  return lines.replace(spelledOrHidden, (all: string, character?: string) =>
    character === undefined ? all : replace(character),
  );
}

/** Removes hidden characters, so that copying yields only the visible text (T20). */
export function removeHidden(text: string): string {
  return replaceHidden(text, (character) => (/[\u0085\u2028\u2029]/.test(character) ? '\n' : ''));
}

/** Cuts a text to `maxLength` UTF-16 units. An ellipsis marks the cut. */
export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${limitLength(text, maxLength - 1).trimEnd()}…` : text;
}

function arrangePlain(text: string, maxLength: number, arrange: (visible: string) => string): string {
  if (text.length <= maxLength && plainWords.test(text)) return text;
  const beginning = limitLength(text, maxLength * readPerShown);
  const plain = breakLinks(arrange(removeHidden(beginning))).trim();
  return clip(beginning.length < text.length ? `${plain}…` : plain, maxLength);
}

/**
 * Inserts a space between the label and the address of a link, and between the sign and the name of an icon. Runs last,
 * because removed characters may have separated them.
 */
function breakLinks(text: string): string {
  return text.replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/**
 * Formats an entry of the log. Hidden and control characters are escaped and further lines are indented, so that
 * foreign text cannot control a terminal or imitate an entry.
 */
export function formatLogEntry(text: string): string {
  return replaceHidden(clip(text, maxLogEntryLength), escapeCharacter).replaceAll('\n', '\n    ');
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
