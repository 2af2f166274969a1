import { toUnixSeconds } from '../shared/messageParts.ts';
import {
  idAtTop,
  readPromptText,
  type ServedTask,
  type ServedTaskStatus,
  type TaskRecordFormat,
} from '../taskRecord/taskRecordFormat.ts';

/** Responses in the background as tasks of the local gateway. */
export const responseTasks = {
  ...idAtTop,
  type: 'response',
  label: 'background response',
  continuesRequestField: 'previous_response_id',
  eventMember: 'response',
  streamsOnCreate: true,
  readPrompt: ({ input }) => readPromptText(input),
  hasContentRoute: false,
  write: writeResponse,
} satisfies TaskRecordFormat;

const statusWords: Record<ServedTaskStatus, string> = {
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'failed',
};

/** A background response without output, for a task without an upstream record. */
function writeResponse({ id, model, createdAt, status, failure }: ServedTask): object {
  return {
    id,
    object: 'response',
    created_at: toUnixSeconds(createdAt),
    status: statusWords[status],
    background: true,
    error: failure ? { code: failure.code, message: failure.message } : null,
    incomplete_details: null,
    model,
    output: [],
  };
}
