import { type StoredTask, stateOf, type TaskStatus } from './taskState.ts';

// What the interface leaves open about tasks is decided here, and stays as it is. This is the record of
// every task, whichever route made it.

/**
 * A task as all task routes tell it. Times are in whole seconds since 1970, null until they have come.
 *
 * - `GET /v1/tasks?limit=&cursor=&status=`: `{object: 'list', data, has_more, next_cursor}`, newest first;
 *   20 on a page unless told otherwise, 100 at most (a larger limit is served as 100). `status` takes one
 *   state or several with commas between. The list holds the same records as reading does.
 * - `GET /v1/tasks/{id}`: the record; 404 `task_not_found` for what was never made, deleted or forgotten.
 * - `POST /v1/tasks/{id}/cancel`: the record afterwards. A task that has ended already is answered with 200
 *   and its record as it was; one whose upstream cannot stop it with 409 `task_not_cancellable`.
 * - `DELETE /v1/tasks/{id}`: `{id, object: 'task.deleted', deleted: true}`; 409 `task_not_ended` for a task
 *   that is queued or running, which is to be cancelled first.
 * - `GET /v1/tasks/{id}/content?index=`: the bytes of a result, the first one unless told otherwise, behind
 *   the credential like all else. 409 `task_not_completed` before the end, 404 `result_not_found` where
 *   there is none, 410 `result_expired` a day after completion.
 *
 * A record is kept for a week after its end, and for a day of running beyond, since a clock may be wrong for
 * a while. The header Idempotency-Key on a request that makes a task keeps it from making another one for as
 * long as the record is kept: the same request is answered with the same task, another request under the same
 * key with 422.
 */
export interface TaskRecord {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  readonly object: 'task';
  readonly type: 'video';
  readonly status: TaskStatus;
  /** Whole percent, 0 to 100. */
  readonly progress: number;
  readonly model: string;
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
  /** Why the task failed; null otherwise. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface TaskRecordResult {
  readonly type: 'video';
  /** Relative to the gateway's address, which may change. */
  readonly url: string;
  readonly mime_type: string;
  readonly width: number;
  readonly height: number;
  /** Length in seconds. */
  readonly duration: number;
  readonly expires_at: number;
}

/**
 * The record of a task.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function recordOf(task: StoredTask, now: number): TaskRecord {
  const { status, progress, startedAt, finishedAt, expiresAt } = stateOf(task, now);
  const { failure } = task.plan;
  return {
    id: task.id,
    object: 'task',
    type: 'video',
    status,
    progress,
    model: task.model,
    prompt: task.plan.prompt,
    request_id: task.requestId,
    created_at: seconds(task.createdAt),
    started_at: startedAt === undefined ? null : seconds(startedAt),
    finished_at: finishedAt === undefined ? null : seconds(finishedAt),
    expires_at: expiresAt === undefined ? null : seconds(expiresAt),
    results: expiresAt === undefined ? [] : resultsOf(task, expiresAt),
    error: status === 'failed' && failure ? { code: failure.code, message: failure.message } : null,
  };
}

/** The path of a result, relative to the gateway's address. */
export function resultPath(id: string, index: number): string {
  return `/v1/tasks/${id}/content${index === 0 ? '' : `?index=${index}`}`;
}

function resultsOf({ id, plan }: StoredTask, expiresAt: number): readonly TaskRecordResult[] {
  return plan.results.map(({ mimeType, width, height, seconds: duration }, index) => ({
    type: 'video',
    url: resultPath(id, index),
    mime_type: mimeType,
    width,
    height,
    duration,
    expires_at: seconds(expiresAt),
  }));
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
