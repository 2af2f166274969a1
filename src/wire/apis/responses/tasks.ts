import {
  idAtTop,
  promptText,
  type ServedTask,
  type TaskRecordFormat,
  type TaskStatus,
  wholeSeconds,
} from '../taskRecord/taskRecordFormat.ts';

/** Responses in the background as tasks of the local gateway. */
export const responseTasks: TaskRecordFormat = {
  ...idAtTop,
  type: 'response',
  label: 'background response',
  continuesRequestField: 'previous_response_id',
  eventMember: 'response',
  streamsOnCreate: true,
  promptIn: ({ input }) => promptText(input),
  hasContentRoute: false,
  write: responseOf,
};

const statusWords: Record<TaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'failed',
};

/** A background response without output, for a task without an upstream record. */
export function responseOf({ id, model, createdAt, status, failure }: ServedTask): object {
  return {
    id,
    object: 'response',
    created_at: wholeSeconds(createdAt),
    status: statusWords[status],
    background: true,
    error: failure ? { code: failure.code, message: failure.message } : null,
    incomplete_details: null,
    model,
    output: [],
  };
}
