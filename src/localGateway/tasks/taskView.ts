import type { RemoteTask, ToldFailure, ToldResult } from './remoteTask.ts';
import { taskForms } from './taskForms.ts';
import { keptMs } from './taskRetention.ts';
import { isRemote, type PlannedTask, type StoredTask, stateOf, type TaskState } from './taskState.ts';

/** What a task is at one moment, whatever makes it. Every form of a record is written from it. */
export interface TaskView extends TaskState {
  readonly type: 'video' | 'response' | 'interaction';
  readonly prompt: string;
  readonly failure?: ToldFailure;
  /** Empty before it has completed, and when nothing was made. */
  readonly results: readonly ViewedResult[];
}

export interface ViewedResult {
  /** A path of the gateway, or an address elsewhere that needs no key. `addressed` makes it absolute. */
  readonly url: string;
  readonly mimeType?: string;
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** @param now wall clock in milliseconds since 1970 */
export function viewOf(task: StoredTask, now: number): TaskView {
  return isRemote(task) ? toldView(task, now) : plannedView(task, now);
}

/** The path of a result, relative to the gateway's address. */
export function resultPath(id: string, index: number): string {
  return `/v1/tasks/${id}/content${index === 0 ? '' : `?index=${index}`}`;
}

/** The address of a result as a caller can use it: the gateway's own, also before the gateway has fetched it. */
export function resultAddress({ id, told, kept }: RemoteTask, index: number): string {
  const { url, isDirect } = told.results[index] ?? {};
  return url !== undefined && isDirect && !kept[index] ? url : resultPath(id, index);
}

/** The absolute form of an address of a result. */
export function addressed(url: string, address: string): string {
  return url.startsWith('/') ? address + url : url;
}

function plannedView(task: PlannedTask, now: number): TaskView {
  const { prompt, failure, results } = task.plan;
  const state = stateOf(task, now);
  const { expiresAt } = state;
  const view = { ...state, type: 'video', prompt } as const;
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

function toldView(task: RemoteTask, now: number): TaskView {
  const { status, prompt, told } = task;
  const state = stateOf(task, now);
  const failure = status === 'unknown' ? lostAnswer(task) : told.failure;
  const results =
    status === 'completed' ? told.results.map((result, index) => viewedResult(task, result, index)) : [];
  const ends = results.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined);
  return {
    ...state,
    type: taskForms[task.format].type,
    prompt,
    ...(failure && { failure }),
    ...(ends.length > 0 && { expiresAt: Math.min(...ends) }),
    results,
  };
}

function viewedResult(task: RemoteTask, result: ToldResult, index: number): ViewedResult {
  const kept = task.kept[index];
  const { mimeType = result.mimeType } = kept ?? {};
  const until = kept && task.finishedAt !== undefined ? task.finishedAt + keptMs : result.expiresAt;
  return {
    url: resultAddress(task, index),
    ...(mimeType && { mimeType }),
    ...(until !== undefined && { expiresAt: until }),
  };
}

function lostAnswer({ upstream }: RemoteTask): ToldFailure {
  return {
    code: 'outcome_unknown',
    message: `The upstream '${upstream}' got the request, and its answer did not come back. It may have been made and billed; it is not sent again. Look at the provider's own list before you ask again.`,
  };
}
