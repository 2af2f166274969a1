import type { Expression, Match } from './findPattern.ts';

/** The time limit of a search with an expression, in milliseconds. */
const maxSearchMs = 2_000;

/** The matches of each text. */
export type TextMatches = readonly (readonly Match[])[];

interface Task extends Expression {
  readonly texts: readonly string[];
  readonly limit: number;
}

/** Finds a regular expression of the user in a separate thread, which is ended if it takes too long. */
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
    const onEnd = () => this.#end();
    endSignal.addEventListener('abort', onEnd);
    return result.finally(() => endSignal.removeEventListener('abort', onEnd));
  }

  /** Ends the thread. The next search starts another one. */
  #end(): void {
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

/** Runs in the worker, from its source text: it uses no outer variables and no named functions. */
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
