import { numberWords, t } from '../../words/l10n.ts';
import type { StreamingTurn } from '../streamingTurn.ts';
import { ExpressionFinder, type Found } from './expressionFinder.ts';
import { type Passage, PassageReader, type PassageText } from './passages.ts';
import { expressionOf, type FindQuery, type Match, matchesIn, maxQueryLength, patternOf } from './pattern.ts';

/** A match, and where it stands. */
export interface FoundMatch {
  readonly turn: StreamingTurn;
  readonly passage: Passage;
  /** Which passage of the turn, and which match of the passage. */
  readonly nthPassage: number;
  readonly nth: number;
  readonly match: Match;
}

/** Where to begin to look. */
export type Start = Pick<FoundMatch, 'turn' | 'nthPassage'> & { readonly begin: number };

/** The matches of one passage. */
export interface PassageMatches extends PassageText {
  readonly matches: readonly Match[];
}

/** A turn with what was read of it. */
interface ReadTurn {
  readonly turn: StreamingTurn;
  readonly passages: readonly PassageText[];
}

/** Finds in texts. @returns the matches of each; undefined when it took too long */
type Search = (texts: readonly string[], limit: number) => Found | Promise<Found | undefined>;

/** More matches are not counted. */
export const maxMatches = 20_000;

/** How long one step may take, in milliseconds, so that the page goes on meanwhile. */
const stepMs = 10;

/** How much text is looked through in one step, in UTF-16 units. */
const maxStepLength = 500_000;

/**
 * What is found in the turns of a chat, whether the page has painted them or not. It looks from where the reader is
 * to the end, and then from the beginning.
 */
export class ChatMatches {
  readonly #reader = new PassageReader();
  readonly #finder = new ExpressionFinder();
  #turns: readonly StreamingTurn[] = [];
  #found = new Map<StreamingTurn, readonly PassageMatches[]>();
  #count = 0;
  /** Ends the search that runs, because another one took its place. */
  #running = new AbortController();
  #isWhole = true;
  #fault: string | undefined;

