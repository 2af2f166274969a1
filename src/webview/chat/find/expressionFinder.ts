import type { Expression, Match } from './pattern.ts';

/** How long an expression may take for some texts, in milliseconds. */
const patienceMs = 2_000;

/** The matches of each text. */
export type Found = readonly (readonly Match[])[];

interface Task extends Expression {
  readonly texts: readonly string[];
  readonly limit: number;
}

/** Finds a regular expression of the user in a thread of its own, which is ended when it takes too long. */
export class ExpressionFinder {
  #worker: Worker | undefined;

  /**
   * Looks in each block of each text; what is empty is no match.
   *
   * @param limit the most matches of all texts together
   * @returns the matches of each text; undefined when it took too long, or the signal ended it
   */
  async matches(
    { source, flags }: Expression,
    texts: readonly string[],
    limit: number,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    this.#worker ??= startWorker();
    const task: Task = { source, flags, texts, limit };
    const end = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const found = answerOf(this.#worker, task, end);
    // At once: the next search may begin before this one goes on.
    const onEnd = () => this.#end();
    end.addEventListener('abort', onEnd);
    return found.finally(() => end.removeEventListener('abort', onEnd));
  }

  /** Ends the thread. The next search starts another one. */
  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function answerOf(worker: Worker, task: Task, end: AbortSignal): Promise<Found | undefined> {
  return new Promise((resolve) => {
    end.addEventListener('abort', () => resolve(undefined));
    worker.onmessage = ({ data }: MessageEvent<Found>) => resolve(data);
    worker.postMessage(task);
  });
}

/** A page of VS Code can start a worker only from a `blob:` address: its own files are of another origin. */
function startWorker(): Worker {
  const source = new Blob([`(${answerTasks})()`], { type: 'text/javascript' });
  const address = URL.createObjectURL(source);
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

/** Runs in the worker, from its source text: it has nothing from outside, and no function with a name. */
function answerTasks(): void {
  addEventListener('message', ({ data }: MessageEvent<Task>) => {
    const pattern = new RegExp(data.source, data.flags);
    const found: Match[][] = [];
    let left = data.limit;
    for (const text of data.texts) {
      const matches: Match[] = [];
      let begin = 0;
      for (const block of text.split('\0')) {
        for (const { 0: match, index } of block.matchAll(pattern)) {
          if (left === 0) break;
          if (match === '') continue;
          left -= 1;
          matches.push([begin + index, begin + index + match.length]);
        }
        begin += block.length + 1;
      }
      found.push(matches);
    }
    postMessage(found);
  });
}
