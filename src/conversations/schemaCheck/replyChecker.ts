import { createHash } from 'node:crypto';
import { jsonText } from '../../base/json.ts';
import { RequestWorker, WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { CheckRequests, JsonPath, ReplyCheck, SchemaProblem } from './checkResult.ts';

/** The time limits of one check, in milliseconds. */
interface CheckLimits {
  /** Enough for nearly every reply. A longer check is restarted in the slow thread. */
  readonly quickMs: number;
  /** A reply of 1 MB takes about a tenth of it. */
  readonly slowMs: number;
}

const defaultLimits: CheckLimits = { quickMs: 400, slowMs: 3000 };

/** The maximum memory of the thread, in MB: more than any normal check needs. */
const memoryLimitMb = 256;

/** After this many timeouts of a schema, its checks get little time. */
const maxFailures = 2;

/** The number of schemas whose timeouts are remembered. */
const maxRememberedSchemas = 100;

/**
 * Checks replies against their schemas. A schema may keep a thread busy forever, so replies with a slow
 * schema wait for each other in a separate thread, and do not delay others.
 */
export class ReplyChecker {
  readonly #limits: CheckLimits;
  readonly #quickLane: CheckLane;
  readonly #slowLane: CheckLane;
  readonly #slowSchemas = new SlowSchemas();

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, limits = defaultLimits) {
    this.#limits = limits;
    this.#quickLane = new CheckLane(program);
    this.#slowLane = new CheckLane(program);
  }

  async check(text: string, schema: object): Promise<ReplyCheck> {
    const { quickMs, slowMs } = this.#limits;
    const time = this.#slowSchemas.of(schema);
    const argument = { text, schema };
    const quick = await this.#quickLane.run('check', argument, () => (time.isSlow ? undefined : quickMs));
    if (quick) return quick.result;
    time.isSlow = true;
    const slow = await this.#slowLane.run('check', argument, () => (time.isHopeless ? quickMs : slowMs));
    if (!slow) time.failures += 1;
    return slow?.result ?? { kind: 'too-much' };
  }

  /** The problem of a schema's text; undefined if there is none. */
  async schemaProblem(text: string): Promise<SchemaProblem | undefined> {
    const read = await this.#run('readSchema', text);
    return read ? read.result : { kind: 'too-much' };
  }

  /** Also undefined if the search times out. */
  async locate(text: string, path: JsonPath): Promise<CheckRequests['locate']['result']> {
    return (await this.#run('locate', { text, path }))?.result;
  }

  async close(): Promise<void> {
    await Promise.all([this.#quickLane.close(), this.#slowLane.close()]);
  }

  async #run<Kind extends 'readSchema' | 'locate'>(kind: Kind, argument: CheckRequests[Kind]['argument']) {
    const { quickMs, slowMs } = this.#limits;
    return (
      (await this.#quickLane.run(kind, argument, () => quickMs)) ??
      this.#slowLane.run(kind, argument, () => slowMs)
    );
  }
}

/**
 * A thread that runs one job after another, and is ended when a job takes too long. The newest job runs first,
 * because the user is looking at it.
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
   * @param limitMs called before the job starts; returns its time limit in milliseconds, or undefined to skip
   *   it
   * @returns undefined if the job took too long or too much memory, or was skipped
   */
  run<Kind extends keyof CheckRequests>(
    kind: Kind,
    argument: CheckRequests[Kind]['argument'],
    limitMs: () => number | undefined,
  ): Promise<{ readonly result: CheckRequests[Kind]['result'] } | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof this.run<Kind>>>>();
    this.#waiting.push(() => this.#runJob(kind, argument, limitMs).then(resolve, reject));
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
    // The last of several simultaneous jobs also runs first.
    await Promise.resolve();
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) await next();
    this.#isWorking = false;
  }

  async #runJob<Kind extends keyof CheckRequests>(
    kind: Kind,
    argument: CheckRequests[Kind]['argument'],
    limitMs: () => number | undefined,
  ): Promise<{ readonly result: CheckRequests[Kind]['result'] } | undefined> {
    const limit = limitMs();
    if (this.#isClosed || limit === undefined) return undefined;
    this.#worker ??= new RequestWorker<CheckRequests>({ program: this.#program, memoryLimitMb });
    const worker = this.#worker;
    let end: ReturnType<typeof setTimeout> | undefined;
    try {
      // The start of the thread is not counted.
      await worker.request('begin', undefined);
      end = setTimeout(() => void this.#end(worker), limit);
      return { result: await worker.request(kind, argument) };
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

/** The recorded times of one schema. */
class SchemaTime {
  /** A check of it took longer than others should wait. */
  isSlow = false;
  failures = 0;

  get isHopeless(): boolean {
    return this.failures >= maxFailures;
  }
}

/** Remembers slow schemas until the window closes. */
class SlowSchemas {
  readonly #times = new Map<string, SchemaTime>();
  readonly #keys = new WeakMap<object, string>();

  of(schema: object): SchemaTime {
    const key = this.#keys.get(schema) ?? keyOf(schema);
    this.#keys.set(schema, key);
    const time = this.#times.get(key) ?? new SchemaTime();
    if (this.#times.size >= maxRememberedSchemas) this.#times.clear();
    this.#times.set(key, time);
    return time;
  }
}

function keyOf(schema: object): string {
  return createHash('sha256')
    .update(jsonText(schema) ?? '')
    .digest('base64');
}
