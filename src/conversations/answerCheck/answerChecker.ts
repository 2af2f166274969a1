import pLimit from 'p-limit';
import { RequestWorker, WorkerEndedError } from '../worker/requestWorker.ts';
import type { AnswerCheck, CheckRequests, JsonPath, SchemaProblem } from './checkResult.ts';

/** How long one check may take, in milliseconds. An answer of 1 MB takes about a tenth of it. */
const timeLimitMs = 3000;

/** The most memory of the thread, in MB: more than any honest check needs. */
const memoryLimitMb = 256;

/** Holds answers against their schemas, one after another, in a thread that is ended when it takes too long. */
export class AnswerChecker {
  readonly #program: string;
  readonly #timeLimitMs: number;
  readonly #inTurn = pLimit(1);
  #worker: RequestWorker<CheckRequests> | undefined;

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, timeLimit = timeLimitMs) {
    this.#program = program;
    this.#timeLimitMs = timeLimit;
  }

  async check(text: string, schema: object): Promise<AnswerCheck> {
    return (await this.#ask('check', { text, schema })) ?? { kind: 'too-much' };
  }

  /** What is wrong with the text of a schema; undefined where nothing is found. */
  async schemaProblem(text: string): Promise<SchemaProblem | undefined> {
    return this.#ask('readSchema', text);
  }

  async locate(text: string, path: JsonPath): Promise<CheckRequests['locate']['answer']> {
    return this.#ask('locate', { text, path });
  }

  async close(): Promise<void> {
    await this.#worker?.close();
  }

  /** @returns undefined when it takes too long */
  #ask<Kind extends 'check' | 'readSchema' | 'locate'>(
    kind: Kind,
    asked: CheckRequests[Kind]['asked'],
  ): Promise<CheckRequests[Kind]['answer'] | undefined> {
    return this.#inTurn(async () => {
      this.#worker ??= new RequestWorker<CheckRequests>({ program: this.#program, memoryLimitMb });
      const worker = this.#worker;
      let end: ReturnType<typeof setTimeout> | undefined;
      try {
        // The time of the thread's own start is not counted.
        await worker.ask('begin', undefined);
        end = setTimeout(() => void this.#end(worker), this.#timeLimitMs);
        return await worker.ask(kind, asked);
      } catch (error) {
        if (!(error instanceof WorkerEndedError)) throw error;
        return undefined;
      } finally {
        clearTimeout(end);
      }
    });
  }

  async #end(worker: RequestWorker<CheckRequests>): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    await worker.close();
  }
}
