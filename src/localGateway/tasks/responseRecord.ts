import type { TaskStatus } from './taskIdentity.ts';
import type { StoredTask } from './taskState.ts';
import { viewOf } from './taskView.ts';

const statusWords: Record<TaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'failed',
};

/** A background response of which its upstream has told nothing, or nothing any more. */
export function responseOf(task: StoredTask): object {
  const { status, failure } = viewOf(task, Date.now());
  return {
    id: task.id,
    object: 'response',
    created_at: Math.floor(task.createdAt / 1000),
    status: statusWords[status],
    background: true,
    error: failure ? { code: failure.code, message: failure.message } : null,
    incomplete_details: null,
    model: task.model,
    output: [],
  };
}
