import type { JsonObject } from '../../base/json.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { SteadyRecord } from '../../wire/apis/taskRecord/steadyRecord.ts';
import { retryAfterMs } from '../../wire/retryHint.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { Upstream, UpstreamReply } from '../upstreams/upstream.ts';
import type { KeptResults } from './keptResults.ts';
import { MissingTasks, missingCode } from './missingTasks.ts';
import { hasEnded, type RemoteTask, readTold, type Told, tellsOf } from './remoteTask.ts';
import type { TaskFile } from './taskFile.ts';
import { isRemote, type StoredTask } from './taskState.ts';
import { questionAbout, readRecord, taskUpstream } from './taskUpstream.ts';

/** The shortest time between two reads of a task at its upstream, in milliseconds. */
const readIntervalMs = 1_000;
/** The shortest time between two reads of a task that its upstream does not have any more, in milliseconds. */
const missingPauseMs = 60_000;
/** The longest wait that an upstream may ask for between two reads, in milliseconds. */
const maxPauseMs = 10 * 60_000;

/** A task as it is now, and why its upstream could not be asked. */
export interface FreshTask {
  readonly task: StoredTask;
  /** The code of the failure; absent when the upstream was asked, or need not be. */
  readonly stale?: string;
}

/** When a task was read last, and the read that goes on. */
interface Reading {
  readonly until: number;
  readonly done: Promise<string | undefined>;
}

export interface TaskReadingsOptions {
  readonly catalogue: Pick<Catalogue, 'upstreamOf'>;
  readonly file: Pick<TaskFile, 'open'>;
  readonly results: Pick<KeptResults, 'keepAll' | 'keepBytes'>;
  /** Aborted when the gateway ends. */
  readonly life: AbortSignal;
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number;
}

/** What upstreams tell of their tasks: read when somebody asks, and stored. */
export class TaskReadings {
  readonly #options: TaskReadingsOptions;
  readonly #readings = new Map<string, Reading>();
  #forgotAt = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;
  readonly #pace: ReadingPace;
  readonly #missing: MissingTasks;
  /** Of tasks in a state that nobody knows. */
  readonly #steady = new Map<string, SteadyRecord>();

  constructor(options: TaskReadingsOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.#pace = new ReadingPace(now);
    this.#missing = new MissingTasks(now);
  }

