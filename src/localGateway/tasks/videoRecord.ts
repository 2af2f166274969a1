import type { TaskStatus } from './taskIdentity.ts';
import type { StoredTask } from './taskState.ts';
import { viewOf } from './taskView.ts';

const statusWords: Record<TaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  unknown: 'failed',
};

/** A task in the format of video jobs. Its bytes are read apart from it. */
export function videoOf(task: StoredTask): object {
  const { status, progress, prompt, finishedAt, expiresAt, failure, results } = viewOf(task, Date.now());
  const [first] = results;
  const cancelled = status === 'cancelled' ? { code: 'cancelled', message: 'It was cancelled.' } : null;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: statusWords[status],
    progress,
    created_at: seconds(task.createdAt),
    completed_at: status === 'completed' && finishedAt !== undefined ? seconds(finishedAt) : null,
    expires_at: expiresAt === undefined ? null : seconds(expiresAt),
    prompt,
    ...(first?.width !== undefined && { size: `${first.width}x${first.height}` }),
    ...(first?.seconds !== undefined && { seconds: String(first.seconds) }),
    remixed_from_video_id: null,
    error: failure ? { code: failure.code, message: failure.message } : cancelled,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
