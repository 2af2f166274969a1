/** The options of a search. */
export interface FindOptions {
  readonly matchesCase: boolean;
  readonly matchesWholeWord: boolean;
  /** Whether the text is a regular expression. */
  readonly isExpression: boolean;
}

/** A search in a chat. */
export interface FindQuery extends FindOptions {
  readonly text: string;
}

/** Begin and end of a match, in UTF-16 units. */
export type Match = readonly [begin: number, end: number];

/** The longest query, in UTF-16 units. */
export const maxFindLength = 1_000;
const wordCharacter = String.raw`[\p{L}\p{N}_]`;
const beginsInWord = new RegExp(`^${wordCharacter}`, 'u');
const endsInWord = new RegExp(`${wordCharacter}$`, 'u');

/** A regular expression of the user, whose execution may take any time. */
interface Expression {
  readonly source: string;
  readonly flags: string;
}

/**
 * Creates the pattern for the literal text of a query of at most `maxFindLength`. Matching takes time proportional
 * to the searched text for any query. For this reason white space in the query matches at most 50 characters of white
 * space.
 *
 * @returns undefined if there is nothing to search for
 */
export function createPattern({ text, matchesCase, matchesWholeWord }: FindQuery): RegExp | undefined {
  // Blocks are separated by NUL, which pages show as U+FFFD.
  const searched = text.toWellFormed().replaceAll('\0', '\ufffd');
  if (searched === '') return undefined;
  const literal = allowDecomposedLetters(escapeExpression(searched)).replace(/\s+/g, '\\s{1,50}');
  const begin = matchesWholeWord && beginsInWord.test(searched) ? `(?<!${wordCharacter})` : '';
  const end = matchesWholeWord && endsInWord.test(searched) ? `(?!${wordCharacter})` : '';
  return new RegExp(`${begin}${literal}${end}`, matchesCase ? 'gu' : 'giu');
}

/** Makes a pattern match a letter with an accent whether it is written as one character or as several. */
function allowDecomposedLetters(source: string): string {
  return source.normalize('NFC').replace(/[^\0-\x7f]/gu, (letter) => {
    const parts = letter.normalize('NFD');
    return parts === letter ? letter : `(?:${letter}|${parts})`;
  });
}

/** Returns the source of a regular expression that matches a literal text. */
export function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`);
}

/**
 * Creates the regular expression of a query, in the syntax of VS Code's editors.
 *
 * @returns undefined if there is nothing to search for
 * @throws {SyntaxError} if the text is not a valid expression
 */
export function createExpression({ text, matchesCase, matchesWholeWord }: FindQuery): Expression | undefined {
  if (text === '') return undefined;
  const flags = matchesCase ? 'gmu' : 'gimu';
  // Compiled alone first: an unmatched closing parenthesis would become valid inside the group.
  const { source } = new RegExp(text, flags);
  const isWord = `(?<!${wordCharacter})(?:${source})(?!${wordCharacter})`;
  return { source: matchesWholeWord ? isWord : source, flags };
}

/**
 * Finds the matches of a pattern that has the flag `g`.
 *
 * @param limit the maximum number of matches
 */
export function findMatches(text: string, pattern: RegExp, limit: number): readonly Match[] {
  const matches: Match[] = [];
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (matches.length >= limit) break;
    matches.push([index, index + match.length]);
  }
  return matches;
}

/** The time limit of a search with an expression, in milliseconds. */
const maxSearchMs = 2_000;

/** The matches of each text. */
export type TextMatches = readonly (readonly Match[])[];

interface Task extends Expression {
  readonly texts: readonly string[];
  readonly limit: number;
}

/** Finds the matches of a user's regular expression in a worker. Terminates the worker if the search takes too long. */
export class ExpressionFinder {
  #worker: Worker | undefined;

  /**
   * Searches each block of each text; empty matches are ignored.
   *
   * @param limit the maximum number of matches of all texts together
   * @returns the matches of each text; undefined if it took too long, or the signal ended it
   */
  async findMatches(
    { source, flags }: Expression,
    texts: readonly string[],
    limit: number,
    signal: AbortSignal,
  ): Promise<TextMatches | undefined> {
    this.#worker ??= startWorker();
    const task: Task = { source, flags, texts, limit };
    const endSignal = AbortSignal.any([signal, AbortSignal.timeout(maxSearchMs)]);
    const result = searchInWorker(this.#worker, task, endSignal);
    // Immediately, because the next search may begin before this one continues.
    const onEnd = () => this.#terminate();
    endSignal.addEventListener('abort', onEnd);
    return result.finally(() => endSignal.removeEventListener('abort', onEnd));
  }

  /** Terminates the worker. The next search starts another one. */
  #terminate(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function searchInWorker(worker: Worker, task: Task, end: AbortSignal): Promise<TextMatches | undefined> {
  return new Promise((resolve) => {
    end.addEventListener('abort', () => resolve(undefined));
    worker.onmessage = ({ data }: MessageEvent<TextMatches>) => resolve(data);
    worker.postMessage(task);
  });
}

/** Starts a worker from a `blob:` address, because the files of VS Code have another origin than the page. */
function startWorker(): Worker {
  const source = new Blob([`(${runWorker})()`], { type: 'text/javascript' });
  const address = URL.createObjectURL(source);
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

/** Runs in the worker from its source text, so it must not use outer variables or named functions. */
function runWorker(): void {
  addEventListener('message', ({ data }: MessageEvent<Task>) => {
    const pattern = new RegExp(data.source, data.flags);
    const matchesOfTexts: Match[][] = [];
    let remaining = data.limit;
    for (const text of data.texts) {
      const matches: Match[] = [];
      let begin = 0;
      for (const block of text.split('\0')) {
        for (const { 0: match, index } of block.matchAll(pattern)) {
          if (remaining === 0) break;
          if (match === '') continue;
          remaining -= 1;
          matches.push([begin + index, begin + index + match.length]);
        }
        begin += block.length + 1;
      }
      matchesOfTexts.push(matches);
    }
    postMessage(matchesOfTexts);
  });
}
