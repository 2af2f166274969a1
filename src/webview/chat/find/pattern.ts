/** How a text is looked for. */
export interface FindOptions {
  readonly matchesCase: boolean;
  readonly wholeWord: boolean;
  /** Whether the text is a regular expression. */
  readonly isExpression: boolean;
}

/** What is looked for in a chat. */
export interface FindQuery extends FindOptions {
  readonly text: string;
}

/** Begin and end of what was found, in UTF-16 units. */
export type Match = readonly [begin: number, end: number];

/** The longest text that can be looked for, in UTF-16 units. */
export const maxQueryLength = 1_000;
const wordCharacter = String.raw`[\p{L}\p{N}_]`;
const beginsInWord = new RegExp(`^${wordCharacter}`, 'u');
const endsInWord = new RegExp(`${wordCharacter}$`, 'u');

/** A regular expression of the user, which may take any time. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/**
 * What finds the words of a query of at most `maxQueryLength` as they stand, in time in proportion to the text, whatever was typed. A blank stands for any white space, up to a length, because the end of a
 * long one would be looked for anew at each of its places.
 *
 * @returns undefined when there is nothing to look for
 */
export function patternOf({ text, matchesCase, wholeWord }: FindQuery): RegExp | undefined {
  // Blocks are parted by NUL, which pages show as U+FFFD.
  const wanted = text.toWellFormed().replaceAll('\0', '\ufffd');
  if (wanted === '') return undefined;
  const literal = withAccents(escaped(wanted)).replace(/\s+/g, '\\s{1,50}');
  const begin = wholeWord && beginsInWord.test(wanted) ? `(?<!${wordCharacter})` : '';
  const end = wholeWord && endsInWord.test(wanted) ? `(?!${wordCharacter})` : '';
  return new RegExp(`${begin}${literal}${end}`, matchesCase ? 'gu' : 'giu');
}

/** Lets a letter with an accent be found whether it is written as one character or as several. */
function withAccents(source: string): string {
  return source.normalize('NFC').replace(/[^\0-\x7f]/gu, (letter) => {
    const parts = letter.normalize('NFD');
    return parts === letter ? letter : `(?:${letter}|${parts})`;
  });
}

/** The regular expression that finds a text as it stands. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`);
}

/**
 * The regular expression of a query, in the syntax of VS Code's editors.
 *
 * @returns undefined when there is nothing to look for
 * @throws {SyntaxError} for what is no expression
 */
export function expressionOf({ text, matchesCase, wholeWord }: FindQuery): Expression | undefined {
  if (text === '') return undefined;
  const flags = matchesCase ? 'gmu' : 'gimu';
  // By itself first: what closes a group that it did not open would become valid between others.
  const { source } = new RegExp(text, flags);
  const isWord = `(?<!${wordCharacter})(?:${source})(?!${wordCharacter})`;
  return { source: wholeWord ? isWord : source, flags };
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
