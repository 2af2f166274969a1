import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseExactJson } from '../../base/json.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { Catalogue } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';
import { doNotRetry } from '../nothingMade.ts';
import type { RequestBody } from '../requestBody.ts';
import type { TaskFormat, Upstream, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
import { KeptResults } from './keptResults.ts';
import { finalStatuses, type RemoteTask, readTold, type Told } from './remoteTask.ts';
import type { TaskFile } from './taskFile.ts';
import { taskForms } from './taskForms.ts';
import { isRemote, type StoredTask } from './taskState.ts';
import type { RequestIdentity } from './taskStore.ts';

/** The shortest time between two reads of a task at its upstream, in milliseconds. */
const readIntervalMs = 1_000;
/** How long an upstream may take to tell of a task, in milliseconds. */
const readTimeoutMs = 30_000;
/** How long an upstream may not know a task that it made, in milliseconds. */
const graceMs = 60_000;
/** The largest record in bytes: some hold a video. */
const maxRecordBytes = 64 * 1024 * 1024;
/** The longest wait that an upstream may ask for between two reads, in milliseconds. */
const maxPauseMs = 10 * 60_000;

/** The header that names the task of a request whose answer was lost. */
export const taskHeader = 'x-gateway-task';

export interface RemoteOrder extends RequestIdentity {
  readonly upstream: Upstream;
  readonly tasks: UpstreamTasks;
  readonly format: TaskFormat;
  readonly body: RequestBody;
  readonly prompt: string;
  /** The model id as the caller wrote it, and at the upstream. */
  readonly servedModel: string;
  readonly model: string;
  readonly headers: IncomingHttpHeaders;
  readonly query?: string;
  readonly requestId: string;
}

/** What became of an order: a task, or the upstream's refusal. */
export type Ordered =
  | { readonly task: RemoteTask; readonly headers: Readonly<Record<string, string>> }
  | { readonly refusal: UpstreamReply }
  | { readonly repeats: 'other' };

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

/**
 * The tasks that upstreams make. A task is on the disk before its upstream is asked, and nothing is sent
 * twice: what the upstream's answer did not tell stays unknown.
 */
export class RemoteTasks {
  readonly #catalogue: Catalogue;
  readonly #file: TaskFile;
  readonly #life = new AbortController();
  readonly #readings = new Map<string, Reading>();
  /** Orders under way, by the id of their tasks. */
  readonly #orders = new Map<string, Promise<unknown>>();
  readonly results: KeptResults;

  constructor(catalogue: Catalogue, file: TaskFile, log: (line: string) => void, env: NodeJS.ProcessEnv) {
    this.#catalogue = catalogue;
    this.#file = file;
    this.results = new KeptResults({ catalogue, file, log, env, signal: this.#life.signal });
  }

  /**
   * Makes a task. The order goes on when the caller leaves: its answer holds the id.
   *
   * @throws {HttpError} when nothing was made, and when nobody knows whether something was
   */
  async create(order: RemoteOrder): Promise<Ordered> {
    const { upstream, servedModel, requestId, format, prompt, fingerprint, idempotencyKey } = order;
    const { task, repeats } = this.#file.open().createRemote({
      ...{ upstream: upstream.name, model: servedModel, requestId, format, prompt, fingerprint },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (repeats === 'other') return { repeats };
    if (repeats === 'same') return this.#repeated(task.id);
    const ordered = this.#send(task.id, order).finally(() => this.#orders.delete(task.id));
    this.#orders.set(task.id, ordered);
    return ordered;
  }

  /** Whether the answer to the request that made the task may still come. */
  isUnderWay(id: string): boolean {
    return this.#orders.has(id);
  }

  /**
   * Asks the upstream of a task that has not ended, at most once a second for all who want to know.
   *
   * @param now whether to ask even when it was just asked
   */
  async fresh(task: StoredTask, now = false): Promise<FreshTask> {
    if (!isRemote(task) || task.upstreamId === undefined || finalStatuses.has(task.status)) return { task };
    const known = this.#readings.get(task.id);
    if (!known || (now && known.until !== Number.POSITIVE_INFINITY) || performance.now() >= known.until)
      this.#startReading(task);
    const stale = await this.#readings.get(task.id)?.done;
    return { task: this.#file.open().get(task.id) ?? task, ...(stale !== undefined && { stale }) };
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
    const { upstream, tasks } = this.#upstreamOf(task);
    if (!tasks.cancel) throw notCancellable(`upstream '${upstream.name}' has no way to stop it`);
    const reply = await tasks.cancel(this.#call(task.upstreamId));
    const record = await readRecord(reply);
    if (reply.status < 300) {
      if (record) await this.#learn(task, record, upstream);
      const { task: after } = await this.fresh(this.#file.open().get(task.id) ?? task, true);
      return after;
    }
    const { task: after } = await this.fresh(task, true);
    if (isRemote(after) && finalStatuses.has(after.status)) return after;
    if (reply.status >= 500) throw failedAt(upstream, reply.status, 'cancel it');
    throw notCancellable(`upstream '${upstream.name}' refused with ${reply.status}`);
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
      const reply = await remove(this.#call(task.upstreamId));
      await readRecord(reply);
      const isGone = reply.status < 300 || reply.status === 404 || reply.status === 410;
      if (!isGone) throw failedAt(upstream, reply.status, 'delete it');
    }
  }

  /** Ends all that goes on, before the file is closed. */
  async close(): Promise<void> {
    this.#life.abort();
    await Promise.allSettled([
      ...this.#orders.values(),
      ...[...this.#readings.values()].map(({ done }) => done),
    ]);
    await this.results.settled();
  }

  async #repeated(id: string): Promise<Ordered> {
    await this.#orders.get(id)?.catch(() => {});
    const task = this.#file.open().get(id);
    if (task && !isRemote(task)) return { repeats: 'other' };
    if (!task || task.upstreamId === undefined) throw outcomeUnknown(id);
    return { task, headers: {} };
  }

  async #send(id: string, order: RemoteOrder): Promise<Ordered> {
    const { tasks, headers, query, requestId, body, servedModel, model, upstream } = order;
    const caller = { headers, requestId, signal: this.#life.signal, ...(query !== undefined && { query }) };
    let reply: UpstreamReply;
    try {
      reply = await tasks.create({ ...caller, body, servedModel, model });
    } catch (error) {
      throw this.#explained(id, error);
    }
    if (reply.status >= 300) return this.#refused(id, reply);
    const record = await readRecord(reply);
    const before = this.#file.open().get(id);
    const upstreamId = record && taskForms[order.format].idIn(record);
    if (!record || upstreamId === undefined || !before || !isRemote(before)) throw unreadable(id, upstream);
    const task = await this.#learn({ ...before, upstreamId }, record, upstream);
    if (!task) throw unreadable(id, upstream);
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...others } = reply.headers;
    return { task, headers: others };
  }

  /** The upstream's own refusal, with the task's id where it does not prove that nothing was made. */
  #refused(id: string, reply: UpstreamReply): Ordered {
    if (effectOf({ sent: true, status: reply.status, kind: 'server', reason: undefined }).nothingMade) {
      this.#file.open().forget(id);
      return { refusal: reply };
    }
    return { refusal: { ...reply, headers: { ...reply.headers, ...doNotRetry, [taskHeader]: id } } };
  }

  /** A failure on the way, which says whether something may have been made. */
  #explained(id: string, error: unknown): unknown {
    if (error instanceof HttpError) {
      const { status, message, type, param, code, headers, neverSent } = error;
      const refused = code === 'upstream_credential' || (status >= 400 && status < 500 && status !== 408);
      if (!neverSent && !refused) {
        const told = `${message} ${unknownWords(id)}`;
        const more = { ...headers, ...doNotRetry, [taskHeader]: id };
        return new HttpError({ status, message: told, type, param, code, headers: more });
      }
      this.#file.open().forget(id);
    }
    return error;
  }

  #startReading(task: RemoteTask): void {
    const reading = {
      until: Number.POSITIVE_INFINITY,
      done: this.#read(task).then(({ stale, pauseMs = readIntervalMs }) => {
        this.#readings.set(task.id, { until: performance.now() + pauseMs, done: Promise.resolve(stale) });
        return stale;
      }),
    };
    this.#readings.set(task.id, reading);
    if (this.#readings.size > maxReadings) this.#forgetReadings();
  }

  #forgetReadings(): void {
    for (const [id, { until }] of this.#readings) if (until <= performance.now()) this.#readings.delete(id);
  }

  /** Reads a task at its upstream and stores what it tells. */
  async #read(task: RemoteTask): Promise<{ readonly stale?: string; readonly pauseMs?: number }> {
    try {
      const { upstream, tasks } = this.#upstreamOf(task);
      const reply = await tasks.read(this.#call(task.upstreamId ?? ''));
      const record = await readRecord(reply);
      if (reply.status === 404 || reply.status === 410)
        return record ? this.#missing(task) : stale('upstream_404');
      if (reply.status >= 300)
        return { stale: `upstream_${reply.status}`, pauseMs: pauseAfter(reply.headers['retry-after']) };
      if (!record) return stale('upstream_unreadable');
      return (await this.#learn(task, record, upstream)) ? {} : this.#missing(task);
    } catch (error) {
      if (error instanceof HttpError) return stale(error.code);
      return stale(this.#life.signal.aborted ? 'gateway_shutting_down' : 'tasks_unavailable');
    }
  }

  /** An upstream may not know yet what it has just made; after that it knows it no more. */
  #missing(task: RemoteTask): { readonly stale?: string } {
    if (Date.now() - task.createdAt < graceMs) return stale('upstream_404');
    const failure = {
      code: 'upstream_task_missing',
      message: `The upstream '${task.upstream}' does not have this task any more.`,
    };
    // The last record would show it as running for ever.
    const { record: _, ...before } = task.told;
    const told = { ...before, failure };
    this.#file.open().change(task.id, { status: 'failed', told, finishedAt: Date.now() });
    return {};
  }

  /** Stores what a record tells; undefined when it tells of no such task. */
  async #learn(task: RemoteTask, record: JsonObject, upstream: Upstream): Promise<RemoteTask | undefined> {
    const told = readTold(record, task, Date.now(), upstream.origins?.[0]);
    if (!told) return undefined;
    await this.#keepInline(task.id, told);
    const { status, finishedAt, told: state } = told;
    const change = { status, told: state, upstreamId: task.upstreamId };
    const after = this.#file
      .open()
      .change(task.id, { ...change, ...(finishedAt !== undefined && { finishedAt }) });
    if (!after || !isRemote(after)) return undefined;
    if (after.status === 'completed') void this.results.keepAll(after);
    return after;
  }

  async #keepInline(id: string, { inline }: Told): Promise<void> {
    for (const [index, { mimeType, bytes }] of inline)
      await this.results.keepBytes(id, index, mimeType, bytes);
  }

  #upstreamOf(task: RemoteTask): { readonly upstream: Upstream; readonly tasks: UpstreamTasks } {
    const upstream = this.#catalogue.upstreamOf(task.upstream);
    const tasks = upstream?.tasks[task.format];
    if (upstream && tasks) return { upstream, tasks };
    throw new HttpError({
      status: 503,
      message: `This task is of the upstream '${task.upstream}', which this gateway does not serve now. Put it into the configuration again.`,
      type: 'server_error',
      code: 'upstream_not_served',
    });
  }

  #call(task: string) {
    const signal = AbortSignal.any([this.#life.signal, AbortSignal.timeout(readTimeoutMs)]);
    return { task, headers: {}, requestId: randomUUID(), signal };
  }
}

