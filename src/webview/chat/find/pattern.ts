/** What is looked for in a chat. */
export interface FindQuery {
  readonly text: string;
  readonly matchesCase: boolean;
  readonly wholeWord: boolean;
}

/** Begin and end of what was found, in UTF-16 units. */
export type Match = readonly [begin: number, end: number];

const maxQueryLength = 1_000;
const wordCharacter = String.raw`[\p{L}\p{N}_]`;
const beginsInWord = new RegExp(`^${wordCharacter}`, 'u');
const endsInWord = new RegExp(`${wordCharacter}$`, 'u');

/**
 * What finds a query. It holds words as they stand, and no expression of the user, so that it takes time in
 * proportion to the text, whatever was typed. A blank stands for any white space, up to a length, because the end of a
 * long one would be looked for anew at each of its places.
 *
 * @returns undefined when there is nothing to look for
 */
export function patternOf({ text, matchesCase, wholeWord }: FindQuery): RegExp | undefined {
  const wanted = text.slice(0, maxQueryLength).toWellFormed();
  if (wanted === '') return undefined;
  const literal = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`).replace(/\s+/g, '\\s{1,50}');
  const begin = wholeWord && beginsInWord.test(wanted) ? `(?<!${wordCharacter})` : '';
  const end = wholeWord && endsInWord.test(wanted) ? `(?!${wordCharacter})` : '';
  return new RegExp(`${begin}${literal}${end}`, matchesCase ? 'gu' : 'giu');
}

/** @param limit the most matches */
export function matchesIn(text: string, pattern: RegExp, limit: number): readonly Match[] {
  const found: Match[] = [];
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (found.length >= limit) break;
    found.push([index, index + match.length]);
  }
  return found;
}
