import { abortSignalOf } from '../../base/cancellation.ts';
import { errorTrace } from '../../base/errors.ts';
import { invalidField } from '../http/query.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { UpstreamCaller, UpstreamReply } from '../upstreams/upstream.ts';
import { EventLinks } from './eventLinks.ts';
import { KeptResults } from './keptResults.ts';
import { finalStatuses, hasEnded, type RemoteTask, tellsOf } from './remoteTask.ts';
import { failedAt, listsNoInput, notCancellable, wordsIn } from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import { type Ordered, type RemoteOrder, TaskOrders } from './taskOrders.ts';
import { type FreshTask, TaskReadings } from './taskReadings.ts';
import { isRemote, type StoredTask } from './taskState.ts';
import { taskStream } from './taskStream.ts';
import { questionAbout, readRecord, taskUpstream } from './taskUpstream.ts';

/** The tasks that upstreams make. */
export class RemoteTasks {
  readonly #catalogue: Catalogue;
  readonly #file: TaskFile;
  readonly #life = new AbortController();
  readonly #readings: TaskReadings;
  readonly #orders: TaskOrders;
  readonly results: KeptResults;

  constructor(catalogue: Catalogue, file: TaskFile, log: (line: string) => void, env: NodeJS.ProcessEnv) {
    const { signal: life } = this.#life;
    this.#catalogue = catalogue;
    this.#file = file;
    this.results = new KeptResults({ catalogue, file, log, env, signal: life });
    this.#readings = new TaskReadings({ catalogue, file, results: this.results, life });
    this.#orders = new TaskOrders(file, this.#readings, life);
  }

  /** See `TaskOrders.create`. */
  create(order: RemoteOrder): Promise<Ordered> {
    return this.#orders.create(order);
  }

  /** Whether the answer to the request that made the task may still come. */
  isUnderWay(id: string): boolean {
    return this.#orders.isUnderWay(id);
  }

  /** See `TaskReadings.fresh`. */
  fresh(task: StoredTask): Promise<FreshTask> {
    return this.#readings.fresh(task);
  }

