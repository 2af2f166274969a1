import type { JsonObject } from '../../base/json.ts';
import type { EndedTask } from '../../storage/spending/spendingStore.ts';
import { readDurationAndCost } from '../../wire/apis/taskRecord/durationAndCost.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { SteadyRecord } from '../../wire/apis/taskRecord/taskStatus.ts';
import { taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { readRetryAfterMs } from '../../wire/failures/retryHint.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { Upstream, UpstreamReply } from '../upstreams/upstream.ts';
import type { ResultStore } from './resultStore.ts';
import type { TaskFile } from './taskFile.ts';
import { isUpstreamTask, type StoredTask } from './taskState.ts';
import { createTaskCall, findUpstreamOfTask, readRecord } from './upstreamOfTask.ts';
import {
  finalStatuses,
  isRecordOf,
  isSettledTask,
  missingCode,
  readReportedState,
  type UpstreamTask,
} from './upstreamTask.ts';

/** The shortest time between two reads of a task at its upstream, in milliseconds. */
const readIntervalMs = 1_000;
/** The shortest time between two reads of a task that its upstream no longer has, in milliseconds. */
const missingPauseMs = 60_000;
/** The longest pause that an upstream may request between two reads, in milliseconds. */
const maxPauseMs = 10 * 60_000;

/** The current state of a task, and why its upstream could not be read. */
interface FreshTask {
  readonly task: StoredTask;
  /** The code of the failure to read the task at its upstream; absent if it was read, or did not have to be read. */
  readonly staleCode?: string;
}

/** The current or last read of a task, and when the task may be read again. */
interface Reading {
  readonly until: number;
  readonly done: Promise<string | undefined>;
}

interface TaskReadingsOptions {
  readonly catalogue: Pick<Catalogue, 'findUpstream'>;
  readonly file: Pick<TaskFile, 'open'>;
  readonly results: Pick<ResultStore, 'fetchMissing' | 'storeBytes'>;
  /** Aborted when the gateway ends. */
  readonly shutdown: AbortSignal;
  /** Called when a record shows the end of a task for the first time. */
  readonly onEnd?: ((task: UpstreamTask, ended: EndedTask, record: JsonObject) => void) | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Reads tasks at their upstreams when they are requested, and stores their states. */
export class TaskReadings {
  readonly #options: TaskReadingsOptions;
  readonly #readings = new Map<string, Reading>();
  #forgotAt = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;
  readonly #pace: ReadingPace;
  readonly #missing: MissingTasks;
  /**
   * The earlier records, by the ID of the task, if the last record does not clearly show whether the task has
   * ended.
   */
  readonly #steadyRecords = new Map<string, SteadyRecord>();

  constructor(options: TaskReadingsOptions) {
    const { now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.#pace = new ReadingPace(now);
    this.#missing = new MissingTasks(now);
  }

  /**
   * Reads a task that has not ended at its upstream, at most once a second for all callers.
   *
   * @param force whether to read it even if it was just read
   * @returns the stored state afterwards
   */
  async refresh(task: StoredTask, force = false): Promise<FreshTask> {
    if (!isUpstreamTask(task) || task.upstreamId === undefined || isSettledTask(task)) return { task };
    const reading = this.#readings.get(task.id);
    // The reply to a read under way may predate the latest change.
    if (force) await reading?.done;
    if (!reading || force || this.#now() >= reading.until) this.#startReading(task);
    const staleCode = await this.#readings.get(task.id)?.done;
    return {
      task: this.#options.file.open().get(task.id) ?? task,
      ...(staleCode !== undefined && { staleCode }),
    };
  }

  /** Resolves when nothing is being read, which is soon after the gateway ends. */
  async waitUntilSettled(): Promise<void> {
    await Promise.allSettled([...this.#readings.values()].map(({ done }) => done));
  }

  #startReading(task: UpstreamTask): void {
    const reading = {
      until: Number.POSITIVE_INFINITY,
      done: this.#read(task).then(({ staleCode, pauseMs = readIntervalMs }) => {
        this.#readings.set(task.id, { until: this.#now() + pauseMs, done: Promise.resolve(staleCode) });
        return staleCode;
      }),
    };
    this.#readings.set(task.id, reading);
    if (this.#readings.size > maxReadings) this.#forgetReadings();
  }

  #forgetReadings(): void {
    // This is not done on each call, because it checks all readings.
    if (this.#now() < this.#forgotAt + readIntervalMs) return;
    this.#forgotAt = this.#now();
    for (const [id, { until }] of this.#readings) if (until <= this.#now()) this.#readings.delete(id);
  }

  /** Reads a task at its upstream and stores its state. */
  async #read(task: UpstreamTask): Promise<{ readonly staleCode?: string; readonly pauseMs?: number }> {
    try {
      const { upstream, tasks } = findUpstreamOfTask(this.#options.catalogue, task);
      const refusal = this.#pace.begin(task.upstream);
      if (refusal !== undefined) return createStale(refusal);
      const reply = await tasks.read(createTaskCall(task, this.#options.shutdown));
      const record = await readRecord(reply);
      if (reply.status === 404 || reply.status === 410)
        return record ? this.#notFound(task) : createStale('upstream_404');
      const { missingCode: code } = taskRecordFormats[task.format];
      if (reply.status >= 300 && code !== undefined && record?.code === code) return this.#notFound(task);
      if (reply.status >= 300) {
        const pauseMs = readPauseMs(reply.headers);
        if (reply.status === 429) this.#pace.pause(task.upstream, pauseMs);
        return { staleCode: `upstream_${reply.status}`, pauseMs };
      }
      if (!record || !isRecordOf(record, task)) return createStale('upstream_unreadable');
      return (await this.storeRecord(task, record, upstream)) ? {} : this.#notFound(task);
    } catch (error) {
      if (error instanceof HttpError) return createStale(error.code);
      return createStale(this.#options.shutdown.aborted ? 'gateway_shutting_down' : 'tasks_unavailable');
    }
  }

  /**
   * Handles a task that the upstream does not find. The upstream may find it again, so it is reported as
   * missing only after a while.
   */
  #notFound(task: UpstreamTask): { readonly staleCode?: string; readonly pauseMs?: number } {
    if (task.report.failure?.code === missingCode) return { pauseMs: missingPauseMs };
    if (!this.#missing.noteMissing(task.id)) return createStale('upstream_404');
    const failure = {
      code: missingCode,
      message: `The upstream '${task.upstream}' no longer has this task. The gateway checks again from time to time.`,
    };
    // The last record would show it as running forever.
    const { record: _, ...before } = task.report;
    const report = { ...before, failure };
    this.#options.file.open().changeState(task.id, { status: 'failed', report, finishedAt: Date.now() });
    return { pauseMs: missingPauseMs };
  }

  /** Stores the state from a record; undefined if the record reports that the task does not exist. */
  async storeRecord(
    task: UpstreamTask,
    record: JsonObject,
    upstream: Upstream,
  ): Promise<UpstreamTask | undefined> {
    const reportedState = readReportedState(record, task, Date.now(), upstream.origins, (snapshot) =>
      this.#settleSnapshot(task.id, snapshot),
    );
    if (!reportedState) return undefined;
    for (const [index, { mimeType, bytes }] of reportedState.inline)
      await this.#options.results.storeBytes(task.id, index, mimeType, bytes);
    this.#missing.noteFound(task.id);
    const { status, finishedAt } = reportedState;
    const costUsd = finalStatuses.has(status) ? readCost(record, status, task, upstream) : undefined;
    const cost = costUsd === undefined ? {} : { costUsd };
    if (finalStatuses.has(status) && !isSettledTask(task))
      this.#options.onEnd?.(task, { isFailed: status !== 'completed', ...cost }, record);
    const report = { ...reportedState.report, ...cost };
    const change = { status, report, upstreamId: task.upstreamId, keyName: task.keyName };
    const after = this.#options.file
      .open()
      .changeState(task.id, { ...change, ...(finishedAt !== undefined && { finishedAt }) });
    if (!after || !isUpstreamTask(after)) return undefined;
    if (after.status === 'completed') void this.#options.results.fetchMissing(after);
    return after;
  }

  #settleSnapshot(id: string, snapshot: TaskSnapshot): TaskSnapshot {
    const steady = this.#steadyRecords.get(id) ?? new SteadyRecord();
    const settledSnapshot = steady.update(snapshot, this.#now());
    if (settledSnapshot.unsureResults) this.#steadyRecords.set(id, steady);
    else this.#steadyRecords.delete(id);
    return settledSnapshot;
  }
}

/** The costs of an ended task: 0 if it certainly did not begin, undefined if they are not known. */
function readCost(
  record: JsonObject,
  status: UpstreamTask['status'],
  { format, report }: UpstreamTask,
  { tasks }: Upstream,
): number | undefined {
  const { cancelsQueuedOnly } = tasks[format] ?? {};
  const hasNotBegun = cancelsQueuedOnly && status === 'cancelled' && report.startedAt === undefined;
  return readDurationAndCost(record).costUsd ?? (hasNotBegun ? 0 : undefined);
}

/** Above this number, old readings are forgotten. */
const maxReadings = 1_000;

function createStale(code: string): { readonly staleCode: string } {
  return { staleCode: code };
}

function readPauseMs(headers: UpstreamReply['headers']): number {
  const requestedMs = readRetryAfterMs(headers, undefined, new Date()) ?? 0;
  return Math.min(maxPauseMs, Math.max(readIntervalMs, requestedMs));
}

/** The most reads of tasks that begin at one upstream per second. The strictest known limit is twice this number. */
const readsPerSecond = 10;
const secondMs = 1_000;

/** Limits the rate of task reads at each upstream. */
export class ReadingPace {
  readonly #now: () => number;
  readonly #upstreams = new Map<string, { beganAt: readonly number[]; pausedUntil: number }>();

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins and counts a read if one is allowed; otherwise returns the reason. */
  begin(upstream: string): 'upstream_429' | 'read_limit' | undefined {
    const now = this.#now();
    const { beganAt, pausedUntil } = this.#readState(upstream);
    if (now < pausedUntil) return 'upstream_429';
    const recentReads = beganAt.filter((at) => at > now - secondMs);
    if (recentReads.length >= readsPerSecond) return 'read_limit';
    this.#upstreams.set(upstream, { beganAt: [...recentReads, now], pausedUntil });
    return undefined;
  }

  /** Pauses all reads of an upstream's tasks for a time that the upstream requested. */
  pause(upstream: string, ms: number): void {
    this.#upstreams.set(upstream, { ...this.#readState(upstream), pausedUntil: this.#now() + ms });
  }

  #readState(upstream: string) {
    return this.#upstreams.get(upstream) ?? { beganAt: [], pausedUntil: Number.NEGATIVE_INFINITY };
  }
}

/**
 * How long a task must be missing before it is reported as missing, in milliseconds: the task may be new, or a replica
 * of the upstream may be behind.
 */
const graceMs = 60_000;
/** The number of consecutive replies that must report it as missing. */
const minReplies = 3;

/** The tasks that their upstreams did not find at the last read. */
class MissingTasks {
  readonly #now: () => number;
  readonly #seen = new Map<string, { readonly since: number; readonly replies: number }>();

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Notes that the upstream did not find a task. Returns whether the task was missing often and long enough to
   * report it as missing.
   */
  noteMissing(id: string): boolean {
    const now = this.#now();
    const { since, replies } = this.#seen.get(id) ?? { since: now, replies: 0 };
    const isGone = replies + 1 >= minReplies && now - since >= graceMs;
    if (isGone) this.#seen.delete(id);
    else this.#seen.set(id, { since, replies: replies + 1 });
    return isGone;
  }

  /** Notes that the upstream found a task. */
  noteFound(id: string): void {
    this.#seen.delete(id);
  }
}
