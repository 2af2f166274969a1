import type { ServedResult, ServedTask, TaskFailure } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { retentionMs } from './taskRetention.ts';
import { isUpstreamTask, type PlannedTask, readTaskState, type StoredTask } from './taskState.ts';
import type { ReportedResult, UpstreamTask } from './upstreamTask.ts';

/**
 * Creates the values of a task that its records show.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function createServedTask(task: StoredTask, now: number): ServedTask {
  return isUpstreamTask(task) ? describeUpstreamTask(task, now) : describePlannedTask(task, now);
}

/** Creates the path of a result, relative to the gateway's address. */
export function createResultPath(id: string, index: number): string {
  return `/v1/tasks/${id}/content${index === 0 ? '' : `?index=${index}`}`;
}

/** Selects the address of a result for callers: the gateway's own, unless the gateway cannot fetch the result. */
export function selectResultAddress({ id, report, storedResults }: UpstreamTask, index: number): string {
  const { url, isDirect } = report.results[index] ?? {};
  return url !== undefined && isDirect && !storedResults[index] ? url : createResultPath(id, index);
}

function describePlannedTask(task: PlannedTask, now: number): ServedTask {
  const { prompt, failure, results } = task.plan;
  const state = readTaskState(task, now);
  const { expiresAt } = state;
  const { id, model, createdAt } = task;
  const view = { id, model, createdAt, ...state, type: 'video', prompt } as const;
  if (state.status === 'failed' && failure)
    return { ...view, failure: { code: failure.code, message: failure.message }, results: [] };
  if (expiresAt === undefined) return { ...view, results: [] };
  return {
    ...view,
    results: results.map(({ mimeType, width, height, seconds }, index) => ({
      url: createResultPath(task.id, index),
      mimeType,
      width,
      height,
      seconds,
      expiresAt,
    })),
  };
}

function describeUpstreamTask(task: UpstreamTask, now: number): ServedTask {
  const { id, model, createdAt, status, prompt, report } = task;
  const state = readTaskState(task, now);
  const failure = status === 'unknown' ? createLostReplyFailure(task) : report.failure;
  const results =
    status === 'completed' ? report.results.map((result, index) => describeResult(task, result, index)) : [];
  const expiryTimes = results.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined);
  return {
    id,
    model,
    createdAt,
    ...state,
    type: taskRecordFormats[task.format].type,
    prompt,
    ...(failure && { failure }),
    ...(expiryTimes.length > 0 && { expiresAt: Math.min(...expiryTimes) }),
    results,
  };
}

function describeResult(task: UpstreamTask, result: ReportedResult, index: number): ServedResult {
  const storedResult = task.storedResults[index];
  const { mimeType = result.mimeType } = storedResult ?? {};
  const expiresAt =
    storedResult && task.finishedAt !== undefined ? task.finishedAt + retentionMs : result.expiresAt;
  return {
    url: selectResultAddress(task, index),
    ...(mimeType && { mimeType }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function createLostReplyFailure({ upstream }: UpstreamTask): TaskFailure {
  return {
    code: 'outcome_unknown',
    message: `The upstream '${upstream}' received the request, but its reply was lost. The task may have been made and billed, so the request is not sent again. Check the provider's own list before you send it again.`,
  };
}
