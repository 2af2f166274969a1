import { truncate } from './truncate.ts';

const styleSelector = '(?:\\p{Emoji_Modifier}|\\ufe0e|\\ufe0f)';
const joinedEmoji = `\\p{Extended_Pictographic}${styleSelector}?(?:\\u200d\\p{Extended_Pictographic}${styleSelector}?)*`;
/** The flags of England, Scotland and Wales are a black flag followed by tags. */
const taggedFlag =
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}';
const keycap = '[0-9#*]\\ufe0f\\u20e3';
const ideographVariant = '\\p{Ideographic}(?:[\\ufe00-\\ufe0f]|[\\u{e0100}-\\u{e01ef}])';
/** Scripts that use a joiner or non-joiner as part of the spelling. */
const joiningScripts =
  'Arabic Bengali Devanagari Gujarati Gurmukhi Kannada Khmer Malayalam Mongolian Oriya Sinhala Tamil Telugu'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');
const joinerInWord = `(?<=[${joiningScripts}])[\\u200c\\u200d]`;

/** Sequences whose invisible characters belong to the spelling, as a pattern with the flag `v`. */
export const spelledSequences = [taggedFlag, joinedEmoji, keycap, ideographVariant, joinerInWord].join('|');

/**
 * Characters that are invisible or reorder the text: controls, zero-width and bidirectional format characters,
 * fillers, variation selectors, and the Unicode tags that can spell a hidden message. For use in a character
 * class, with the flag `v`; includes line ends and tabs.
 */
export const hiddenCharacters = '\\p{Default_Ignorable_Code_Point}\\p{Control}\\ufff9-\\ufffb';

const hidden = new RegExp(`[${hiddenCharacters}\\u2028\\u2029]`, 'v');

/**
 * Whether a dialog shows the whole text. A dialog shows a line break as a space, so that a second command after the
 * break may look like part of a comment.
 */
export function isFullyVisible(text: string): boolean {
  return !hidden.test(text);
}

const maxNameLength = 80;

/** A name from outside in quotes, shortened and with hidden characters escaped. */
export function quoteName(name: string): string {
  return JSON.stringify(truncate(name, maxNameLength)).replaceAll(
    new RegExp(hidden, 'gv'),
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
