import type { ServedResult, ServedTask, TaskFailure } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { retentionMs } from './taskRetention.ts';
import { isRemote, type PlannedTask, type StoredTask, stateOf } from './taskState.ts';
import type { ReportedResult, UpstreamTask } from './upstreamTask.ts';

/**
 * A task with the values that its records show.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function servedTask(task: StoredTask, now: number): ServedTask {
  return isRemote(task) ? remoteView(task, now) : plannedView(task, now);
}

/** The path of a result, relative to the gateway's address. */
export function resultPath(id: string, index: number): string {
  return `/v1/tasks/${id}/content${index === 0 ? '' : `?index=${index}`}`;
}

/** The address of a result for callers: the gateway's own, even before the gateway has fetched it. */
export function resultAddress({ id, report, storedResults }: UpstreamTask, index: number): string {
  const { url, isDirect } = report.results[index] ?? {};
  return url !== undefined && isDirect && !storedResults[index] ? url : resultPath(id, index);
}

function plannedView(task: PlannedTask, now: number): ServedTask {
  const { prompt, failure, results } = task.plan;
  const state = stateOf(task, now);
  const { expiresAt } = state;
  const { id, model, createdAt } = task;
  const view = { id, model, createdAt, ...state, type: 'video', prompt } as const;
  if (state.status === 'failed' && failure)
    return { ...view, failure: { code: failure.code, message: failure.message }, results: [] };
  if (expiresAt === undefined) return { ...view, results: [] };
  return {
    ...view,
    results: results.map(({ mimeType, width, height, seconds }, index) => ({
      url: resultPath(task.id, index),
      mimeType,
      width,
      height,
      seconds,
      expiresAt,
    })),
  };
}

function remoteView(task: UpstreamTask, now: number): ServedTask {
  const { id, model, createdAt, status, prompt, report } = task;
  const state = stateOf(task, now);
  const failure = status === 'unknown' ? lostReplyFailure(task) : report.failure;
  const results =
    status === 'completed' ? report.results.map((result, index) => resultView(task, result, index)) : [];
  const ends = results.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined);
  return {
    ...{ id, model, createdAt },
    ...state,
    type: taskRecordFormats[task.format].type,
    prompt,
    ...(failure && { failure }),
    ...(ends.length > 0 && { expiresAt: Math.min(...ends) }),
    results,
  };
}

function resultView(task: UpstreamTask, result: ReportedResult, index: number): ServedResult {
  const storedResult = task.storedResults[index];
  const { mimeType = result.mimeType } = storedResult ?? {};
  const until =
    storedResult && task.finishedAt !== undefined ? task.finishedAt + retentionMs : result.expiresAt;
  return {
    url: resultAddress(task, index),
    ...(mimeType && { mimeType }),
    ...(until !== undefined && { expiresAt: until }),
  };
}

function lostReplyFailure({ upstream }: UpstreamTask): TaskFailure {
  return {
    code: 'outcome_unknown',
    message: `The upstream '${upstream}' received the request, but its reply was lost. The task may have been made and billed, so the request is not sent again. Check the provider's own list before you send it again.`,
  };
}