  /**
   * Cancels a task at its upstream.
   *
   * @returns the task afterwards, which may go on all the same
   * @throws {HttpError} 409 when it cannot be cancelled, and the upstream's failure
   */
  async cancel(task: RemoteTask): Promise<StoredTask> {
    if (finalStatuses.has(task.status)) return task;
    if (task.upstreamId === undefined) throw notCancellable('nobody knows whether it was made');
    const { upstream, tasks } = taskUpstream(this.#catalogue, task);
    if (!tasks.cancel) throw notCancellable(`upstream '${upstream.name}' has no way to stop it`);
    const reply = await tasks.cancel(questionAbout(task.upstreamId, this.#life.signal));
    const record = await readRecord(reply);
    if (reply.status < 300) {
      if (record && tellsOf(record, task)) await this.#readings.learn(task, record, upstream);
      const { task: after } = await this.#readings.fresh(this.#file.open().get(task.id) ?? task, true);
      return after;
    }
    const { task: after } = await this.#readings.fresh(task, true);
    if (isRemote(after) && finalStatuses.has(after.status)) return after;
    if (reply.status >= 500 || reply.status === 429)
      throw failedAt(upstream, reply, { act: 'cancel it', record });
    throw notCancellable(`upstream '${upstream.name}' refused with ${reply.status}${wordsIn(record)}`);
  }

  /**
   * Deletes a task that has ended at its upstream, where that can.
   *
   * @throws {HttpError} the upstream's failure, after which the task is still there
   */
  async remove(task: RemoteTask): Promise<void> {
    const upstream = this.#catalogue.upstreamOf(task.upstream);
    const remove = upstream?.tasks[task.format]?.remove;
    if (upstream && remove && task.upstreamId !== undefined) {
      const reply = await remove(questionAbout(task.upstreamId, this.#life.signal));
      const record = await readRecord(reply);
      const isGone = reply.status < 300 || reply.status === 404 || reply.status === 410;
      if (!isGone) throw failedAt(upstream, reply, { act: 'delete it', record });
    }
  }

  /**
   * The events of a task as its upstream sends them, with this gateway's ids and addresses of results.
   *
   * @param address the gateway's address as the caller knows it
   * @returns the upstream's refusal as it came; undefined where it tells none
   * @throws {HttpError} the upstream's failure
   */
  async events(
    task: RemoteTask,
    caller: UpstreamCaller,
    address: string,
  ): Promise<UpstreamReply | undefined> {
    const { upstreamId } = task;
    if (upstreamId === undefined) return undefined;
    const { upstream, tasks } = taskUpstream(this.#catalogue, task);
    const signal = AbortSignal.any([abortSignalOf(caller.signal), this.#life.signal]);
    const links = new EventLinks(task, address, upstream.origins);
    return taskStream(tasks, { ...task, upstreamId }, { ...caller, signal }, links);
  }

  /**
   * What an upstream gives for a task beside its result, as it gives it.
   *
   * @param variant its name, such as `thumbnail`
   * @throws {HttpError} 400 where the upstream gives nothing of the kind, and its failure
   */
  async variant(
    task: RemoteTask,
    variant: string,
    caller: Pick<UpstreamCaller, 'headers' | 'requestId' | 'signal'>,
  ): Promise<UpstreamReply> {
    const { content } = taskUpstream(this.#catalogue, task).tasks;
    if (!content || task.upstreamId === undefined) throw invalidField('variant', 'video');
    const query = `variant=${encodeURIComponent(variant)}`;
    return content({ ...caller, task: task.upstreamId, query });
  }

  /**
   * What a response was asked, as its upstream lists it.
   *
   * @throws {HttpError} 501 where the upstream keeps none, and its failure
   */
  async inputItems(task: RemoteTask, caller: UpstreamCaller): Promise<UpstreamReply> {
    const { upstream, tasks } = taskUpstream(this.#catalogue, task);
    if (!tasks.inputItems || task.upstreamId === undefined) throw listsNoInput(upstream.name);
    return tasks.inputItems({ ...caller, task: task.upstreamId });
  }

  /** Ends all that goes on, before the file is closed. */
  async close(): Promise<void> {
    this.#life.abort();
    await Promise.all([this.#orders.settled(), this.#readings.settled()]);
    await this.results.settled();
  }
}

/** The interval between two looks for due tasks, in milliseconds. */
const lookIntervalMs = 5_000;
/** How often files that are of no task any more are removed, in milliseconds. */
const sweepIntervalMs = 60 * 60_000;
/** At most as many tasks are asked for at once. */
const maxAtOnce = 4;

/**
 * Follows the tasks that upstreams make, also when nobody reads them, so that their results are kept before
 * their addresses end. A file of tasks that is not there is not made.
 */
export function watchTasks(
  remote: RemoteTasks,
  file: TaskFile,
  log: (line: string) => void,
): { dispose(): void } {
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || !file.exists()) return;
    isLooking = true;
    try {
      const now = performance.now();
      const due = file.open().takeDue();
      for (let from = 0; from < due.length; from += maxAtOnce) {
        await Promise.all(due.slice(from, from + maxAtOnce).map(follow));
      }
      if (now - sweptAt < sweepIntervalMs) return;
      sweptAt = now;
      await remote.results.sweep();
    } catch (error) {
      log(`tasks are not followed now: ${errorTrace(error)}`);
    } finally {
      isLooking = false;
    }
  }

  async function follow(task: RemoteTask): Promise<void> {
    if (hasEnded(task)) await remote.results.keepAll(task);
    else await remote.fresh(task);
  }

  const timer = setInterval(look, lookIntervalMs).unref();
  void look();
  return { dispose: () => clearInterval(timer) };
}
