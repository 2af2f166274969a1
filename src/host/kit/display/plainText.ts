import { hiddenCharacters, spelledSequences } from '../../../base/hiddenCharacters.ts';
import { startOf } from '../../../base/truncate.ts';

/**
 * Makes texts safe for VS Code's own views. VS Code parses `[label](address)` in messages and prompts as a link,
 * even for `command:` addresses, and `$(name)` in lists and the status bar as an icon. Texts may contain foreign
 * input, which must stay plain text.
 */

/** Also matches line and paragraph separators, which can control a terminal as well. */
const spelledOrHidden = new RegExp(
  `(?:${spelledSequences})|([[${hiddenCharacters}\\u2028\\u2029]--[\\t\\n]])`,
  'gv',
);

/**
 * A fast path for the most common texts, which hide nothing: lists of thousands of names take a fifth of the time.
 */
const plainAscii = /^[\n -~]*$/;

/** Words with single spaces that cannot form a link or an icon: most names. */
const plainWords = /^[!-'*-~]+(?: [!-'*-~]+)*$/;

/** The maximum number of characters read for each shown one, so that hidden characters cost little. */
const readPerShown = 8;

/** One line of at most `longest` UTF-16 units, without hidden characters, links or icons. */
export function plainLine(text: string, longest: number): string {
  return arranged(text, longest, (visible) => visible.replace(/\s+/g, ' '));
}

/** Like `plainLine`, with several lines. Consecutive empty lines become one. */
export function plainText(text: string, longest: number): string {
  return arranged(text, longest, (visible) =>
    visible
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n'),
  );
}

/** Like `plainText`, escaped for Markdown: all characters are shown literally. */
export function markdownWords(text: string, longest: number): string {
  return plainText(text, longest)
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll('\n', lineBreak);
}

/** A line break in Markdown. */
export const lineBreak = '\\\n';

/** Replaces each hidden character by what `cover` returns. All line breaks become `\n`. */
export function replaceHidden(text: string, cover: (character: string) => string): string {
  if (plainAscii.test(text)) return text;
  const lines = text.toWellFormed().replace(/\r\n?/g, '\n');
  return lines.replace(spelledOrHidden, (all: string, character?: string) =>
    character === undefined ? all : cover(character),
  );
}

/** The text without hidden characters, so that copying yields only the visible text (T20). */
export function visibleText(text: string): string {
  return replaceHidden(text, (character) => (/[\u0085\u2028\u2029]/.test(character) ? '\n' : ''));
}

/** Cuts a text to `longest` UTF-16 units. An ellipsis marks the cut. */
export function clipped(text: string, longest: number): string {
  return text.length > longest ? `${startOf(text, longest - 1).trimEnd()}…` : text;
}

function arranged(text: string, longest: number, arrange: (visible: string) => string): string {
  if (text.length <= longest && plainWords.test(text)) return text;
  const read = startOf(text, longest * readPerShown);
  const plain = unlinked(arrange(visibleText(read))).trim();
  return clipped(read.length < text.length ? `${plain}…` : plain, longest);
}

/**
 * Inserts a space between label and address, and between sign and icon. Runs last, because removals may join them.
 */
function unlinked(text: string): string {
  return text.replaceAll('](', '] (').replaceAll('$(', '$ (');
}
