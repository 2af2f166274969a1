import { RequestWorker, WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { CheckRequests } from './checkResult.ts';

/** The most memory of the thread, in MB: more than any honest check needs. */
const memoryLimitMb = 256;

/**
 * A thread that does one thing after another, and is ended when one takes too long. What was asked last comes first:
 * the user looks at that.
 */
export class CheckLane {
  readonly #program: string;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isWorking = false;
  #isClosed = false;
  #worker: RequestWorker<CheckRequests> | undefined;

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string) {
    this.#program = program;
  }

  /**
   * @param limitMs called when its turn has come: how long it may take, in milliseconds; undefined leaves it out
   * @returns undefined when it takes too long, or too much memory, or was left out
   */
  ask<Kind extends keyof CheckRequests>(
    kind: Kind,
    asked: CheckRequests[Kind]['asked'],
    limitMs: () => number | undefined,
  ): Promise<{ readonly answer: CheckRequests[Kind]['answer'] } | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof this.ask<Kind>>>>();
    this.#waiting.push(() => this.#answer(kind, asked, limitMs).then(resolve, reject));
    void this.#work();
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // Of what is asked at once, the last comes first too.
    await Promise.resolve();
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) await next();
    this.#isWorking = false;
  }

  async #answer<Kind extends keyof CheckRequests>(
    kind: Kind,
    asked: CheckRequests[Kind]['asked'],
    limitMs: () => number | undefined,
  ): Promise<{ readonly answer: CheckRequests[Kind]['answer'] } | undefined> {
    const limit = limitMs();
    if (this.#isClosed || limit === undefined) return undefined;
    this.#worker ??= new RequestWorker<CheckRequests>({ program: this.#program, memoryLimitMb });
    const worker = this.#worker;
    let end: ReturnType<typeof setTimeout> | undefined;
    try {
      // The time of the thread's own start is not counted.
      await worker.ask('begin', undefined);
      end = setTimeout(() => void this.#end(worker), limit);
      return { answer: await worker.ask(kind, asked) };
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
      return undefined;
    } finally {
      clearTimeout(end);
    }
  }

  async #end(worker: RequestWorker<CheckRequests>): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    await worker.close();
  }
}