  /** How many there are; with `isWhole` false there may be more. */
  get count(): number {
    return this.#count;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Why nothing can be found by the query, in words. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /**
   * Looks for a query in place of the one before.
   *
   * @param onStep called after each step, with what is found by then
   */
  async find(
    query: FindQuery,
    turns: readonly StreamingTurn[],
    start: StreamingTurn | undefined,
    onStep: () => void,
  ): Promise<void> {
    this.stop();
    const { signal } = this.#running;
    this.#turns = turns;
    this.#found = new Map();
    this.#count = 0;
    this.#fault = undefined;
    const search = this.#searchFor(query, signal);
    this.#isWhole = search === undefined;
    if (search) {
      const first = start ? Math.max(0, turns.indexOf(start)) : 0;
      const inOrder = [...turns.slice(first), ...turns.slice(0, first)];
      const reading = this.#read(inOrder);
      for (let isRead = false; !isRead && this.#count < maxMatches && !this.#fault; ) {
        const read: ReadTurn[] = [];
        isRead = readWithin(reading, read, stepMs);
        await this.#take(read, search, signal);
        if (!isRead && !signal.aborted) {
          onStep();
          await nextTask();
        }
        if (signal.aborted) return;
      }
      this.#isWhole = true;
    }
    onStep();
  }

  /** Ends the search that runs. What was found stays. */
  stop(): void {
    this.#running.abort();
    this.#running = new AbortController();
  }

  in(turn: StreamingTurn): readonly PassageMatches[] {
    return this.#found.get(turn) ?? [];
  }

  /** The first match at a place or after it, else the first one of all. */
  from(start: Start | undefined): FoundMatch | undefined {
    if (!start) return this.#first(this.#turns);
    const at = this.#turns.indexOf(start.turn);
    const inTurn = this.#all(start.turn).find((found) => !isBefore(found, start));
    return inTurn ?? this.#first(this.#turns.slice(at + 1)) ?? this.#first(this.#turns);
  }

  /** The match after another one, or before it; from the last one the first. */
  beside(found: FoundMatch, step: 1 | -1): FoundMatch | undefined {
    const inTurn = this.#all(found.turn);
    const at = inTurn.findIndex((each) => isSame(each, found));
    const near = at === -1 ? undefined : inTurn[at + step];
    if (near) return near;
    const index = this.#turns.indexOf(found.turn);
    const [before, after] = [this.#turns.slice(0, index), this.#turns.slice(index + 1)];
    if (step === 1) return this.#first([...after, ...before, found.turn]);
    return this.#last([found.turn, ...after, ...before]);
  }

  /** Which of all matches it is, from 1. */
  positionOf(found: FoundMatch): number {
    let before = 0;
    for (const turn of this.#turns) {
      if (turn === found.turn) break;
      for (const { matches } of this.in(turn)) before += matches.length;
    }
    return before + this.#all(found.turn).findIndex((each) => isSame(each, found)) + 1;
  }

  #searchFor(query: FindQuery, signal: AbortSignal): Search | undefined {
    if (query.text.length > maxQueryLength) {
      this.#fault = t('At most {0} characters can be searched for.', numberWords(maxQueryLength));
      return undefined;
    }
    if (!query.isExpression) {
      const pattern = patternOf(query);
      return pattern && ((texts, limit) => matchesInAll(texts, pattern, limit));
    }
    try {
      const expression = expressionOf(query);
      return expression && ((texts, limit) => this.#finder.matches(expression, texts, limit, signal));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#fault = t('Invalid regular expression: {0}', reasonOf(error));
      return undefined;
    }
  }

  /** Reads turns, each in steps of bounded work. */
  *#read(turns: readonly StreamingTurn[]): Generator<ReadTurn | undefined, void> {
    for (const turn of turns) yield { turn, passages: yield* this.#reader.read(turn) };
  }

  async #take(read: readonly ReadTurn[], search: Search, signal: AbortSignal): Promise<void> {
    const texts = read.flatMap(({ passages }) => passages.map(({ text }) => text));
    const found = await search(texts, maxMatches - this.#count);
    if (signal.aborted) return;
    if (!found) {
      this.#fault = t('This regular expression takes too long.');
      return;
    }
    let nth = 0;
    for (const { turn, passages } of read) {
      const withMatches = passages.map((each) => ({ ...each, matches: found[nth++] ?? [] }));
      for (const { matches } of withMatches) this.#count += matches.length;
      this.#found.set(turn, withMatches);
    }
  }

  #all(turn: StreamingTurn): readonly FoundMatch[] {
    return this.in(turn).flatMap(({ passage, matches }, nthPassage) =>
      matches.map((match, nth) => ({ turn, passage, nthPassage, nth, match })),
    );
  }

  #first(turns: readonly StreamingTurn[]): FoundMatch | undefined {
    const turn = turns.find((each) => this.#has(each));
    return turn && this.#all(turn)[0];
  }

  #last(turns: readonly StreamingTurn[]): FoundMatch | undefined {
    const turn = turns.findLast((each) => this.#has(each));
    return turn && this.#all(turn).at(-1);
  }

  #has(turn: StreamingTurn): boolean {
    return this.in(turn).some(({ matches }) => matches.length > 0);
  }
}

function isBefore(found: FoundMatch, start: Start): boolean {
  if (found.nthPassage !== start.nthPassage) return found.nthPassage < start.nthPassage;
  return found.match[0] < start.begin;
}

function isSame(one: FoundMatch, other: FoundMatch): boolean {
  return one.turn === other.turn && one.nthPassage === other.nthPassage && one.match[0] === other.match[0];
}

/** Reads on for some time, or until so much is read that looking through it takes long. @returns whether all is read */
function readWithin(reading: Generator<ReadTurn | undefined, void>, read: ReadTurn[], ms: number): boolean {
  const end = performance.now() + ms;
  for (let length = 0; length < maxStepLength && performance.now() < end; ) {
    const { value, done } = reading.next();
    if (done) return true;
    if (!value) continue;
    read.push(value);
    for (const { text } of value.passages) length += text.length;
  }
  return false;
}

function matchesInAll(texts: readonly string[], pattern: RegExp, limit: number): Found {
  let left = limit;
  return texts.map((text) => {
    const matches = matchesIn(text, pattern, left);
    left -= matches.length;
    return matches;
  });
}

/** What the engine says of an expression, without the expression. */
function reasonOf({ message }: SyntaxError): string {
  return message.slice(message.lastIndexOf(': ') + 2);
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
