import type { IncomingHttpHeaders } from 'node:http';
import { StorageError } from '../../storage/database.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import { HttpError } from '../http/httpError.ts';
import { doNotRetry } from '../http/nothingMade.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { TaskFormat, Upstream, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
import { MadeTasks } from './madeTasks.ts';
import { ownEvents, recordInEvent } from './ownEvents.ts';
import type { RemoteTask } from './remoteTask.ts';
import { outcomeUnknown, taskHeader, unknownWords, unreadable } from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import type { TaskReadings } from './taskReadings.ts';
import type { RequestIdentity } from './taskRows.ts';
import { isRemote } from './taskState.ts';
import type { TaskCreation } from './taskStore.ts';
import { eventBlocks, isEventStream, streamReply, withoutEncodings } from './taskStream.ts';
import { readRecord } from './taskUpstream.ts';

export interface RemoteOrder {
  readonly identity: RequestIdentity;
  readonly upstream: Upstream;
  /** Asks the upstream for it. */
  readonly ask: UpstreamTasks['create'];
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
  /** Aborted when the caller has left, who then wants no more events; a request that waits is not sent then. */
  readonly left: AbortSignal;
}

/** What became of an order: a task, or the upstream's reply for the caller: its refusal, or events. */
export type Ordered =
  | {
      readonly task: RemoteTask;
      readonly headers: Readonly<Record<string, string>>;
      /** The task is that of an earlier request, which was the same. */
      readonly repeats?: 'same';
    }
  | { readonly reply: UpstreamReply }
  | { readonly repeats: 'other' };

/**
 * Makes tasks at upstreams. A task is on the disk before its upstream is asked, and nothing is sent twice: what
 * the upstream's answer did not tell stays unknown.
 */
export class TaskOrders {
  readonly #file: TaskFile;
  readonly #made: MadeTasks;
  readonly #life: AbortSignal;
  /** Orders under way, by the id of their tasks. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** @param life aborted when the gateway ends */
  constructor(file: TaskFile, readings: TaskReadings, life: AbortSignal) {
    this.#file = file;
    this.#made = new MadeTasks(file, readings, life);
    this.#life = life;
  }

  /**
   * Makes a task. The order goes on when the caller leaves: its answer holds the id.
   *
   * @throws {NothingMadeError} when the task cannot be stored
   * @throws {HttpError} when nothing was made, and when nobody knows whether something was
   */
  async create(order: RemoteOrder): Promise<Ordered> {
    const { task, repeats } = await this.#begin(order);
    if (repeats === 'other') return { repeats };
    if (repeats === 'same') return this.#repeated(task.id);
    const ordered = this.#send(task.id, order).finally(() => this.#underWay.delete(task.id));
    this.#underWay.set(task.id, ordered);
    return ordered;
  }

  /** Nothing is sent before the task is stored. */
  #begin({
    identity,
    upstream,
    servedModel,
    requestId,
    format,
    prompt,
    earlierId,
  }: RemoteOrder): Promise<TaskCreation> {
    const draft = {
      ...identity,
      ...{ upstream: upstream.name, model: servedModel, requestId, format, prompt },
      ...(earlierId !== undefined && { earlierId }),
    };
    return this.#file.create((store) => store.createRemote(draft));
  }

  /** Whether the answer to the request that made the task may still come. */
  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Resolves when all answers have come, which is soon once the gateway ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
    await this.#made.settled();
  }

  async #repeated(id: string): Promise<Ordered> {
    await this.#underWay.get(id)?.catch(() => {});
    const task = this.#file.open().get(id);
    if (task && !isRemote(task)) return { repeats: 'other' };
    if (!task || task.upstreamId === undefined) throw outcomeUnknown(id);
    return { task, headers: {}, repeats: 'same' };
  }

  async #send(id: string, order: RemoteOrder): Promise<Ordered> {
    const { ask, query, requestId, body, servedModel, model, left } = order;
    const unwanted = new AbortController();
    const signal = AbortSignal.any([this.#life, unwanted.signal]);
    const headers = withoutEncodings(order.headers);
    const untilSent = AbortSignal.any([this.#life, left]);
    const caller = { headers, requestId, signal, untilSent, ...(query !== undefined && { query }) };
    let reply: UpstreamReply;
    try {
      reply = await ask({ ...caller, body, servedModel, model });
    } catch (error) {
      throw this.#explained(id, error);
    }
    if (reply.status >= 300) return this.#refused(id, reply);
    if (isEventStream(reply)) {
      const events = await this.#streamed(id, order, reply);
      if (left.aborted) unwanted.abort();
      left.addEventListener('abort', () => unwanted.abort());
      return { reply: events };
    }
    const task = await this.#made.keep(id, order, await readRecord(reply));
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...others } = reply.headers;
    return { task, headers: others };
  }

  /** Reads events up to the one that tells the id, which is kept before any of them is passed on. */
  async #streamed(id: string, order: RemoteOrder, reply: UpstreamReply): Promise<UpstreamReply> {
    const events = eventBlocks(reply.body);
    const begun: Buffer[] = [];
    for (let size = 0; size < maxBytesBeforeId; ) {
      const { value } = await events.next().catch(() => ({ value: undefined }));
      if (!value) break;
      size += value.length;
      begun.push(value);
      const record = recordInEvent(value, order);
      if (!record) continue;
      const task = await this.#made.keep(id, order, record).catch(async (error: unknown) => {
        await events.return(undefined);
        throw error;
      });
      return streamReply(reply, ownEvents(following(begun, events), task));
    }
    if (begun.length === 0) throw unreadable(id, order.upstream);
    // An error, most likely, which says itself what is wrong.
    return streamReply(unclear(id, reply), following(begun, events));
  }

  /** The upstream's own refusal, with the task's id where it does not prove that nothing was made. */
  #refused(id: string, reply: UpstreamReply): Ordered {
    if (provesNothing(reply.status)) {
      this.#forget(id);
      return { reply };
    }
    return { reply: unclear(id, reply) };
  }

  /** A failure on the way, which says whether something may have been made. */
  #explained(id: string, error: unknown): unknown {
    if (error instanceof HttpError) {
      const { status, message, type, param, code, headers, neverSent } = error;
      const refused = code === 'upstream_credential' || provesNothing(status);
      if (!neverSent && !refused) {
        const told = `${message} ${unknownWords(id)}`;
        const more = { ...headers, ...doNotRetry, [taskHeader]: id };
        return new HttpError({ status, message: told, type, param, code, headers: more });
      }
      this.#forget(id);
    }
    return error;
  }

  /** Forgets what was not made. Where that cannot be stored, it stays unknown. */
  #forget(id: string): void {
    try {
      this.#file.open().forget(id);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

/** An upstream tells the id in the first event. */
const maxBytesBeforeId = 1024 * 1024;

async function* following(begun: readonly Buffer[], events: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* begun;
  yield* events;
}

/** Whether a status proves that nothing was made. */
function provesNothing(status: number): boolean {
  return effectOf({ sent: true, status, kind: 'server', reason: undefined }).nothingMade;
}

/** A reply that does not prove that nothing was made. */
function unclear(id: string, reply: UpstreamReply): UpstreamReply {
  return { ...reply, headers: { ...reply.headers, ...doNotRetry, [taskHeader]: id } };
}
