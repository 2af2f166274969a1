import { createHash } from 'node:crypto';
import { jsonText } from '../../base/json.ts';
import { RequestWorker, WorkerEndedError } from '../../storage/worker/requestWorker.ts';
import type { CheckRequests, JsonPath, ReplyCheck, SchemaProblem } from './checkResult.ts';

/** The time limits of one check, in milliseconds. */
interface CheckLimits {
  /** Enough for nearly every reply. A longer check is restarted in the slow thread. */
  readonly quickMs: number;
  /** The limit in the slow thread. A reply of 1 MB takes about a tenth of it. */
  readonly slowMs: number;
}

const defaultLimits: CheckLimits = { quickMs: 400, slowMs: 3000 };

/** The maximum memory of the thread, in MB: more than any normal check needs. */
const memoryLimitMb = 256;

/** After this many timeouts of a schema, its checks only get `quickMs` in the slow thread. */
const maxTimeouts = 2;

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
  readonly #histories = new SchemaHistories();

  /** @param program the path of the bundle of `main.ts` */
  constructor(program: string, limits = defaultLimits) {
    this.#limits = limits;
    this.#quickLane = new CheckLane(program);
    this.#slowLane = new CheckLane(program);
  }

  async check(text: string, schema: object): Promise<ReplyCheck> {
    const { quickMs, slowMs } = this.#limits;
    const history = this.#histories.getHistory(schema);
    const argument = { text, schema };
    const quick = await this.#quickLane.run('check', argument, () => (history.isSlow ? undefined : quickMs));
    if (quick) return quick.result;
    history.isSlow = true;
    const slow = await this.#slowLane.run('check', argument, () => (history.isHopeless ? quickMs : slowMs));
    if (!slow) history.timeouts += 1;
    return slow?.result ?? { kind: 'too-much' };
  }

  /** Checks the text of a schema; undefined if it is valid. */
  async findSchemaProblem(text: string): Promise<SchemaProblem | undefined> {
    const read = await this.#run('readSchema', text);
    return read ? read.result : { kind: 'too-much' };
  }

  /** Finds the range of the value at a path in a reply; also undefined if the search times out. */
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
   * @param getLimitMs called before the job starts; returns its time limit, or undefined to skip it
   * @returns undefined if the job took too long or too much memory, or was skipped
   */
  run<Kind extends keyof CheckRequests>(
    kind: Kind,
    argument: CheckRequests[Kind]['argument'],
    getLimitMs: () => number | undefined,
  ): Promise<{ readonly result: CheckRequests[Kind]['result'] } | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof this.run<Kind>>>>();
    this.#waiting.push(() => this.#runJob(kind, argument, getLimitMs).then(resolve, reject));
    void this.#runWaiting();
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
  }

  async #runWaiting(): Promise<void> {
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
    getLimitMs: () => number | undefined,
  ): Promise<{ readonly result: CheckRequests[Kind]['result'] } | undefined> {
    const limitMs = getLimitMs();
    if (this.#isClosed || limitMs === undefined) return undefined;
    this.#worker ??= new RequestWorker<CheckRequests>({ program: this.#program, memoryLimitMb });
    const worker = this.#worker;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      // The time limit does not include the start of the thread.
      await worker.request('begin', undefined);
      timer = setTimeout(() => void this.#endWorker(worker), limitMs);
      return { result: await worker.request(kind, argument) };
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #endWorker(worker: RequestWorker<CheckRequests>): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    await worker.close();
  }
}

/** The earlier checks of one schema. */
class SchemaHistory {
  /** Whether a check took longer than `quickMs`, so that the schema is only checked in the slow thread. */
  isSlow = false;
  timeouts = 0;

  get isHopeless(): boolean {
    return this.timeouts >= maxTimeouts;
  }
}

/** Remembers the histories of schemas by their content, until the window closes. */
class SchemaHistories {
  readonly #byKey = new Map<string, SchemaHistory>();
  readonly #keys = new WeakMap<object, string>();

  getHistory(schema: object): SchemaHistory {
    const key = this.#keys.get(schema) ?? hashSchema(schema);
    this.#keys.set(schema, key);
    const history = this.#byKey.get(key) ?? new SchemaHistory();
    if (this.#byKey.size >= maxRememberedSchemas) this.#byKey.clear();
    this.#byKey.set(key, history);
    return history;
  }
}

function hashSchema(schema: object): string {
  return createHash('sha256')
    .update(jsonText(schema) ?? '')
    .digest('base64');
}
