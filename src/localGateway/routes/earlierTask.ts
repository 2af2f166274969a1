import { type HttpError, invalidRequest } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { GatewayRequest } from '../server/handler.ts';
import { taskForms } from '../tasks/taskForms.ts';
import { isRemote } from '../tasks/taskState.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';
import type { VideoService } from './makeVideo.ts';

/** A request that may go on from an earlier task. */
export interface GoingOn {
  readonly body: RequestBody;
  /** This gateway's id of the task; absent where it goes on from none. */
  readonly earlierId?: string;
}

/**
 * Puts the upstream's own id in place of the id of a task of this gateway from which a request goes on. Any
 * other id stays as it is: upstreams store what is made in the foreground without this gateway's help.
 *
 * @param upstream the name of the upstream that will get the request
 * @throws {HttpError} 400 for a task from which that upstream cannot go on
 */
export function goingOn(
  { tasks }: Pick<VideoService, 'tasks'>,
  {
    format,
    body,
    upstream,
  }: { readonly format: TaskFormat; readonly body: RequestBody; readonly upstream: string },
  { access }: Pick<GatewayRequest, 'access'>,
): GoingOn {
  const { earlierField: field, label } = taskForms[format];
  const id = field && body.field(field);
  if (field === undefined || typeof id !== 'string' || !id.startsWith('task_') || !tasks.exists())
    return { body };
  const task = tasks.open().get(id);
  // Whoever may not use it learns no more of it than that the upstream does not know this id.
  if (!task || !access.mayUse(task.owner)) return { body };
  if (!isRemote(task) || task.format !== format) throw unusable(field, `this task is no ${label}`);
  if (task.upstreamId === undefined) throw unusable(field, 'nobody knows whether this was made');
  if (task.upstream !== upstream)
    throw unusable(field, `this was made by upstream '${task.upstream}'; name a model of that upstream`);
  return { body: body.replaced(field, task.upstreamId), earlierId: id };
}

function unusable(field: string, problem: string): HttpError {
  return invalidRequest(`${field}: ${problem}.`, 'invalid_value', field);
}
