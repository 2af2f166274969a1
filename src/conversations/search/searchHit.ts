import type { Candidate } from './candidates.ts';
import { foldedWithPlaces } from './foldedText.ts';
import type { TextKind } from './indexFilling.ts';

/** A message, or the title of a chat, in which everything was found. */
export interface SearchHit {
  /** The ids of the conversation and, but for a title, of the message. */
  readonly conversation: string;
  readonly message?: string;
  readonly kind: TextKind;
  /** Of the conversation; the beginning of its first question where it has none. Empty for a chat without text. */
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly snippet: Snippet;
}

/** A piece of a text, on one line. */
export interface Snippet {
  readonly text: string;
  /** Begin and end of what was found, in order. */
  readonly marks: readonly (readonly [begin: number, end: number])[];
}

const snippetLength = 160;
const lengthBefore = 40;
/** Of a longer text the beginning is looked through for a place that shows what was found. */
const maxLookedThrough = 200_000;

const weights: Readonly<Record<TextKind, number>> = { title: 6, question: 3, reply: 1, reasoning: 1 };

/** How good a hit is. Whole words count more than beginnings, those more than parts of words. */
export function scoreOf(kind: TextKind, text: string, terms: readonly string[]): number {
  return terms.reduce((score, term) => score * placeWeight(text, term), weights[kind]);
}

/** @param text folded, in which the term stands */
function placeWeight(text: string, term: string): number {
  let best = 1;
  for (let at = text.indexOf(term), tries = 0; at !== -1 && tries < 20; tries++) {
    const begins = !isLetter(text[at - 1]);
    if (begins && !isLetter(text[at + term.length])) return 2;
    if (begins) best = 1.5;
    at = text.indexOf(term, at + 1);
  }
  return best;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

export function hitOf(
  { conversation, title, message, kind, at, text }: Candidate,
  terms: readonly string[],
): SearchHit {
  return {
    conversation,
    ...(message !== '' && { message }),
    ...{ kind, title, at, snippet: snippetOf(text, terms) },
  };
}

/** The piece around what was found first. */
function snippetOf(text: string, terms: readonly string[]): Snippet {
  const whole = foldedWithPlaces(text.slice(0, maxLookedThrough));
  const found = terms.map((term) => whole.text.indexOf(term)).filter((at) => at !== -1);
  const first = whole.places[found.length === 0 ? 0 : Math.min(...found)] ?? 0;
  const begin = first <= lengthBefore ? 0 : afterBlank(text, first - lengthBefore, first);
  const cut = text.slice(begin, begin + snippetLength);
  const isCut = begin + snippetLength < text.length;
  const shown = `${begin > 0 ? '…' : ''}${cut.toWellFormed()}${isCut ? '…' : ''}`.replaceAll(
    /[\s\p{Cc}]/gu,
    ' ',
  );
  return { text: shown, marks: marksIn(shown, terms) };
}

/** Where the next word begins, but not after `end`. */
function afterBlank(text: string, from: number, end: number): number {
  const at = text.slice(from, end).search(/\s/);
  return at === -1 ? from : from + at + 1;
}

/** Ranges that overlap are one. */
function marksIn(shown: string, terms: readonly string[]): Snippet['marks'] {
  const { text, places } = foldedWithPlaces(shown);
  const ranges = terms.flatMap((term) => {
    const of: [number, number][] = [];
    for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + term.length)) {
      of.push([places[at] ?? 0, endOf(places, at + term.length)]);
    }
    return of;
  });
  const marks: [number, number][] = [];
  for (const [begin, end] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = marks.at(-1);
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else marks.push([begin, end]);
  }
  return marks;
}

/** One letter may have become several: a range ends where the next letter begins. */
function endOf(places: readonly number[], end: number): number {
  let next = end;
  while (next < places.length - 1 && places[next] === places[end - 1]) next++;
  return places[next] ?? 0;
}
