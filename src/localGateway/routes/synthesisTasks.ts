import { HttpError } from '../httpError.ts';
import { providerRoutes } from '../providerRoutes.ts';
import type { ServedRoute } from '../server/handler.ts';
import { type SynthesisOutput, synthesisOutput, synthesisUsage } from '../tasks/synthesisRecord.ts';
import type { VideoService } from './makeVideo.ts';
import { addressOf, hasOwnRecord, ownForm } from './taskForm.ts';
import { cancelTask, freshTask, taskId } from './tasks.ts';

/** Serves all tasks in the format of native video synthesis, whichever route made them. */
export function synthesisTaskRoutes(service: VideoService): readonly ServedRoute[] {
  const { readSynthesis, cancelSynthesis } = providerRoutes;
  return [
    {
      route: readSynthesis,
      async answer(request) {
        const task_id = taskId(request);
        // The provider has no 404 for tasks: an unknown one has the state UNKNOWN.
        const unknown: SynthesisOutput = { task_id, task_status: 'UNKNOWN' };
        const known = service.tasks.open().get(task_id);
        if (!known || !request.access.mayUse(known.owner))
          return { json: { request_id: request.id, output: unknown } };
        const { task, headers } = await freshTask(service, request);
        if (hasOwnRecord(task, 'videoSynthesis'))
          return { json: await ownForm(service, task, request), headers };
        const output = synthesisOutput(task, addressOf(request));
        const usage = synthesisUsage(task);
        return { json: { request_id: request.id, output, ...(usage && { usage }) }, headers };
      },
    },
    {
      route: cancelSynthesis,
      async answer(request) {
        const { wasRunning } = await cancelTask(service, request);
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