/** More are forgotten once they are old. */
const maxReadings = 1_000;

function stale(code: string): { readonly stale: string } {
  return { stale: code };
}

function pauseAfter(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? 0);
  return Math.min(maxPauseMs, Math.max(readIntervalMs, Number.isFinite(seconds) ? seconds * 1000 : 0));
}

/** The record in a reply, whose body is read to its end; undefined when it holds none. */
async function readRecord({ body }: UpstreamReply): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxRecordBytes) return undefined;
      chunks.push(Buffer.from(chunk));
    }
  } catch {
    return undefined;
  }
  const value = parseExactJson(Buffer.concat(chunks).toString());
  return isObject(value) ? value : undefined;
}

function unknownWords(id: string): string {
  return `It may have been made and billed, and is not sent again: the task ${id} keeps this with the state "unknown".`;
}

function unreadable(id: string, { name }: Upstream): HttpError {
  return new HttpError({
    status: 502,
    message: `Upstream '${name}' accepted the request, and its answer cannot be read. ${unknownWords(id)}`,
    type: 'upstream_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

function outcomeUnknown(id: string): HttpError {
  return new HttpError({
    status: 409,
    message: `The same request was sent before, and its answer was lost. ${unknownWords(id)} Look at the provider's own list, and use a new Idempotency-Key to ask again.`,
    type: 'invalid_request_error',
    code: 'outcome_unknown',
    headers: { ...doNotRetry, [taskHeader]: id },
  });
}

function notCancellable(reason: string): HttpError {
  return new HttpError({
    status: 409,
    message: `This task cannot be cancelled: ${reason}. It goes on until it ends.`,
    type: 'invalid_request_error',
    code: 'task_not_cancellable',
  });
}

function failedAt({ name }: Upstream, status: number, act: string): HttpError {
  return new HttpError({
    status: 502,
    message: `Upstream '${name}' answered ${status} when it was asked to ${act}. Try again.`,
    type: 'upstream_error',
    code: 'upstream_failed',
  });
}
