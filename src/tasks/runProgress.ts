import type { TaskProgress } from '../base/taskProgress.ts';
import { isQueuedStatus } from '../wire/apis/taskRecord/statusWords.ts';
import type { Task } from './record/task.ts';
import type { TypicalRuns } from './typicalRuns.ts';

/** Whether a running task has not begun at the gateway. */
export function isQueued({ status, rawStatus = '' }: Pick<Task, 'status' | 'rawStatus'>): boolean {
  return status === 'running' && isQueuedStatus(rawStatus);
}

/**
 * How far a running task is: what the gateway tells, else an estimate by the user's earlier tasks. Undefined while
 * neither is known, and in the queue, where a percentage means nothing. Many gateways always tell 0, which means
 * nothing either.
 */
export function runProgress(task: Task, typicalRuns: TypicalRuns): TaskProgress | undefined {
  const typicalMs = typicalRuns.of(task);
  if (task.status !== 'running' || isQueued(task)) return undefined;
  return task.progress ? told(task.progress, task.mostProgress) : estimate(task, typicalMs);
}

function told(percent: number, most = percent): TaskProgress {
  return { kind: 'told', percent, ...(percent < most && { backFrom: most }) };
}

/** Nobody here knows when a task began that was made elsewhere. */
function estimate({ route, acceptedAt }: Task, typicalMs: number | undefined): TaskProgress | undefined {
  if (route === undefined || acceptedAt === undefined || typicalMs === undefined) return undefined;
  return { kind: 'estimated', startedAt: acceptedAt, typicalMs };
}
