import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../base/json.ts';
import { systemClock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { type TaskFormat, taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { doNotRetry, HttpError, provesUnbilled } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type {
  RequestSpending,
  Upstream,
  UpstreamCaller,
  UpstreamReply,
  UpstreamTaskApi,
  UsedKey,
} from '../upstreams/upstream.ts';
import {
  isEventStreamReply,
  readRecordInEvent,
  removeEncodings,
  replaceBody,
  rewriteEvents,
  splitEvents,
} from './taskEvents.ts';
import {
  describeUnknownOutcome,
  outcomeUnknownError,
  taskHeader,
  taskNotStoredError,
  unreadableCreationError,
} from './taskFailures.ts';
import type { TaskFile } from './taskFile.ts';
import type { TaskReadings } from './taskReadings.ts';
import { isUpstreamTask } from './taskState.ts';
import type { TaskCreation } from './taskStore.ts';
import type { RequestIdentity } from './taskTable.ts';
import { readRecord } from './upstreamOfTask.ts';
import type { UpstreamTask } from './upstreamTask.ts';

interface UpstreamTaskRequest {
  readonly identity: RequestIdentity;
  readonly upstream: Upstream;
  /** Sends the creating request to the upstream. */
  readonly send: UpstreamTaskApi['create'];
  readonly format: TaskFormat;
  readonly body: RequestBody;
  readonly prompt: string;
  /** The ID of the task that this one continues. */
  readonly earlierId?: string | undefined;
  /** The name of the key that created the continued task. */
  readonly keyName?: string | undefined;
  readonly noteKey?: UpstreamCaller['noteKey'];
  /** The model ID that the caller sent; `model` is the ID at the upstream. */
  readonly servedModel: string;
  readonly model: string;
  readonly headers: IncomingHttpHeaders;
  readonly query?: string;
  readonly requestId: string;
  /** Aborted when the caller disconnects. Then the event stream ends, and a queued request is dropped. */
  readonly callerSignal: AbortSignal;
  readonly spending: RequestSpending;
}

/** The outcome of a request for a task. */
type CreationOutcome =
  | {
      readonly task: UpstreamTask;
      readonly headers: Readonly<Record<string, string>>;
      /** The task belongs to an earlier identical request. */
      readonly repeats?: 'same';
    }
  /** The upstream's refusal or events, which are passed on to the caller. */
  | { readonly reply: UpstreamReply }
  /** The key belongs to an earlier, different request. */
  | { readonly repeats: 'other' };

/**
 * Creates tasks at upstreams. A task is on the disk before its request is sent. A request is sent again only after
 * the upstream refused a key. If the reply does not show whether a task was created, the status of the task is
 * `unknown`.
 */
export class TaskCreator {
  readonly #file: TaskFile;
  readonly #writer: CreatedTaskWriter;
  readonly #shutdown: AbortSignal;
  /** Requests under way, by the ID of their tasks. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** @param shutdown aborted when the gateway ends */
  constructor(file: TaskFile, readings: TaskReadings, shutdown: AbortSignal) {
    this.#file = file;
    this.#writer = new CreatedTaskWriter(file, readings, shutdown);
    this.#shutdown = shutdown;
  }

  /**
   * Creates a task. The request continues if the caller disconnects, because the reply contains the ID.
   *
   * @throws {UnbilledError} if the task cannot be stored
   * @throws {HttpError} if nothing was created, if it is unknown whether a task was created, or if the created task
   * cannot be stored
   */
  async create(request: UpstreamTaskRequest): Promise<CreationOutcome> {
    const { task, repeats } = await this.#storeDraft(request);
    if (repeats === 'other') return { repeats };
    if (repeats === 'same') return this.#readRepeatedOutcome(task.id);
    const creation = this.#send(task.id, request).finally(() => this.#underWay.delete(task.id));
    this.#underWay.set(task.id, creation);
    return creation;
  }

  /** Stores the task, or finds the task of an earlier request with the same key. */
  #storeDraft(request: UpstreamTaskRequest): Promise<TaskCreation> {
    const { identity, upstream, servedModel, requestId, format, prompt, earlierId } = request;
    const draft = {
      ...identity,
      upstream: upstream.name,
      model: servedModel,
      requestId,
      format,
      prompt,
      ...(earlierId !== undefined && { earlierId }),
    };
    return this.#file.create((store) => store.createUpstreamTask(draft));
  }

  /** Whether the reply to the request that created the task may still arrive. */
  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Resolves when all replies have arrived, which is soon after the gateway ends. */
  async waitUntilSettled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
    await this.#writer.waitUntilSettled();
  }

  async #readRepeatedOutcome(id: string): Promise<CreationOutcome> {
    await this.#underWay.get(id)?.catch(() => {});
    const task = this.#file.open().get(id);
    if (task && !isUpstreamTask(task)) return { repeats: 'other' };
    if (!task || task.upstreamId === undefined) throw outcomeUnknownError(id);
    return { task, headers: {}, repeats: 'same' };
  }

  async #send(id: string, request: UpstreamTaskRequest): Promise<CreationOutcome> {
    const { send, query, requestId, body, servedModel, model, callerSignal, spending } = request;
    let { keyName } = request;
    const noteKey = (used: UsedKey) => {
      keyName = used.name;
      request.noteKey?.(used);
    };
    const disconnected = new AbortController();
    const signal = AbortSignal.any([this.#shutdown, disconnected.signal]);
    const headers = removeEncodings(request.headers);
    const untilSent = AbortSignal.any([this.#shutdown, callerSignal]);
    const caller = {
      headers,
      requestId,
      signal,
      untilSent,
      spending,
      ...(query !== undefined && { query }),
    };
    let reply: UpstreamReply;
    try {
      reply = await send({ ...caller, taskId: id, body, servedModel, model, keyName, noteKey });
    } catch (error) {
      throw this.#explainFailure(id, error);
    }
    if (reply.status >= 300) return this.#passRefusal(id, reply);
    if (isEventStreamReply(reply)) {
      const events = await this.#createFromEvents(id, { ...request, keyName }, reply);
      if (callerSignal.aborted) disconnected.abort();
      callerSignal.addEventListener('abort', () => disconnected.abort());
      return { reply: events };
    }
    const task = await this.#writer.storeTask(id, { ...request, keyName }, await readRecord(reply));
    const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...others } = reply.headers;
    return { task, headers: others };
  }

  /** Reads events up to the event with the ID. The ID is stored before any event is passed on. */
  async #createFromEvents(
    id: string,
    request: UpstreamTaskRequest,
    reply: UpstreamReply,
  ): Promise<UpstreamReply> {
    const events = splitEvents(reply.body);
    const firstEvents: Buffer[] = [];
    for (let size = 0; size < maxBytesBeforeId; ) {
      const { value } = await events.next().catch(() => ({ value: undefined }));
      if (!value) break;
      size += value.length;
      firstEvents.push(value);
      const record = readRecordInEvent(value, request);
      if (!record) continue;
      const task = await this.#writer.storeTask(id, request, record).catch(async (error: unknown) => {
        await events.return(undefined);
        throw error;
      });
      return replaceBody(reply, rewriteEvents(joinEvents(firstEvents, events), task));
    }
    if (firstEvents.length === 0) throw unreadableCreationError(id, request.upstream);
    // Most likely the events report an error.
    return replaceBody(addTaskHeader(id, reply), joinEvents(firstEvents, events));
  }

  /** Passes on the upstream's refusal, with the task's ID if the refusal does not prove that nothing was made. */
  #passRefusal(id: string, reply: UpstreamReply): CreationOutcome {
    if (provesUnbilled(reply.status)) {
      this.#forget(id);
      return { reply };
    }
    return { reply: addTaskHeader(id, reply) };
  }

  /** Adds an explanation to a failure if something may have been made. */
  #explainFailure(id: string, error: unknown): unknown {
    if (error instanceof HttpError) {
      const { status, message, type, param, code, headers, isUnbilled } = error;
      if (!isUnbilled && !provesUnbilled(status)) {
        const fullMessage = `${message} ${describeUnknownOutcome(id)}`;
        const allHeaders = { ...headers, ...doNotRetry, [taskHeader]: id };
        return new HttpError({ status, message: fullMessage, type, param, code, headers: allHeaders });
      }
      this.#forget(id);
    }
    return error;
  }

  /** Deletes a task that was not made. If the deletion cannot be stored, the status of the task remains `unknown`. */
  #forget(id: string): void {
    try {
      this.#file.open().forget(id);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

/** The most bytes that are searched for the ID in a stream. Upstreams send it in the first event. */
const maxBytesBeforeId = 1024 * 1024;

async function* joinEvents(
  firstEvents: readonly Buffer[],
  others: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* firstEvents;
  yield* others;
}

/** Adds the task's ID to a reply that does not prove that nothing was made. */
function addTaskHeader(id: string, reply: UpstreamReply): UpstreamReply {
  return { ...reply, headers: { ...reply.headers, ...doNotRetry, [taskHeader]: id } };
}

/** The pause after a failed write to the file, in milliseconds. */
const retryPauseMs = 2_000;
/** The pause after an attempt to write to a locked file while the caller waits, in milliseconds. */
const storePauseMs = 100;

/** The upstream of a task, and the format of the request. */
interface TaskSource {
  readonly upstream: Upstream;
  readonly format: TaskFormat;
  /** The name of the key that was sent, if the upstream has several. */
  readonly keyName?: string | undefined;
}

/** A task that an upstream made. */
interface CreatedTask extends TaskSource {
  /** The gateway's own ID. */
  readonly id: string;
  readonly upstreamId: string;
  readonly record: JsonObject;
}

/** Stores tasks that upstreams made. If the file cannot be written, it tries again until the gateway ends. */
export class CreatedTaskWriter {
  readonly #file: Pick<TaskFile, 'open'>;
  readonly #readings: Pick<TaskReadings, 'storeRecord'>;
  readonly #shutdown: AbortSignal;
  /** The pending attempts to store tasks when the file can be written again. */
  readonly #storingLater = new Set<Promise<void>>();

  /** @param shutdown aborted when the gateway ends */
  constructor(
    file: Pick<TaskFile, 'open'>,
    readings: Pick<TaskReadings, 'storeRecord'>,
    shutdown: AbortSignal,
  ) {
    this.#file = file;
    this.#readings = readings;
    this.#shutdown = shutdown;
  }

  /**
   * Stores a task, from the upstream's record of it.
   *
   * @param id the gateway's own ID
   * @throws {HttpError} if the record has no ID, or if the task cannot be stored yet
   */
  async storeTask(
    id: string,
    { format, upstream, keyName }: TaskSource,
    record: JsonObject | undefined,
  ): Promise<UpstreamTask> {
    const upstreamId = record && taskRecordFormats[format].readId(record);
    if (!record || upstreamId === undefined) throw unreadableCreationError(id, upstream);
    const createdTask = { id, upstreamId, record, format, upstream, keyName };
    try {
      const task = await retryWhileBusy(() => this.#store(createdTask), systemClock, storePauseMs);
      if (task) return task;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const storing = this.#storeLater(createdTask).finally(() => this.#storingLater.delete(storing));
      this.#storingLater.add(storing);
      throw taskNotStoredError(createdTask, error);
    }
    throw unreadableCreationError(id, upstream);
  }

  /** Resolves when no task waits to be stored, which is soon after the gateway ends. */
  async waitUntilSettled(): Promise<void> {
    await Promise.allSettled(this.#storingLater);
  }

  /** @returns undefined if the task was deleted in the meantime */
  async #store({
    id,
    upstreamId,
    record,
    upstream,
    keyName,
  }: CreatedTask): Promise<UpstreamTask | undefined> {
    const before = this.#file.open().get(id);
    if (!before || !isUpstreamTask(before)) return undefined;
    const storedTask = await this.#readings
      .storeRecord({ ...before, upstreamId, ...(keyName !== undefined && { keyName }) }, record, upstream)
      .catch((error: unknown) => {
        if (error instanceof StorageError) throw error;
      });
    if (storedTask) return storedTask;
    // The ID is the most valuable part. The rest can be read again.
    const { report } = before;
    const state = { status: 'running', report, upstreamId } as const;
    const after = this.#file.open().changeState(id, { ...state, ...(keyName !== undefined && { keyName }) });
    return after && isUpstreamTask(after) ? after : undefined;
  }

  async #storeLater(created: CreatedTask): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const isEnding = await wait(retryPauseMs, false, { signal: this.#shutdown }).catch(() => true);
      isDone = await this.#store(created).then(
        () => true,
        (error: unknown) => isEnding || !(error instanceof StorageError),
      );
    }
  }
}
