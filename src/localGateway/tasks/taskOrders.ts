import type { IncomingHttpHeaders } from 'node:http';
import { effectOf } from '../../wire/failureEffect.ts';
import { HttpError } from '../httpError.ts';
import { doNotRetry } from '../nothingMade.ts';
import type { RequestBody } from '../requestBody.ts';
import type { TaskFormat, Upstream, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
import type { RemoteTask } from './remoteTask.ts';
import { outcomeUnknown, taskHeader, unknownWords, unreadable } from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import { taskForms } from './taskForms.ts';
import type { TaskReadings } from './taskReadings.ts';
import type { RequestIdentity } from './taskRows.ts';
import { isRemote } from './taskState.ts';
import { readRecord } from './upstreamRecord.ts';

export interface RemoteOrder {
  readonly identity: RequestIdentity;
  readonly upstream: Upstream;
  readonly tasks: UpstreamTasks;
  readonly format: TaskFormat;
  readonly body: RequestBody;
  readonly prompt: string;
  /** The id of the task that it goes on from. */
  readonly earlierId?: string | undefined;
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

/**
 * Makes tasks at upstreams. A task is on the disk before its upstream is asked, and nothing is sent twice: what
 * the upstream's answer did not tell stays unknown.
 */
export class TaskOrders {
  readonly #file: TaskFile;
  readonly #readings: TaskReadings;
  readonly #life: AbortSignal;
  /** Orders under way, by the id of their tasks. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** @param life aborted when the gateway ends */
  constructor(file: TaskFile, readings: TaskReadings, life: AbortSignal) {
    this.#file = file;
    this.#readings = readings;
    this.#life = life;
  }

  /**
   * Makes a task. The order goes on when the caller leaves: its answer holds the id.
   *
   * @throws {HttpError} when nothing was made, and when nobody knows whether something was
   */
  async create(order: RemoteOrder): Promise<Ordered> {
    const { identity, upstream, servedModel, requestId, format, prompt, earlierId } = order;
    const { task, repeats } = this.#file.open().createRemote({
      ...identity,
      ...{ upstream: upstream.name, model: servedModel, requestId, format, prompt },
      ...(earlierId !== undefined && { earlierId }),
    });
    if (repeats === 'other') return { repeats };
    if (repeats === 'same') return this.#repeated(task.id);
    const ordered = this.#send(task.id, order).finally(() => this.#underWay.delete(task.id));
    this.#underWay.set(task.id, ordered);
    return ordered;
  }

  /** Whether the answer to the request that made the task may still come. */
  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Resolves when all answers have come, which is soon once the gateway ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }

  async #repeated(id: string): Promise<Ordered> {
    await this.#underWay.get(id)?.catch(() => {});
    const task = this.#file.open().get(id);
    if (task && !isRemote(task)) return { repeats: 'other' };
    if (!task || task.upstreamId === undefined) throw outcomeUnknown(id);
    return { task, headers: {} };
  }

  async #send(id: string, order: RemoteOrder): Promise<Ordered> {
    const { tasks, headers, query, requestId, body, servedModel, model, upstream } = order;
    const caller = { headers, requestId, signal: this.#life, ...(query !== undefined && { query }) };
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
    const task = await this.#readings.learn({ ...before, upstreamId }, record, upstream);
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
}
