/** Accents and other combining marks, except the Japanese marks that distinguish letters. */
const combiningMarks = /(?![\u3099\u309a])\p{M}/gu;
const asciiPattern = /^[\x20-\x7e]*$/;

/**
 * Normalizes a text for comparison: removes combining marks, converts to lower case, unifies wide and narrow
 * forms, and replaces white space and control characters with blanks.
 */
export function foldText(text: string): string {
  if (asciiPattern.test(text)) return text.toLowerCase();
  return (
    text
      .toWellFormed()
      .normalize('NFKD')
      .replace(combiningMarks, '')
      .normalize('NFC')
      // Upper case first, so that ß and ss become equal.
      .toUpperCase()
      .toLowerCase()
      // A final sigma is equal to other sigmas.
      .replaceAll('ς', 'σ')
      .replace(/[\s\p{Cc}]/gu, ' ')
  );
}

/** A folded text with the origin of each character. */
interface FoldedText {
  readonly text: string;
  /** The offset in the original of each character of `text`, and of its end. */
  readonly offsets: readonly number[];
}

/** Folds a short text piece by piece, to mark matches in the original. */
export function foldWithOffsets(original: string): FoldedText {
  const offsets: number[] = [];
  let text = '';
  // A letter with its accents is one piece.
  for (const { 0: piece, index } of original.matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
    const part = foldText(piece);
    for (let n = 0; n < part.length; n++) offsets.push(index);
    text += part;
  }
  offsets.push(original.length);
  return { text, offsets };
}

const cjk = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}ー`;
const runOrWord = new RegExp(`([${cjk}]+)|((?:(?![${cjk}])[\\p{L}\\p{N}])+)`, 'gu');

/** The maximum length of a word in the index. Of a longer word, only the beginning is indexed. */
const maxWordLength = 60;
/** The length of the beginning of a word whose parts are indexed. */
const maxPartsLength = 1_000;

/** Prefixes of tokens that are not whole words; they are not letters. */
const beginningMark = '\ue000';
const partMark = '\ue001';

interface Words {
  readonly words: ReadonlySet<string>;
  /** Unbroken sequences of Chinese, Japanese or Korean characters. */
  readonly runs: ReadonlySet<string>;
}

function splitWords(text: string): Words {
  const result = { words: new Set<string>(), runs: new Set<string>() };
  for (const [, run, word] of text.matchAll(runOrWord)) {
    if (run !== undefined) result.runs.add(run);
    else if (word !== undefined) result.words.add(word);
  }
  return result;
}

/**
 * Creates the index tokens of a folded text: its words, their first two and three letters, and all trigrams of
 * letters; for Chinese, Japanese and Korean, single characters and bigrams.
 */
export function createTokens(text: string): ReadonlySet<string> {
  const { words, runs } = splitWords(text);
  const tokens = createCjkTokens(runs);
  for (const word of words) {
    tokens.add(word.slice(0, maxWordLength));
    for (const length of [2, 3]) if (word.length >= length) tokens.add(beginningMark + word.slice(0, length));
    for (const part of createTrigrams(word)) tokens.add(part);
  }
  return tokens;
}

/** Expressions in the index's query language for one search term. All are empty for a term without letters. */
interface TermLookups {
  /** For whole words; the last one may be a prefix. */
  readonly words: readonly string[];
  /** For parts of words that are long enough. */
  readonly parts: readonly string[];
  /** For words that are too short for parts, as whole words; the last one may be a prefix. */
  readonly shortWords: readonly string[];
}

/** @param term folded */
export function createTermLookups(term: string): TermLookups {
  const { words, runs } = splitWords(term);
  const cjkTokens = [...createCjkTokens(runs)].map(quoteToken);
  const lastWord = [...words].at(-1) ?? '';
  const createWordQuery = (word: string) =>
    word === lastWord && term.endsWith(lastWord)
      ? createPrefixQuery(word)
      : quoteToken(word.slice(0, maxWordLength));
  const longWords = [...words].filter((word) => word.length >= 3);
  return {
    words: [...cjkTokens, ...[...words].map(createWordQuery)],
    parts: [...cjkTokens, ...longWords.flatMap((word) => [...createTrigrams(word)].map(quoteToken))],
    shortWords: [...words].filter((word) => word.length < 3).map(createWordQuery),
  };
}

/**
 * Creates an expression for words that begin with `word`. Beginnings of two and three letters are tokens of their
 * own. A single letter matches only a whole word: too many words begin with it.
 */
function createPrefixQuery(word: string): string {
  if (word.length === 1) return quoteToken(word);
  return word.length < 4 ? quoteToken(beginningMark + word) : `${quoteToken(word.slice(0, maxWordLength))} *`;
}

/** Does not escape quotes, because tokens do not contain any. */
function quoteToken(token: string): string {
  return `"${token}"`;
}

function createCjkTokens(runs: Iterable<string>): Set<string> {
  const cjkTokens = new Set<string>();
  for (const run of runs) {
    let previous = '';
    for (const character of run) {
      cjkTokens.add(character);
      if (previous !== '') cjkTokens.add(previous + character);
      previous = character;
    }
  }
  return cjkTokens;
}

function createTrigrams(word: string): ReadonlySet<string> {
  const trigrams = new Set<string>();
  const end = Math.min(word.length, maxPartsLength);
  for (let to = 3; to <= end; to++) trigrams.add(partMark + word.slice(to - 3, to));
  return trigrams;
}
