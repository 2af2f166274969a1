import { toAbortSignal } from '../../base/cancellation.ts';
import { invalidFieldError } from '../http/query.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { UpstreamCaller, UpstreamReply } from '../upstreams/upstream.ts';
import { ResultStore } from './resultStore.ts';
import { TaskCreator } from './taskCreator.ts';
import {
  isEventStreamReply,
  ResultAddresses,
  removeEncodings,
  replaceBody,
  rewriteEvents,
  splitEvents,
} from './taskEvents.ts';
import {
  formatUpstreamMessage,
  inputNotListedError,
  notCancellableError,
  upstreamActionError,
} from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import { TaskReadings } from './taskReadings.ts';
import { isUpstreamTask, type StoredTask } from './taskState.ts';
import { createTaskCall, findUpstreamOfTask, readRecord } from './upstreamOfTask.ts';
import { finalStatuses, isRecordOf, type UpstreamTask } from './upstreamTask.ts';

/** The actions on tasks at upstreams. */
export class UpstreamTaskActions {
  readonly #catalogue: Catalogue;
  readonly #file: TaskFile;
  readonly #shutdown = new AbortController();
  readonly results: ResultStore;
  readonly readings: TaskReadings;
  readonly creator: TaskCreator;

  /** @param onEnd see `TaskReadings` */
  constructor(
    catalogue: Catalogue,
    file: TaskFile,
    log: (line: string) => void,
    env: NodeJS.ProcessEnv,
    onEnd?: ConstructorParameters<typeof TaskReadings>[0]['onEnd'],
  ) {
    const { signal: shutdown } = this.#shutdown;
    this.#catalogue = catalogue;
    this.#file = file;
    this.results = new ResultStore({ catalogue, file, log, env, signal: shutdown });
    this.readings = new TaskReadings({ catalogue, file, results: this.results, onEnd, shutdown });
    this.creator = new TaskCreator(file, this.readings, shutdown);
  }

  /**
   * Cancels a task at its upstream.
   *
   * @returns the task afterwards, which may still continue
   * @throws {HttpError} 409 if it cannot be cancelled, and the upstream's failure
   */
  async cancel(task: UpstreamTask): Promise<StoredTask> {
    if (finalStatuses.has(task.status)) return task;
    if (task.upstreamId === undefined) throw notCancellableError('it is not known whether it was made');
    const { upstream, tasks } = findUpstreamOfTask(this.#catalogue, task);
    if (!tasks.cancel) throw notCancellableError(`upstream '${upstream.name}' cannot cancel it`);
    if (tasks.cancelDeletesEnded) {
      const { task: current, staleCode } = await this.readings.refresh(task, true);
      if (isUpstreamTask(current) && finalStatuses.has(current.status)) return current;
      if (staleCode !== undefined || !isUpstreamTask(current) || current.status !== 'queued')
        throw notCancellableError(`upstream '${upstream.name}' cancels only queued tasks`);
    }
    const reply = await tasks.cancel(createTaskCall(task, this.#shutdown.signal));
    const record = await readRecord(reply);
    if (reply.status < 300) {
      if (record && isRecordOf(record, task)) await this.readings.storeRecord(task, record, upstream);
      const { task: after } = await this.readings.refresh(this.#file.open().get(task.id) ?? task, true);
      return after;
    }
    const { task: after } = await this.readings.refresh(task, true);
    if (isUpstreamTask(after) && finalStatuses.has(after.status)) return after;
    if (reply.status >= 500 || reply.status === 429)
      throw upstreamActionError(upstream, reply, { act: 'cancel this task', record });
    throw notCancellableError(
      `upstream '${upstream.name}' refused with ${reply.status}${formatUpstreamMessage(record)}`,
    );
  }

  /**
   * Deletes a task that has ended at its upstream, if the upstream supports it.
   *
   * @throws {HttpError} the upstream's failure, after which the task still exists
   */
  async remove(task: UpstreamTask): Promise<void> {
    const upstream = this.#catalogue.findUpstream(task.upstream);
    const { remove, cancelDeletesEnded } = upstream?.tasks[task.format] ?? {};
    const isGone = cancelDeletesEnded && task.status === 'cancelled';
    if (upstream && remove && !isGone && task.upstreamId !== undefined) {
      const reply = await remove(createTaskCall(task, this.#shutdown.signal));
      const record = await readRecord(reply);
      const isDeleted = reply.status < 300 || reply.status === 404 || reply.status === 410;
      if (!isDeleted) throw upstreamActionError(upstream, reply, { act: 'delete this task', record });
    }
  }

  /**
   * Streams the events of a task as its upstream sends them, with this gateway's IDs and addresses of results.
   *
   * @param caller the query of the caller names the first event
   * @param address the gateway's address as the caller knows it
   * @returns the upstream's unchanged refusal; undefined if it does not support events
   * @throws {HttpError} the upstream's failure
   */
  async streamEvents(
    task: UpstreamTask,
    caller: UpstreamCaller,
    address: string,
  ): Promise<UpstreamReply | undefined> {
    const { upstreamId, keyName } = task;
    if (upstreamId === undefined) return undefined;
    const { upstream, tasks } = findUpstreamOfTask(this.#catalogue, task);
    const signal = AbortSignal.any([toAbortSignal(caller.signal), this.#shutdown.signal]);
    const headers = removeEncodings(caller.headers);
    const reply = await tasks.read({ ...caller, headers, signal, task: upstreamId, keyName });
    if (reply.status >= 300) return reply;
    if (!isEventStreamReply(reply)) {
      await readRecord(reply);
      return undefined;
    }
    const addresses = new ResultAddresses(task, address, upstream.origins);
    return replaceBody(reply, rewriteEvents(splitEvents(reply.body), task, addresses));
  }

  /**
   * Reads data that an upstream has for a task in addition to its result. The data is not changed.
   *
   * @param variant its name, such as `thumbnail`
   * @throws {HttpError} 400 if the upstream does not support variants, and its failure
   */
  async readVariant(
    task: UpstreamTask,
    variant: string,
    caller: Pick<UpstreamCaller, 'headers' | 'requestId' | 'signal'>,
  ): Promise<UpstreamReply> {
    const { readContent } = findUpstreamOfTask(this.#catalogue, task).tasks;
    if (!readContent || task.format !== 'videos' || task.upstreamId === undefined)
      throw invalidFieldError('variant', 'video');
    const query = `variant=${encodeURIComponent(variant)}`;
    return readContent({ ...caller, task: task.upstreamId, keyName: task.keyName, query });
  }

  /**
   * Reads the input of a response, as its upstream lists it.
   *
   * @throws {HttpError} 501 if the upstream does not list it, and its failure
   */
  async listInputItems(task: UpstreamTask, caller: UpstreamCaller): Promise<UpstreamReply> {
    const { upstream, tasks } = findUpstreamOfTask(this.#catalogue, task);
    if (!tasks.listInputItems || task.upstreamId === undefined) throw inputNotListedError(upstream.name);
    return tasks.listInputItems({ ...caller, task: task.upstreamId, keyName: task.keyName });
  }

  /** Stops all work, before the file is closed. */
  async close(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all([this.creator.waitUntilSettled(), this.readings.waitUntilSettled()]);
    await this.results.waitUntilSettled();
  }
}
