import { randomBytes } from 'node:crypto';
import type { VideoPlan } from '../upstreams/upstream.ts';
import type { RemoteTask } from './remoteTask.ts';
import type { TaskIdentity, TaskStatus } from './taskIdentity.ts';

/** What a task is created from. */
export interface TaskRequest {
  readonly upstream: string;
  /** The model id as the caller wrote it. */
  readonly model: string;
  /** X-Request-Id of the request that created it. */
  readonly requestId: string;
  /** The name of the credential that made it; absent for the user's own. */
  readonly owner?: string;
  readonly plan: VideoPlan;
}

/** A task as it is stored. */
export type StoredTask = PlannedTask | RemoteTask;

/** A task that the clock makes, by its plan. */
export interface PlannedTask extends TaskIdentity {
  readonly plan: VideoPlan;
  readonly startsAt: number;
  /** When it completes or fails unless it is cancelled; null for never. */
  readonly endsAt: number | null;
  readonly cancelledAt: number | null;
}

/** The state of a task at one moment. */
export interface TaskState {
  readonly status: TaskStatus;
  /** Percent. */
  readonly progress: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** When its results expire, once there are any. */
  readonly expiresAt?: number;
}

/** An id that nobody can guess: letters, digits, `_` and `-`. */
export function newTaskId(): string {
  return `task_${randomBytes(16).toString('base64url')}`;
}

export function isRemote(task: StoredTask): task is RemoteTask {
  return 'told' in task;
}

/**
 * A task that begins now and is not stored yet.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function newTask({ upstream, model, requestId, owner, plan }: TaskRequest, now: number): PlannedTask {
  const { queueMs, runMs, ends, failure } = plan;
  const startsAt = now + queueMs;
  const share = failure ? failure.progress / 100 : 1;
  return {
    id: newTaskId(),
    upstream,
    model,
    requestId,
    ...(owner !== undefined && { owner }),
    plan,
    createdAt: now,
    startsAt,
    endsAt: ends ? startsAt + Math.round(runMs * share) : null,
    cancelledAt: null,
  };
}

/**
 * The state of a task: what its upstream told last, or what the plan and the clock say. So nothing is lost when
 * the gateway ends, and all gateways that share the file agree.
 *
 * @param now wall clock in milliseconds since 1970
 */
export function stateOf(task: StoredTask, now: number): TaskState {
  return isRemote(task) ? toldState(task) : plannedState(task, now);
}

function toldState({ status, finishedAt, told: { progress, startedAt } }: RemoteTask): TaskState {
  return {
    status,
    progress: status === 'completed' ? 100 : progress,
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

function plannedState(task: PlannedTask, now: number): TaskState {
  const { plan, startsAt, endsAt, cancelledAt } = task;
  const startedAt = startsAt <= (cancelledAt ?? now) ? { startedAt: startsAt } : {};
  if (cancelledAt !== null) {
    return {
      status: 'cancelled',
      progress: progressOf(task, cancelledAt),
      ...startedAt,
      finishedAt: cancelledAt,
    };
  }
  if (endsAt === null || now < endsAt)
    return { status: now < startsAt ? 'queued' : 'running', progress: progressOf(task, now), ...startedAt };
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

/** Grows evenly; 100 only for a completed task. */
function progressOf({ plan, startsAt }: PlannedTask, now: number): number {
  const share = (now - startsAt) / Math.max(1, plan.runMs);
  return Math.max(0, Math.min(99, Math.floor(100 * share)));
}
