import { formatNumber, t } from '../../words/l10n.ts';
import type { Passage } from '../turns/reply.ts';
import type { StreamingTurn } from '../turns/streamingTurn.ts';
import {
  createExpression,
  createPattern,
  ExpressionFinder,
  type FindQuery,
  findMatches,
  type Match,
  maxFindLength,
  type TextMatches,
} from './findPattern.ts';
import { PassageReader, type PassageText } from './passageReader.ts';

/** A match with its position in the chat. */
export interface FoundMatch {
  readonly turn: StreamingTurn;
  readonly passage: Passage;
  /** The index of the passage in the turn. */
  readonly passageIndex: number;
  /** The index of the match in the passage. */
  readonly matchIndex: number;
  readonly match: Match;
}

/** The position where the search begins. */
export type SearchStart = Pick<FoundMatch, 'turn' | 'passageIndex'> & { readonly begin: number };

/** A passage with its matches. */
interface PassageMatches extends PassageText {
  readonly matches: readonly Match[];
}

/** A turn with its text. */
interface ReadTurn {
  readonly turn: StreamingTurn;
  readonly passages: readonly PassageText[];
}

/** Searches texts. Returns the matches of each text; undefined if the search took too long. */
type Search = (texts: readonly string[], limit: number) => TextMatches | Promise<TextMatches | undefined>;

/** The maximum number of matches that are counted. */
export const maxMatches = 20_000;

/** How long one step may take, in milliseconds, so that the page stays responsive. */
const stepMs = 10;

/** The length of the text that is searched in one step, in UTF-16 units. */
const maxStepLength = 500_000;

/**
 * The matches in the turns of a chat, including turns that the page has not painted. The search begins at the
 * reader's position, and continues at the beginning of the chat after the end.
 */
export class ChatMatches {
  readonly #reader = new PassageReader();
  readonly #finder = new ExpressionFinder();
  #turns: readonly StreamingTurn[] = [];
  #matches = new Map<StreamingTurn, readonly PassageMatches[]>();
  #count = 0;
  /** Ends the current search when another one replaces it. */
  #running = new AbortController();
  #isComplete = true;
  #fault: string | undefined;

  /** The number of matches so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether the search is complete. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Why the query cannot find anything, as text. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /**
   * Starts a new search, and ends the current one.
   *
   * @param onStep called after each step, with the matches so far
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
    this.#matches = new Map();
    this.#count = 0;
    this.#fault = undefined;
    const search = this.#createSearch(query, signal);
    this.#isComplete = search === undefined;
    if (search) {
      const first = start ? Math.max(0, turns.indexOf(start)) : 0;
      const ordered = [...turns.slice(first), ...turns.slice(0, first)];
      const reading = this.#readTurns(ordered);
      for (let isDone = false; !isDone && this.#count < maxMatches && !this.#fault; ) {
        const batch: ReadTurn[] = [];
        isDone = readBatch(reading, batch, stepMs);
        await this.#searchTurns(batch, search, signal);
        if (!isDone && !signal.aborted) {
          onStep();
          await waitForTask();
        }
        if (signal.aborted) return;
      }
      this.#isComplete = true;
    }
    onStep();
  }

  /** Ends the current search. Its matches remain. */
  stop(): void {
    this.#running.abort();
    this.#running = new AbortController();
  }

  getMatches(turn: StreamingTurn): readonly PassageMatches[] {
    return this.#matches.get(turn) ?? [];
  }

  /** Finds the first match at or after a position, otherwise the first one of all. */
  findFirstFrom(start: SearchStart | undefined): FoundMatch | undefined {
    if (!start) return this.#findFirst(this.#turns);
    const turnIndex = this.#turns.indexOf(start.turn);
    const inTurn = this.#listMatches(start.turn).find((found) => !isBefore(found, start));
    return inTurn ?? this.#findFirst(this.#turns.slice(turnIndex + 1)) ?? this.#findFirst(this.#turns);
  }

