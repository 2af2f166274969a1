import { randomBytes } from 'node:crypto';
import type { TaskState } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import type { VideoPlan } from '../upstreams/upstream.ts';
import type { TaskIdentity, UpstreamTask } from './upstreamTask.ts';

export interface PlannedTaskDraft {
  readonly upstream: string;
  /** The model ID that the caller sent. */
  readonly model: string;
  /** X-Request-Id of the request that created it. */
  readonly requestId: string;
  /** The name of the credential that created it; absent for the user's own. */
  readonly owner?: string;
  readonly plan: VideoPlan;
}

export type StoredTask = PlannedTask | UpstreamTask;

/** A task of the demo. Its state follows from its plan and the clock. */
export interface PlannedTask extends TaskIdentity {
  readonly plan: VideoPlan;
  readonly startsAt: number;
  /** When it completes or fails unless it is cancelled; null if it never ends. */
  readonly endsAt: number | null;
  readonly cancelledAt: number | null;
}

/** Creates an unguessable ID of letters, digits, `_` and `-`. */
export function createTaskId(): string {
  return `task_${randomBytes(16).toString('base64url')}`;
}

export function isUpstreamTask(task: StoredTask): task is UpstreamTask {
  return 'report' in task;
}

/**
 * Creates a task that begins now, and does not store it.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function createPlannedTask(
  { upstream, model, requestId, owner, plan }: PlannedTaskDraft,
  now: number,
): PlannedTask {
  const { queueMs, runMs, hasEnd, failure } = plan;
  const startsAt = now + queueMs;
  const share = failure ? failure.progress / 100 : 1;
  return {
    id: createTaskId(),
    upstream,
    model,
    requestId,
    ...(owner !== undefined && { owner }),
    plan,
    createdAt: now,
    startsAt,
    endsAt: hasEnd ? startsAt + Math.round(runMs * share) : null,
    cancelledAt: null,
  };
}

/**
 * Reads the state of a task: the last state that its upstream reported, or the state that follows from the plan and
 * the clock. A planned state survives a restart, and is the same for all gateways that share the file.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function readTaskState(task: StoredTask, now: number): TaskState {
  return isUpstreamTask(task) ? readReportedState(task) : computePlannedState(task, now);
}

function readReportedState({ status, finishedAt, report: { progress, startedAt } }: UpstreamTask): TaskState {
  return {
    status,
    progress: status === 'completed' ? 100 : progress,
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

function computePlannedState(task: PlannedTask, now: number): TaskState {
  const { plan, startsAt, endsAt, cancelledAt } = task;
  const startedAt = startsAt <= (cancelledAt ?? now) ? { startedAt: startsAt } : {};
  if (cancelledAt !== null) {
    return {
      status: 'cancelled',
      progress: computeProgress(task, cancelledAt),
      ...startedAt,
      finishedAt: cancelledAt,
    };
  }
  if (endsAt === null || now < endsAt)
    return {
      status: now < startsAt ? 'queued' : 'running',
      progress: computeProgress(task, now),
      ...startedAt,
    };
  if (plan.failure)
    return { status: 'failed', progress: plan.failure.progress, ...startedAt, finishedAt: endsAt };
  const expiresAt = endsAt + plan.resultLifetimeMs;
  return {
    status: 'completed',
    progress: 100,
    ...startedAt,
    finishedAt: endsAt,
    ...(plan.results.length > 0 && { expiresAt }),
  };
}

/** Computes the progress in percent. It grows evenly, to 99 at most, because only completed tasks have 100. */
function computeProgress({ plan, startsAt }: PlannedTask, now: number): number {
  const share = (now - startsAt) / Math.max(1, plan.runMs);
  return Math.max(0, Math.min(99, Math.floor(100 * share)));
}
