import { HttpError } from '../httpError.ts';
import { providerRoutes } from '../providerRoutes.ts';
import type { ServedRoute } from '../server/handler.ts';
import { type SynthesisOutput, synthesisOutput, synthesisUsage } from '../tasks/synthesisRecord.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { cancelled, taskId } from './tasks.ts';
import { addressOf } from './videoInteraction.ts';

/** Serves all tasks in the format of native video synthesis, whichever route made them. */
export function synthesisTaskRoutes(tasks: TaskFile): readonly ServedRoute[] {
  const { readSynthesis, cancelSynthesis } = providerRoutes;
  return [
    {
      route: readSynthesis,
      answer(request) {
        const task_id = taskId(request);
        const task = tasks.open().get(task_id);
        // The provider has no 404 for tasks: an unknown one has the state UNKNOWN.
        const unknown: SynthesisOutput = { task_id, task_status: 'UNKNOWN' };
        const output = task ? synthesisOutput(task, addressOf(request)) : unknown;
        const usage = task && synthesisUsage(task);
        return { json: { request_id: request.id, output, ...(usage && { usage }) } };
      },
    },
    {
      route: cancelSynthesis,
      answer(request) {
        const { wasRunning } = cancelled(tasks.open(), taskId(request));
        if (!wasRunning) throw hasEnded();
        return { json: { request_id: request.id } };
      },
    },
  ];
}

function hasEnded(): HttpError {
  return new HttpError({
    status: 400,
    message: 'This task has ended; there is nothing to cancel.',
    type: 'invalid_request_error',
    code: 'task_not_cancellable',
  });
}
