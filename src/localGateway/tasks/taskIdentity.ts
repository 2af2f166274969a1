/**
 * The states of a task of this gateway. Completed, failed and cancelled are final. A task is unknown when its
 * upstream got the request and no answer came back: it may have been made.
 */
export const taskStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled', 'unknown'] as const;

export type TaskStatus = (typeof taskStatuses)[number];

/** What every stored task has. Times are in milliseconds since 1970. */
export interface TaskIdentity {
  readonly id: string;
  readonly upstream: string;
  /** The model id as the caller wrote it. */
  readonly model: string;
  /** X-Request-Id of the request that created it. */
  readonly requestId: string;
  readonly createdAt: number;
  /** The name of the credential that made it; absent for the user's own. */
  readonly owner?: string;
}
