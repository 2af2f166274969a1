import { foldWithOffsets } from './foldedText.ts';
import type { TextKind } from './indexFiller.ts';

/** A text that may match: the index does not store the order of tokens. */
export interface Candidate {
  readonly key: number;
  readonly conversation: string;
  readonly title: string;
  /** Empty for the title. */
  readonly message: string;
  readonly kind: TextKind;
  readonly at: number;
  readonly model: string | null;
  readonly text: string;
}

/** A message or chat title that contains all search terms. */
export interface SearchHit {
  /** The ids of the conversation and of the message; a title has no message. */
  readonly conversation: string;
  readonly message?: string;
  readonly kind: TextKind;
  /** The title of the conversation, or else the beginning of its first question. Empty for a chat without text. */
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly snippet: Snippet;
}

/** An excerpt of a text, on one line. */
export interface Snippet {
  readonly text: string;
  /** Start and end of each match, in order. */
  readonly marks: readonly (readonly [begin: number, end: number])[];
}

/** The length of an excerpt. All lengths here are in UTF-16 units. */
const snippetLength = 160;
/** The length of the excerpt before the first match. */
const lengthBefore = 40;
/** The length of the beginning of a text in which the excerpt is searched. */
const maxSearchedLength = 200_000;

const weights: Readonly<Record<TextKind, number>> = { title: 6, question: 3, reply: 1, reasoning: 1 };

/**
 * Whole words score more than prefixes, and prefixes more than parts of words.
 *
 * @param text folded; contains all terms
 */
export function computeScore(kind: TextKind, text: string, terms: readonly string[]): number {
  return terms.reduce((score, term) => score * weighMatch(text, term), weights[kind]);
}

/** @param text folded; contains the term */
function weighMatch(text: string, term: string): number {
  let best = 1;
  for (let offset = text.indexOf(term), tries = 0; offset !== -1 && tries < 20; tries++) {
    const isWordStart = !isLetter(text[offset - 1]);
    if (isWordStart && !isLetter(text[offset + term.length])) return 2;
    if (isWordStart) best = 1.5;
    offset = text.indexOf(term, offset + 1);
  }
  return best;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

export function createHit(
  { conversation, title, message, kind, at, text }: Candidate,
  terms: readonly string[],
): SearchHit {
  return {
    conversation,
    ...(message !== '' && { message }),
    kind,
    title,
    at,
    snippet: createSnippet(text, terms),
  };
}

/** Cuts out the surroundings of the first match. */
function createSnippet(text: string, terms: readonly string[]): Snippet {
  const folded = foldWithOffsets(text.slice(0, maxSearchedLength));
  const starts = terms.map((term) => folded.text.indexOf(term)).filter((offset) => offset !== -1);
  const firstMatch = folded.offsets[starts.length === 0 ? 0 : Math.min(...starts)] ?? 0;
  const start = firstMatch <= lengthBefore ? 0 : findWordStart(text, firstMatch - lengthBefore, firstMatch);
  const cut = text.slice(start, start + snippetLength);
  const isCut = start + snippetLength < text.length;
  const snippet = `${start > 0 ? '…' : ''}${cut.toWellFormed()}${isCut ? '…' : ''}`.replaceAll(
    /[\s\p{Cc}]/gu,
    ' ',
  );
  return { text: snippet, marks: findMarks(snippet, terms) };
}

/** Finds the start of the next word, but not after `end`. */
function findWordStart(text: string, from: number, end: number): number {
  const offset = text.slice(from, end).search(/\s/);
  return offset === -1 ? from : from + offset + 1;
}

/** Finds all matches, and merges overlapping ones. */
function findMarks(snippet: string, terms: readonly string[]): Snippet['marks'] {
  const { text, offsets } = foldWithOffsets(snippet);
  const ranges = terms.flatMap((term) => {
    const termRanges: [number, number][] = [];
    for (let offset = text.indexOf(term); offset !== -1; offset = text.indexOf(term, offset + term.length)) {
      termRanges.push([offsets[offset] ?? 0, findRangeEnd(offsets, offset + term.length)]);
    }
    return termRanges;
  });
  const marks: [number, number][] = [];
  for (const [begin, end] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = marks.at(-1);
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else marks.push([begin, end]);
  }
  return marks;
}

/** One letter may have been folded into several: a range ends at the start of the next letter. */
function findRangeEnd(offsets: readonly number[], end: number): number {
  let next = end;
  while (next < offsets.length - 1 && offsets[next] === offsets[end - 1]) next++;
  return offsets[next] ?? 0;
}