  /** Finds the match after another one, or before it; the first match follows the last one. */
  findAdjacent(found: FoundMatch, step: 1 | -1): FoundMatch | undefined {
    const inTurn = this.#listMatches(found.turn);
    const position = inTurn.findIndex((each) => isSameMatch(each, found));
    const near = position === -1 ? undefined : inTurn[position + step];
    if (near) return near;
    const index = this.#turns.indexOf(found.turn);
    const [before, after] = [this.#turns.slice(0, index), this.#turns.slice(index + 1)];
    if (step === 1) return this.#findFirst([...after, ...before, found.turn]);
    return this.#findLast([found.turn, ...after, ...before]);
  }

  /** Returns the position of a match among all matches, from 1. */
  findPosition(found: FoundMatch): number {
    let before = 0;
    for (const turn of this.#turns) {
      if (turn === found.turn) break;
      for (const { matches } of this.getMatches(turn)) before += matches.length;
    }
    return before + this.#listMatches(found.turn).findIndex((each) => isSameMatch(each, found)) + 1;
  }

  #createSearch(query: FindQuery, signal: AbortSignal): Search | undefined {
    if (query.text.length > maxFindLength) {
      this.#fault = t('The search text can have at most {0} characters.', formatNumber(maxFindLength));
      return undefined;
    }
    if (!query.isExpression) {
      const pattern = createPattern(query);
      return pattern && ((texts, limit) => findMatchesInTexts(texts, pattern, limit));
    }
    try {
      const expression = createExpression(query);
      return expression && ((texts, limit) => this.#finder.findMatches(expression, texts, limit, signal));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#fault = t('Invalid regular expression: {0}', readReason(error));
      return undefined;
    }
  }

  /** Reads the text of turns. Yields undefined after each bounded amount of work. */
  *#readTurns(turns: readonly StreamingTurn[]): Generator<ReadTurn | undefined, void> {
    for (const turn of turns) yield { turn, passages: yield* this.#reader.read(turn) };
  }

  async #searchTurns(read: readonly ReadTurn[], search: Search, signal: AbortSignal): Promise<void> {
    const texts = read.flatMap(({ passages }) => passages.map(({ text }) => text));
    const matchesOfTexts = await search(texts, maxMatches - this.#count);
    if (signal.aborted) return;
    if (!matchesOfTexts) {
      this.#fault = t('This regular expression takes too long.');
      return;
    }
    let textIndex = 0;
    for (const { turn, passages } of read) {
      const withMatches = passages.map((each) => ({ ...each, matches: matchesOfTexts[textIndex++] ?? [] }));
      for (const { matches } of withMatches) this.#count += matches.length;
      this.#matches.set(turn, withMatches);
    }
  }

  #listMatches(turn: StreamingTurn): readonly FoundMatch[] {
    return this.getMatches(turn).flatMap(({ passage, matches }, passageIndex) =>
      matches.map((match, matchIndex) => ({ turn, passage, passageIndex, matchIndex, match })),
    );
  }

  #findFirst(turns: readonly StreamingTurn[]): FoundMatch | undefined {
    const turn = turns.find((each) => this.#hasMatches(each));
    return turn && this.#listMatches(turn)[0];
  }

  #findLast(turns: readonly StreamingTurn[]): FoundMatch | undefined {
    const turn = turns.findLast((each) => this.#hasMatches(each));
    return turn && this.#listMatches(turn).at(-1);
  }

  #hasMatches(turn: StreamingTurn): boolean {
    return this.getMatches(turn).some(({ matches }) => matches.length > 0);
  }
}

function isBefore(found: FoundMatch, start: SearchStart): boolean {
  if (found.passageIndex !== start.passageIndex) return found.passageIndex < start.passageIndex;
  return found.match[0] < start.begin;
}

function isSameMatch(one: FoundMatch, other: FoundMatch): boolean {
  return (
    one.turn === other.turn && one.passageIndex === other.passageIndex && one.match[0] === other.match[0]
  );
}

/**
 * Reads turns into `batch` until the time is over, or until there is enough text for one search.
 *
 * @returns whether all turns are read
 */
function readBatch(reading: Generator<ReadTurn | undefined, void>, batch: ReadTurn[], ms: number): boolean {
  const end = performance.now() + ms;
  for (let length = 0; length < maxStepLength && performance.now() < end; ) {
    const { value, done } = reading.next();
    if (done) return true;
    if (!value) continue;
    batch.push(value);
    for (const { text } of value.passages) length += text.length;
  }
  return false;
}

function findMatchesInTexts(texts: readonly string[], pattern: RegExp, limit: number): TextMatches {
  let remaining = limit;
  return texts.map((text) => {
    const matches = findMatches(text, pattern, remaining);
    remaining -= matches.length;
    return matches;
  });
}

/** Reads the engine's message about an expression, without the expression. */
function readReason({ message }: SyntaxError): string {
  return message.slice(message.lastIndexOf(': ') + 2);
}

function waitForTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
