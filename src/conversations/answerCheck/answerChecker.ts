import { createHash } from 'node:crypto';
import { jsonText } from '../../base/json.ts';
import { RequestWorker, WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { AnswerCheck, CheckRequests, JsonPath, SchemaProblem } from './checkResult.ts';

/** How long one check may take, in milliseconds. */
export interface CheckLimits {
  /** Enough for nearly every answer. What takes longer begins again beside the others. */
  readonly quickMs: number;
  /** An answer of 1 MB takes about a tenth of it. */
  readonly slowMs: number;
}

const usualLimits: CheckLimits = { quickMs: 400, slowMs: 3000 };

/** The most memory of the thread, in MB: more than any honest check needs. */
const memoryLimitMb = 256;

/** After so many checks that took too long, others get little time. */
const maxFailures = 2;

/** Of so many schemas it is known; then it is found out again. */
const maxKnown = 100;

/**
 * Holds answers against their schemas. A schema may keep a thread busy for ever: its answers then wait for one another
 * in a thread of their own, and hold up no others.
 */
export class AnswerChecker {
  readonly #limits: CheckLimits;
  readonly #quick: CheckLane;
  readonly #slow: CheckLane;
  readonly #slowSchemas = new SlowSchemas();

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, limits = usualLimits) {
    this.#limits = limits;
    this.#quick = new CheckLane(program);
    this.#slow = new CheckLane(program);
  }

  async check(text: string, schema: object): Promise<AnswerCheck> {
    const { quickMs, slowMs } = this.#limits;
    const known = this.#slowSchemas.of(schema);
    const asked = { text, schema };
    const quick = await this.#quick.ask('check', asked, () => (known.isSlow ? undefined : quickMs));
    if (quick) return quick.answer;
    known.isSlow = true;
    const slow = await this.#slow.ask('check', asked, () => (known.isHopeless ? quickMs : slowMs));
    if (!slow) known.failures += 1;
    return slow?.answer ?? { kind: 'too-much' };
  }

  /** What is wrong with the text of a schema; undefined where nothing is found. */
  async schemaProblem(text: string): Promise<SchemaProblem | undefined> {
    const read = await this.#ask('readSchema', text);
    return read ? read.answer : { kind: 'too-much' };
  }

  /** Undefined where it is not found in time, too. */
  async locate(text: string, path: JsonPath): Promise<CheckRequests['locate']['answer']> {
    return (await this.#ask('locate', { text, path }))?.answer;
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  async #ask<Kind extends 'readSchema' | 'locate'>(kind: Kind, asked: CheckRequests[Kind]['asked']) {
    const { quickMs, slowMs } = this.#limits;
    return (await this.#quick.ask(kind, asked, () => quickMs)) ?? this.#slow.ask(kind, asked, () => slowMs);
  }
}

/**
 * A thread that does one thing after another, and is ended when one takes too long. What was asked last comes first:
 * the user looks at that.
 */
class CheckLane {
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

/** What is known of the time that one schema takes. */
class SchemaTime {
  /** A check of it took longer than those of others should wait. */
  isSlow = false;
  failures = 0;

  get isHopeless(): boolean {
    return this.failures >= maxFailures;
  }
}

/** Remembers, as long as the window is open, which schemas take long. */
class SlowSchemas {
  readonly #times = new Map<string, SchemaTime>();
  readonly #keys = new WeakMap<object, string>();

  of(schema: object): SchemaTime {
    const key = this.#keys.get(schema) ?? keyOf(schema);
    this.#keys.set(schema, key);
    const time = this.#times.get(key) ?? new SchemaTime();
    if (this.#times.size >= maxKnown) this.#times.clear();
    this.#times.set(key, time);
    return time;
  }
}

function keyOf(schema: object): string {
  return createHash('sha256')
    .update(jsonText(schema) ?? '')
    .digest('base64');
}
