import { toUnixSeconds } from '../shared/messageParts.ts';
import {
  idAtTop,
  readPromptText,
  type ServedTask,
  type ServedTaskStatus,
  type TaskRecordFormat,
} from '../taskRecord/taskRecordFormat.ts';

/** Video jobs as tasks of the local gateway. */
export const videoJobs = {
  ...idAtTop,
  type: 'video',
  label: 'video',
  continuesRecordField: 'remixed_from_video_id',
  readPrompt: ({ prompt }) => readPromptText(prompt),
  hasContentRoute: true,
  write: writeVideo,
} satisfies TaskRecordFormat;

const statusWords: Record<ServedTaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  unknown: 'failed',
};

/** A task as a video job. Another route returns the bytes of the video. */
function writeVideo(task: ServedTask): object {
  const { status, progress, prompt, finishedAt, expiresAt, failure, results } = task;
  const [first] = results;
  const cancelled = status === 'cancelled' ? { code: 'cancelled', message: 'It was cancelled.' } : null;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: statusWords[status],
    progress,
    created_at: toUnixSeconds(task.createdAt),
    completed_at: status === 'completed' && finishedAt !== undefined ? toUnixSeconds(finishedAt) : null,
    expires_at: expiresAt === undefined ? null : toUnixSeconds(expiresAt),
    prompt,
    ...(first?.width !== undefined && { size: `${first.width}x${first.height}` }),
    ...(first?.seconds !== undefined && { seconds: String(first.seconds) }),
    remixed_from_video_id: null,
    error: failure ? { code: failure.code, message: failure.message } : cancelled,
  };
}
