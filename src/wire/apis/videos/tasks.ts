import {
  idAtTop,
  promptText,
  type ServedTask,
  type TaskRecordFormat,
  type TaskStatus,
  wholeSeconds,
} from '../taskRecord/taskRecordFormat.ts';

/** Video jobs as tasks of the local gateway. */
export const videoJobs: TaskRecordFormat = {
  ...idAtTop,
  type: 'video',
  label: 'video',
  continuesRecordField: 'remixed_from_video_id',
  promptIn: ({ prompt }) => promptText(prompt),
  hasContentRoute: true,
  write: videoOf,
};

const statusWords: Record<TaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  unknown: 'failed',
};

/** A task as a video job. Another route returns the bytes of the video. */
export function videoOf(task: ServedTask): object {
  const { status, progress, prompt, finishedAt, expiresAt, failure, results } = task;
  const [first] = results;
  const cancelled = status === 'cancelled' ? { code: 'cancelled', message: 'It was cancelled.' } : null;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: statusWords[status],
    progress,
    created_at: wholeSeconds(task.createdAt),
    completed_at: status === 'completed' && finishedAt !== undefined ? wholeSeconds(finishedAt) : null,
    expires_at: expiresAt === undefined ? null : wholeSeconds(expiresAt),
    prompt,
    ...(first?.width !== undefined && { size: `${first.width}x${first.height}` }),
    ...(first?.seconds !== undefined && { seconds: String(first.seconds) }),
    remixed_from_video_id: null,
    error: failure ? { code: failure.code, message: failure.message } : cancelled,
  };
}
