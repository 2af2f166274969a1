import type { JsonObject } from '../../base/json.ts';
import { linkedRecord } from './ownRecord.ts';
import { taskForms } from './taskForms.ts';
import type { TaskStatus } from './taskIdentity.ts';
import { isRemote, type StoredTask } from './taskState.ts';
import { addressed, type ViewedResult, viewOf } from './taskView.ts';

// What the interface leaves open about tasks is decided here, and stays as it is. This is the record of
// every task, whichever route made it.

/**
 * A task as all task routes tell it. Times are in whole seconds since 1970, null until they have come.
 *
 * - `GET /v1/tasks?limit=&cursor=&status=`: `{object: 'list', data, has_more, next_cursor}`, newest first;
 *   20 on a page unless told otherwise, 100 at most (a larger limit is served as 100). `status` takes one
 *   state or several with commas between. The list asks no upstream: it holds the records as they were read last.
 * - `GET /v1/tasks/{id}`: the record, for which the upstream of a task that has not ended is asked, at most
 *   once a second, and less often where it has many or asked for a pause; where it cannot be, the header `x-gateway-stale` says why and the record is the last one; 404 `task_not_found` for what was never made, deleted or forgotten.
 * - `POST /v1/tasks/{id}/cancel`: the record afterwards. A task that has ended already is answered with 200
 *   and its record as it was; one whose upstream cannot stop it with 409 `task_not_cancellable`.
 * - `DELETE /v1/tasks/{id}`: `{id, object: 'task.deleted', deleted: true}`, after its upstream has deleted it,
 *   where it can; 409 `task_not_ended` for a task
 *   that is queued or running, which is to be cancelled first.
 * - `GET /v1/tasks/{id}/content?index=`: the bytes of a result, the first one unless told otherwise, behind
 *   the credential like all else. 409 `task_not_completed` before the end, 404 `result_not_found` where
 *   there is none, 410 `result_expired` when it is not kept any more.
 *
 * A record is kept for a week after its end, and for a day of running beyond, since a clock may be wrong for
 * a while. The header Idempotency-Key on a request that makes a task keeps it from making another one for as
 * long as the record is kept: the same request is answered with the same task, another request under the same
 * key with 422. A task whose record was lost in a damaged file keeps its key: the same request is answered with
 * 409 `outcome_unknown` unless its upstream can be read.
 */
export interface TaskRecord {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  readonly object: 'task';
  readonly type: 'video' | 'response' | 'interaction';
  readonly status: TaskStatus;
  /** Whole percent, 0 to 100. */
  readonly progress: number;
  readonly model: string;
  readonly upstream: string;
  /** The upstream's own id of it; null where there is none. */
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
  /** The results; empty before the task has completed, and when nothing was made. */
  readonly results: readonly TaskRecordResult[];
  /** Why the task failed, or that its outcome is unknown; null otherwise. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The upstream's own record of a task that is no video, with the id of this gateway. */
  readonly record?: JsonObject;
}

/** Measures are of the demo alone: upstreams tell none. */
export interface TaskRecordResult {
  readonly type: 'video' | 'file';
  /** Absolute: at the gateway, or elsewhere where the gateway cannot fetch it and no key is needed. */
  readonly url: string;
  readonly mime_type?: string;
  readonly width?: number;
  readonly height?: number;
  /** Length in seconds. */
  readonly duration?: number;
  readonly expires_at: number | null;
}

/**
 * The record of a task.
 *
 * @param now wall clock in milliseconds since 1970
 * @param address the gateway's address as the caller knows it
 */
export function recordOf(task: StoredTask, now: number, address: string): TaskRecord {
  const { type, status, progress, prompt, startedAt, finishedAt, expiresAt, failure, results } = viewOf(
    task,
    now,
  );
  const record = ownRecord(task, address);
  return {
    id: task.id,
    object: 'task',
    type,
    status,
    progress,
    model: task.model,
    upstream: task.upstream,
    upstream_id: (isRemote(task) && task.upstreamId) || null,
    prompt,
    request_id: task.requestId,
    created_at: seconds(task.createdAt),
    started_at: startedAt === undefined ? null : seconds(startedAt),
    finished_at: finishedAt === undefined ? null : seconds(finishedAt),
    expires_at: expiresAt === undefined ? null : seconds(expiresAt),
    results: results.map((result) => resultOf(result, type, address)),
    error: failure ?? null,
    ...(record && { record }),
  };
}

function resultOf(
  { url, mimeType, width, height, seconds: duration, expiresAt }: ViewedResult,
  type: TaskRecord['type'],
  address: string,
): TaskRecordResult {
  return {
    type: type === 'video' || mimeType?.startsWith('video/') ? 'video' : 'file',
    url: addressed(url, address),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(duration !== undefined && { duration }),
    expires_at: expiresAt === undefined ? null : seconds(expiresAt),
  };
}

/** Only the upstream's own record holds the text that a task made. */
function ownRecord(task: StoredTask, address: string): JsonObject | undefined {
  if (!isRemote(task) || !task.told.record) return undefined;
  return taskForms[task.format].type === 'video' ? undefined : linkedRecord(task, address);
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
