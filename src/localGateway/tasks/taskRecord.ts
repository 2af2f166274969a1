import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { toUnixSeconds } from '../../wire/apis/shared/messageParts.ts';
import {
  resolveResultUrl,
  type ServedResult,
  type ServedTaskStatus,
} from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { replaceIds, taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { replaceAddresses } from '../json/jsonEdit.ts';
import { createServedTask, selectResultAddress } from './servedTask.ts';
import { isUpstreamTask, type StoredTask } from './taskState.ts';
import { isResultMark, mapObjects, type UpstreamTask } from './upstreamTask.ts';

// The API description does not define every part of tasks. This file defines the other parts, which never change.
// Tasks of all routes have this record.

/**
 * The record of a task on all task routes. Times are in whole seconds since 1970, null if they are not yet known.
 *
 * - `GET /v1/tasks?limit=&cursor=&status=`: `{object: 'list', data, has_more, next_cursor}`, newest first; 20 per
 *   page by default, at most 100 (a larger limit is served as 100). `status` takes one state or several, separated
 *   by commas. The list does not send requests to upstreams: it contains the last records that were read.
 * - `GET /v1/tasks/{id}`: the record. If the task has not ended, it is read at its upstream, at most once a second,
 *   and less often if the upstream has many tasks or requested a pause. If it cannot be read, the header
 *   `x-gateway-stale` has the reason and the record is the last one. 404 `task_not_found` for a task that never
 *   existed, was deleted or has expired.
 * - `POST /v1/tasks/{id}/cancel`: the record afterwards. For a task that has already ended, the reply is 200 with
 *   its unchanged record; if its upstream cannot stop it, 409 `task_not_cancellable`.
 * - `DELETE /v1/tasks/{id}`: `{id, object: 'task.deleted', deleted: true}`, after its upstream has deleted it, if
 *   it can; 409 `task_not_ended` for a task that is queued or running and has to be cancelled first.
 * - `GET /v1/tasks/{id}/content?index=`: the bytes of a result, by default of the first one. It needs the
 *   credential, like all other routes. 409 `task_not_completed` before the end, 404 `result_not_found` if it does
 *   not exist, 410 `result_expired` if it is no longer stored.
 *
 * A record is stored for a week after its end, and for another day of running time, because a clock may be wrong
 * for a while. The header Idempotency-Key on a request that creates a task prevents a second task as long as the
 * record is stored: the reply to the same request has the same task, and the reply to another request with the same
 * key is 422. A task whose record was lost in a damaged file retains its key: the reply to the same request is 409
 * `outcome_unknown`, unless its upstream can be read.
 */
export interface TaskRecord {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  readonly object: 'task';
  readonly type: 'video' | 'response' | 'interaction';
  readonly status: ServedTaskStatus;
  /** Whole percent, 0 to 100. */
  readonly progress: number;
  readonly model: string;
  readonly upstream: string;
  /** The upstream's own ID; null if there is none. */
  readonly upstream_id: string | null;
  /** The beginning of the prompt. */
  readonly prompt: string;
  /** X-Request-Id of the request that made the task. */
  readonly request_id: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** When the results expire. */
  readonly expires_at: number | null;
  /** The results; empty before the task has completed, and if nothing was made. */
  readonly results: readonly TaskRecordResult[];
  /** Why the task failed, or that its outcome is unknown; null otherwise. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The cost in US dollars; absent if it is not known. */
  readonly usage?: { readonly cost: number };
  /** The upstream's own record of a task that is not a video, with the ID of this gateway. */
  readonly record?: JsonObject;
}

/** A result. Only results of the demo have dimensions and durations, because upstreams do not report them. */
interface TaskRecordResult {
  readonly type: 'video' | 'file';
  /**
   * Absolute: at the gateway, or elsewhere if the gateway cannot fetch the result and its address does not need a
   * key.
   */
  readonly url: string;
  readonly mime_type?: string;
  readonly width?: number;
  readonly height?: number;
  /** Length in seconds. */
  readonly duration?: number;
  readonly expires_at: number | null;
}

/**
 * Creates the record of a task.
 *
 * @param now wall clock in milliseconds since 1970
 * @param address the gateway's address as the caller knows it
 */
export function createTaskRecord(task: StoredTask, now: number, address: string): TaskRecord {
  const { type, status, progress, prompt, startedAt, finishedAt, expiresAt, failure, results } =
    createServedTask(task, now);
  const record = selectTextRecord(task, address);
  const costUsd = isUpstreamTask(task) ? task.report.costUsd : undefined;
  return {
    id: task.id,
    object: 'task',
    type,
    status,
    progress,
    model: task.model,
    upstream: task.upstream,
    upstream_id: (isUpstreamTask(task) && task.upstreamId) || null,
    prompt,
    request_id: task.requestId,
    created_at: toUnixSeconds(task.createdAt),
    started_at: startedAt === undefined ? null : toUnixSeconds(startedAt),
    finished_at: finishedAt === undefined ? null : toUnixSeconds(finishedAt),
    expires_at: expiresAt === undefined ? null : toUnixSeconds(expiresAt),
    results: results.map((result) => createRecordResult(result, type, address)),
    error: failure ?? null,
    ...(costUsd !== undefined && { usage: { cost: costUsd } }),
    ...(record && { record }),
  };
}

function createRecordResult(
  { url, mimeType, width, height, seconds: duration, expiresAt }: ServedResult,
  type: TaskRecord['type'],
  address: string,
): TaskRecordResult {
  return {
    type: type === 'video' || mimeType?.startsWith('video/') ? 'video' : 'file',
    url: resolveResultUrl(url, address),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(duration !== undefined && { duration }),
    expires_at: expiresAt === undefined ? null : toUnixSeconds(expiresAt),
  };
}

/** Returns the upstream's own record of a task whose result is text, because no other member contains this text. */
function selectTextRecord(task: StoredTask, address: string): JsonObject | undefined {
  if (!isUpstreamTask(task) || !task.report.record) return undefined;
  return taskRecordFormats[task.format].type === 'video' ? undefined : linkRecord(task, address);
}

/**
 * Creates a copy of the upstream's own record of a task, with this gateway's ID, with an address for each result that
 * the caller can use, and with the data that the gateway stores separately.
 *
 * @param address the gateway's address as the caller knows it
 * @param readStoredResult reads the bytes of a stored result, by its index
 */
export async function createUpstreamRecord(
  task: UpstreamTask,
  address: string,
  readStoredResult: (index: number) => Promise<Buffer | undefined>,
): Promise<JsonObject> {
  const { report, storedResults, format } = task;
  const data = new Map<number, string>();
  for (const [index, { url }] of report.results.entries()) {
    if (url !== undefined || !storedResults[index] || taskRecordFormats[format].hasContentRoute) continue;
    const bytes = await readStoredResult(index);
    if (bytes) data.set(index, bytes.toString('base64'));
  }
  return linkRecord(task, address, (object) => restoreData(object, data));
}

/** Copies the upstream's own record of a task, with IDs and addresses of results that callers can use. */
function linkRecord(
  task: UpstreamTask,
  address: string,
  change: (object: JsonObject) => JsonObject = (object) => object,
): JsonObject {
  const addresses = listResultAddresses(task, address);
  const record = mapObjects(task.report.record ?? {}, (object) => linkAddresses(change(object), addresses));
  return replaceIds(task, isObject(record) ? record : {});
}

/** Lists the caller's address of each result, by all names that the upstream's record may use for it. */
export function listResultAddresses(task: UpstreamTask, address: string): ReadonlyMap<string, string> {
  return new Map(
    task.report.results.flatMap(({ url }, index) => {
      if (url === undefined || !URL.canParse(url)) return [];
      const link = resolveResultUrl(selectResultAddress(task, index), address);
      return listNames(url).map((name) => [name, link] as const);
    }),
  );
}

/** Lists the names of a result in records: its address, and in some records the path of its address. */
function listNames(url: string): readonly string[] {
  const { protocol, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) ? [url, pathname + search + hash] : [url];
}

function restoreData(object: JsonObject, data: ReadonlyMap<number, string>): JsonObject {
  if (!isResultMark(object)) return object;
  const { kept_result, kept_member, ...rest } = object;
  const text = data.get(kept_result);
  return text === undefined ? rest : { ...rest, [kept_member]: text };
}

function linkAddresses(object: JsonObject, addresses: ReadonlyMap<string, string>): JsonObject {
  if (addresses.size === 0) return object;
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (typeof value !== 'string') return value;
    return addresses.get(value.trim()) ?? linkJsonText(value, addresses);
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, link(value)]));
}

/** Replaces addresses in a text that is JSON: some records contain their results as such a text. */
function linkJsonText(text: string, addresses: ReadonlyMap<string, string>): string {
  if (!/^\s*[[{]/.test(text) || parseJson(text) === undefined) return text;
  const bytes = Buffer.from(text);
  const linkedBytes = replaceAddresses(bytes, (each) => addresses.get(each));
  return linkedBytes === bytes ? text : Buffer.from(linkedBytes).toString();
}
