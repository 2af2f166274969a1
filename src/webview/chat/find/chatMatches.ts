import type { StreamingTurn } from '../streamingTurn.ts';
import { type Passage, PassageReader, type PassageText } from './passages.ts';
import { type FindQuery, type Match, matchesIn, patternOf } from './pattern.ts';

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

/** More matches are not counted. */
export const maxMatches = 20_000;

/** How long one step may take, in milliseconds, so that the page goes on meanwhile. */
const stepMs = 10;

/**
 * What is found in the turns of a chat, whether the page has painted them or not. It looks from where the reader is
 * to the end, and then from the beginning.
 */
export class ChatMatches {
  readonly #reader = new PassageReader();
  #turns: readonly StreamingTurn[] = [];
  #found = new Map<StreamingTurn, readonly PassageMatches[]>();
  #count = 0;
  /** Ends the search that runs, because another one took its place. */
  #running = new AbortController();
  #isWhole = true;

  /** How many there are; with `isWhole` false there may be more. */
  get count(): number {
    return this.#count;
  }

  get isWhole(): boolean {
    return this.#isWhole;
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
    const pattern = patternOf(query);
    this.#turns = turns;
    this.#found = new Map();
    this.#count = 0;
    this.#isWhole = pattern === undefined;
    if (pattern) {
      const first = start ? Math.max(0, turns.indexOf(start)) : 0;
      const inOrder = [...turns.slice(first), ...turns.slice(0, first)];
      const work = this.#look(inOrder, pattern);
      while (!doneWithin(work, stepMs)) {
        onStep();
        await nextTask();
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

  *#look(turns: readonly StreamingTurn[], pattern: RegExp): Generator<undefined, void> {
    for (const turn of turns) {
      const passages = yield* this.#reader.read(turn);
      const found = passages.map((read) => {
        const matches = matchesIn(read.text, pattern, maxMatches - this.#count);
        this.#count += matches.length;
        return { ...read, matches };
      });
      this.#found.set(turn, found);
      if (this.#count >= maxMatches) return;
      yield;
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

/** Goes on for some time. @returns whether the work is done */
function doneWithin(work: Generator<undefined, void>, ms: number): boolean {
  const end = performance.now() + ms;
  while (performance.now() < end) if (work.next().done) return true;
  return false;
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
