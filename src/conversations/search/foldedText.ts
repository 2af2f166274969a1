/** Marks that make another letter in Japanese are no accents. */
const accents = /(?![\u3099\u309a])\p{M}/gu;
const plain = /^[\x20-\x7e]*$/;

/**
 * A text as it is compared: without accents, in small letters, wide and narrow forms as one, white space and
 * characters that print nothing as blanks.
 */
export function folded(text: string): string {
  if (plain.test(text)) return text.toLowerCase();
  return (
    text
      .toWellFormed()
      .normalize('NFKD')
      .replace(accents, '')
      .normalize('NFC')
      // First in capitals, so that the two small sigmas, and ß and ss, are one.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(/[\s\p{Cc}]/gu, ' ')
  );
}

/** A folded text, and where each of its characters comes from. */
export interface FoldedText {
  readonly text: string;
  /** Of each character of `text`, and of its end, the place in the original. */
  readonly places: readonly number[];
}

/** Folds a short text piece by piece, to mark in the original what is found. */
export function foldedWithPlaces(original: string): FoldedText {
  const places: number[] = [];
  let text = '';
  // A letter with its accents is one piece.
  for (const { 0: piece, index } of original.matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
    const part = folded(piece);
    for (let nth = 0; nth < part.length; nth++) places.push(index);
    text += part;
  }
  places.push(original.length);
  return { text, places };
}

const cjk = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}ー`;
const runs = new RegExp(`([${cjk}]+)|((?:(?![${cjk}])[\\p{L}\\p{N}])+)`, 'gu');

/** A longer word is found by its beginning, and by parts of a longer beginning. */
const maxWordLength = 60;
const maxPartsLength = 1_000;

/** Before tokens that are no whole words; no letters. */
const beginningMark = '\ue000';
const partMark = '\ue001';

/** The words of a folded text, of languages that put blanks between them, and its runs of the others. */
interface Words {
  readonly words: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
}

function wordsOf(text: string): Words {
  const found = { words: new Set<string>(), runs: new Set<string>() };
  for (const [, run, word] of text.matchAll(runs)) {
    if (run !== undefined) found.runs.add(run);
    else if (word !== undefined) found.words.add(word);
  }
  return found;
}

/**
 * What an index knows of a folded text: its words, their first two and three letters, and each three letters that
 * stand beside each other; of Chinese, Japanese and Korean single characters and each two.
 */
export function tokensOf(text: string): ReadonlySet<string> {
  const { words, runs } = wordsOf(text);
  const tokens = pairsOf(runs);
  for (const word of words) {
    tokens.add(word.slice(0, maxWordLength));
    for (const length of [2, 3]) if (word.length >= length) tokens.add(beginningMark + word.slice(0, length));
    for (const part of trigramsOf(word)) tokens.add(part);
  }
  return tokens;
}

/** What to ask the index for a folded term, in its query language. All empty for a term that has no letters. */
export interface Lookups {
  /** For whole words, of which the last may be the beginning of one. */
  readonly words: readonly string[];
  /** For parts of words, but for those that are too short for parts. */
  readonly parts: readonly string[];
  /** For these as whole words again. */
  readonly short: readonly string[];
}

export function lookupsOf(term: string): Lookups {
  const { words, runs } = wordsOf(term);
  const pairs = [...pairsOf(runs)].map(quoted);
  const last = [...words].at(-1) ?? '';
  const whole = (word: string) =>
    word === last && term.endsWith(last) ? beginning(word) : quoted(word.slice(0, maxWordLength));
  const long = [...words].filter((word) => word.length >= 3);
  return {
    words: [...pairs, ...[...words].map(whole)],
    parts: [...pairs, ...long.flatMap((word) => [...trigramsOf(word)].map(quoted))],
    short: [...words].filter((word) => word.length < 3).map(whole),
  };
}

/** A single letter is a word: too much begins with it. */
function beginning(word: string): string {
  if (word.length === 1) return quoted(word);
  return word.length < 4 ? quoted(beginningMark + word) : `${quoted(word.slice(0, maxWordLength))} *`;
}

/** No token holds a quote. */
function quoted(token: string): string {
  return `"${token}"`;
}

function pairsOf(runs: Iterable<string>): Set<string> {
  const pairs = new Set<string>();
  for (const run of runs) {
    let before = '';
    for (const character of run) {
      pairs.add(character);
      if (before !== '') pairs.add(before + character);
      before = character;
    }
  }
  return pairs;
}

function trigramsOf(word: string): ReadonlySet<string> {
  const trigrams = new Set<string>();
  const end = Math.min(word.length, maxPartsLength);
  for (let at = 3; at <= end; at++) trigrams.add(partMark + word.slice(at - 3, at));
  return trigrams;
}
