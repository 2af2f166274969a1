import type { FastifyInstance } from 'fastify';
import { HttpError } from '../httpError.ts';
import { providerRoutes } from '../providerRoutes.ts';
import { routerPath } from '../server/routePath.ts';
import { type SynthesisOutput, synthesisOutput, synthesisUsage } from '../synthesisRecord.ts';
import type { TaskFile } from '../taskFile.ts';
import { cancelled, type TaskRoute } from './tasks.ts';
import { addressOf } from './videoInteraction.ts';

/** Serves all tasks in the format of native video synthesis, whichever route made them. */
export function serveSynthesisTasks(app: FastifyInstance, tasks: TaskFile): void {
  const { readSynthesis, cancelSynthesis } = providerRoutes;
  const config = { group: readSynthesis.group };

  app.get<TaskRoute>(routerPath(readSynthesis.path), { config }, async (request) => {
    const { task_id } = request.params;
    const task = tasks.open().get(task_id);
    // The provider has no 404 for tasks: an unknown one has the state UNKNOWN.
    const unknown: SynthesisOutput = { task_id, task_status: 'UNKNOWN' };
    const output = task ? synthesisOutput(task, addressOf(request)) : unknown;
    const usage = task && synthesisUsage(task);
    return { request_id: request.id, output, ...(usage && { usage }) };
  });

  app.post<TaskRoute>(routerPath(cancelSynthesis.path), { config }, async (request) => {
    const { wasRunning } = cancelled(tasks.open(), request.params.task_id);
    if (!wasRunning) throw hasEnded();
    return { request_id: request.id };
  });
}

function hasEnded(): HttpError {
  return new HttpError({
    status: 400,
    message: 'This task has ended; there is nothing to cancel.',
    type: 'invalid_request_error',
    code: 'task_not_cancellable',
  });
}