  /**
   * Asks the upstream of a task that has not ended, at most once a second for all who want to know.
   *
   * @param now whether to ask even when it was just asked
   */
  async fresh(task: StoredTask, now = false): Promise<FreshTask> {
    if (!isRemote(task) || task.upstreamId === undefined || hasEnded(task)) return { task };
    const known = this.#readings.get(task.id);
    // A read that is under way may have been answered before what was just done.
    if (now) await known?.done;
    if (!known || now || this.#now() >= known.until) this.#startReading(task);
    const stale = await this.#readings.get(task.id)?.done;
    return { task: this.#options.file.open().get(task.id) ?? task, ...(stale !== undefined && { stale }) };
  }

  /** Resolves when nothing is being read, which is soon once the gateway ends. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#readings.values()].map(({ done }) => done));
  }

  #startReading(task: RemoteTask): void {
    const reading = {
      until: Number.POSITIVE_INFINITY,
      done: this.#read(task).then(({ stale, pauseMs = readIntervalMs }) => {
        this.#readings.set(task.id, { until: this.#now() + pauseMs, done: Promise.resolve(stale) });
        return stale;
      }),
    };
    this.#readings.set(task.id, reading);
    if (this.#readings.size > maxReadings) this.#forgetReadings();
  }

  #forgetReadings(): void {
    // Once in a while, since it looks at all of them.
    if (this.#now() < this.#forgotAt + readIntervalMs) return;
    this.#forgotAt = this.#now();
    for (const [id, { until }] of this.#readings) if (until <= this.#now()) this.#readings.delete(id);
  }

  /** Reads a task at its upstream and stores what it tells. */
  async #read(task: RemoteTask): Promise<{ readonly stale?: string; readonly pauseMs?: number }> {
    try {
      const { upstream, tasks } = taskUpstream(this.#options.catalogue, task);
      const held = this.#pace.begin(task.upstream);
      if (held !== undefined) return stale(held);
      const reply = await tasks.read(questionAbout(task.upstreamId ?? '', this.#options.life));
      const record = await readRecord(reply);
      if (reply.status === 404 || reply.status === 410)
        return record ? this.#notFound(task) : stale('upstream_404');
      if (reply.status >= 300) {
        const pauseMs = pauseAfter(reply.headers);
        if (reply.status === 429) this.#pace.pause(task.upstream, pauseMs);
        return { stale: `upstream_${reply.status}`, pauseMs };
      }
      if (!record || !tellsOf(record, task)) return stale('upstream_unreadable');
      return (await this.learn(task, record, upstream)) ? {} : this.#notFound(task);
    } catch (error) {
      if (error instanceof HttpError) return stale(error.code);
      return stale(this.#options.life.aborted ? 'gateway_shutting_down' : 'tasks_unavailable');
    }
  }

  /** The upstream does not know the task, which it may know again: it is told as gone only after a while. */
  #notFound(task: RemoteTask): { readonly stale?: string; readonly pauseMs?: number } {
    if (task.told.failure?.code === missingCode) return { pauseMs: missingPauseMs };
    if (!this.#missing.isGone(task.id)) return stale('upstream_404');
    const failure = {
      code: missingCode,
      message: `The upstream '${task.upstream}' does not have this task any more. It is asked again now and then.`,
    };
    // The last record would show it as running for ever.
    const { record: _, ...before } = task.told;
    const told = { ...before, failure };
    this.#options.file.open().change(task.id, { status: 'failed', told, finishedAt: Date.now() });
    return { pauseMs: missingPauseMs };
  }

  /** Stores what a record tells; undefined when it tells of no such task. */
  async learn(task: RemoteTask, record: JsonObject, upstream: Upstream): Promise<RemoteTask | undefined> {
    const told = readTold(record, task, Date.now(), upstream.origins, (snapshot) =>
      this.#settled(task.id, snapshot),
    );
    if (!told) return undefined;
    await this.#keepInline(task.id, told);
    this.#missing.found(task.id);
    const { status, finishedAt, told: state } = told;
    const change = { status, told: state, upstreamId: task.upstreamId };
    const after = this.#options.file
      .open()
      .change(task.id, { ...change, ...(finishedAt !== undefined && { finishedAt }) });
    if (!after || !isRemote(after)) return undefined;
    if (after.status === 'completed') void this.#options.results.keepAll(after);
    return after;
  }

  #settled(id: string, snapshot: TaskSnapshot): TaskSnapshot {
    const steady = this.#steady.get(id) ?? new SteadyRecord();
    const settled = steady.settled(snapshot, this.#now());
    if (settled.unsureResults) this.#steady.set(id, steady);
    else this.#steady.delete(id);
    return settled;
  }

  async #keepInline(id: string, { inline }: Told): Promise<void> {
    for (const [index, { mimeType, bytes }] of inline)
      await this.#options.results.keepBytes(id, index, mimeType, bytes);
  }
}

/** More are forgotten once they are old. */
const maxReadings = 1_000;

function stale(code: string): { readonly stale: string } {
  return { stale: code };
}

function pauseAfter(headers: UpstreamReply['headers']): number {
  const asked = retryAfterMs(headers, undefined, new Date()) ?? 0;
  return Math.min(maxPauseMs, Math.max(readIntervalMs, asked));
}

/** At most as many reads of tasks begin at one upstream in a second: the strictest known limit is twice that. */
const readsPerSecond = 10;
const secondMs = 1_000;

/** How often the tasks of each upstream may be read. */
export class ReadingPace {
  readonly #now: () => number;
  readonly #upstreams = new Map<string, { begun: readonly number[]; pausedUntil: number }>();

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why no task of an upstream may be read now; undefined where one may, which then counts as begun. */
  begin(upstream: string): 'upstream_429' | 'read_limit' | undefined {
    const now = this.#now();
    const { begun, pausedUntil } = this.#stateOf(upstream);
    if (now < pausedUntil) return 'upstream_429';
    const recent = begun.filter((at) => at > now - secondMs);
    if (recent.length >= readsPerSecond) return 'read_limit';
    this.#upstreams.set(upstream, { begun: [...recent, now], pausedUntil });
    return undefined;
  }

  /** An upstream wants to be asked less: none of its tasks is read for so many milliseconds. */
  pause(upstream: string, ms: number): void {
    this.#upstreams.set(upstream, { ...this.#stateOf(upstream), pausedUntil: this.#now() + ms });
  }

  #stateOf(upstream: string) {
    return this.#upstreams.get(upstream) ?? { begun: [], pausedUntil: Number.NEGATIVE_INFINITY };
  }
}
