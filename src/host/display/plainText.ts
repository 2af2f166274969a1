import { hiddenCharacters, spelledSequences } from '../../base/hiddenCharacters.ts';
import { startOf } from '../../base/truncate.ts';

/**
 * Words as VS Code's own surfaces may show them. VS Code reads `[label](address)` in messages and prompts as a
 * link, `command:` addresses too, and `$(name)` in lists and the status bar as an icon; whatever is shown may hold
 * words from outside, and those must stay words.
 */

/** Separators of lines and paragraphs steer a terminal as well. */
const spelledOrHidden = new RegExp(
  `(?:${spelledSequences})|([[${hiddenCharacters}\\u2028\\u2029]--[\\t\\n]])`,
  'gv',
);

/** How many characters are read for one that is shown: what is hidden among them costs no more than this. */
const readPerShown = 8;

/** One line of at most `longest` characters, with nothing hidden, no link and no icon in it. */
export function plainLine(text: string, longest: number): string {
  return shown(text, longest, (visible) => visible.replace(/\s+/g, ' '));
}

/** The same over several lines; more than one empty line between two is one. */
export function plainText(text: string, longest: number): string {
  return shown(text, longest, (visible) =>
    visible
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n'),
  );
}

/** The text with each hidden character replaced; line breaks are all `\n`. */
export function withoutHidden(text: string, cover: (character: string) => string): string {
  const lines = text.toWellFormed().replace(/\r\n?/g, '\n');
  return lines.replace(spelledOrHidden, (all: string, character?: string) =>
    character === undefined ? all : cover(character),
  );
}

/** A text as its reader sees it, so that copying brings along nothing that was not seen (T20). */
export function visibleText(text: string): string {
  return withoutHidden(text, (character) => (/[\u0085\u2028\u2029]/.test(character) ? '\n' : ''));
}

/** At most `longest` characters; an ellipsis stands for what was cut off. */
export function clipped(text: string, longest: number): string {
  return text.length > longest ? `${startOf(text, longest - 1).trimEnd()}…` : text;
}

function shown(text: string, longest: number, arrange: (visible: string) => string): string {
  const read = startOf(text, longest * readPerShown);
  const plain = unlinked(arrange(visibleText(read))).trim();
  return clipped(read.length < text.length ? `${plain}…` : plain, longest);
}

/** A space keeps label and address, sign and icon apart; last, since what stood between them may just have gone. */
function unlinked(text: string): string {
  return text.replaceAll('](', '] (').replaceAll('$(', '$ (');
}
