import type { TaskProgress } from '../base/taskProgress.ts';
import { isQueuedStatus } from '../wire/apis/taskRecord/statusWords.ts';
import type { Task } from './record/task.ts';

/** Whether a running task has not started at the gateway yet. */
export function isQueued({ status, rawStatus = '' }: Pick<Task, 'status' | 'rawStatus'>): boolean {
  return status === 'running' && isQueuedStatus(rawStatus);
}

/**
 * Computes the progress of a running task: the gateway's percentage, or an estimate from the user's earlier tasks.
 * Undefined if neither is known, or if the task is queued, because the percentage of a queued task is meaningless. A
 * percentage of 0 is ignored, because many gateways always report 0.
 */
export function computeProgress(task: Task, typicalRuns: TypicalRuns): TaskProgress | undefined {
  const typicalMs = typicalRuns.estimateMs(task);
  if (task.status !== 'running' || isQueued(task)) return undefined;
  const { progress: percent, maxPercent = 0 } = task;
  if (!percent) return estimateProgress(task, typicalMs);
  return { kind: 'reported', percent, ...(percent < maxPercent && { previousPercent: maxPercent }) };
}

/** A task that was created elsewhere has no estimate, because its start is unknown. */
function estimateProgress(
  { route, acceptedAt }: Task,
  typicalMs: number | undefined,
): TaskProgress | undefined {
  if (route === undefined || acceptedAt === undefined || typicalMs === undefined) return undefined;
  return { kind: 'estimated', startedAt: acceptedAt, typicalMs };
}

/** A missing estimate is measured again after this time, in milliseconds. */
const missingEstimateMs = 10_000;

/**
 * Estimates how long tasks of a model usually run, from the user's tasks that had ended before a task began, or
 * from the first task that ended later. The estimate of a task never changes and is the same in every window.
 */
export class TypicalRuns {
  readonly #measure: (model: string, startedAt: number) => number | undefined;
  /** Estimates by task key. */
  readonly #estimates = new Map<string, { readonly ms: number | undefined; readonly readAt: number }>();

  /** @param measure reads the ledger; its result is cached */
  constructor(measure: (model: string, startedAt: number) => number | undefined) {
    this.#measure = measure;
  }

  /** Returns the estimate of a running task in milliseconds. Forgets the estimate of a task that does not run. */
  estimateMs({ key, status, model, acceptedAt }: Task): number | undefined {
    if (status !== 'running' || model === undefined || acceptedAt === undefined) {
      this.#estimates.delete(key);
      return undefined;
    }
    const cached = this.#estimates.get(key);
    if (cached && (cached.ms !== undefined || Date.now() - cached.readAt < missingEstimateMs))
      return cached.ms;
    const ms = this.#measure(model, acceptedAt);
    this.#estimates.set(key, { ms, readAt: Date.now() });
    return ms;
  }
}
