import { abortSignalOf } from '../../base/cancellation.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { invalidRequest } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import type { Answer, GatewayRequest } from '../server/handler.ts';
import { taskForms } from '../tasks/taskForms.ts';
import type { TaskFormat, UpstreamTasks } from '../upstreams/upstream.ts';
import { goingOn } from './earlierTask.ts';
import type { VideoService } from './makeVideo.ts';
import { requestIdentity, reusedKey } from './requestIdentity.ts';
import { addressOf, ownForm } from './taskForm.ts';

/** A request for work that goes on after its answer, at an upstream. */
export interface TaskRequestAt {
  readonly format: TaskFormat;
  readonly body: RequestBody;
  /** The model id as the caller wrote it. */
  readonly model: string;
  readonly place: ModelPlace;
  /** The prompt; read from the body where absent. */
  readonly prompt?: string;
  /** The task from which it is made, with the way to ask for that; absent where it is made anew. */
  readonly from?: { readonly id: string; readonly ask: UpstreamTasks['create'] };
}

/**
 * Makes a task at an upstream and answers in its format, with this gateway's id of the task. The upstream's
 * refusal is passed on as it came.
 *
 * @throws {HttpError} when nothing was made, and when nobody knows whether something was
 */
export async function makeTask(
  service: VideoService,
  { format, body, model: servedModel, place: { upstream, model }, prompt, from }: TaskRequestAt,
  request: GatewayRequest,
): Promise<Answer> {
  const tasks = upstream.tasks[format];
  if (!tasks) throw makesNone(upstream.name, servedModel, format);
  const isStreamed = body.field('stream') === true;
  if (isStreamed && !taskForms[format].streamsWhenMade)
    throw invalidRequest(
      'stream: this is not streamed while it is made in the background; leave it out and read the task.',
      'unsupported_value',
      'stream',
    );
  const identity = requestIdentity(format, request, from?.id);
  const asked = {
    ...{ upstream, ask: from?.ask ?? tasks.create, format, servedModel, model },
    ...(from
      ? { body, earlierId: from.id }
      : goingOn(service, { format, body, upstream: upstream.name }, request)),
  };
  const { headers, id: requestId, signal } = request;
  const made = await service.remote.create({
    ...asked,
    headers,
    requestId,
    left: abortSignalOf(signal),
    identity,
    prompt: prompt ?? promptIn(format, body),
  });
  if ('reply' in made) return { relayed: made.reply };
  if (!('task' in made)) throw reusedKey();
  if (isStreamed && made.repeats) {
    const caller = { headers, requestId, signal, query: 'stream=true' };
    const events = await service.remote.events(made.task, caller, addressOf(request));
    if (events) return { relayed: events };
  }
  return { json: await ownForm(service, made.task, request), headers: made.headers };
}

function promptIn(format: TaskFormat, { bytes }: RequestBody): string {
  const value = parseJson(Buffer.from(bytes).toString());
  return isObject(value) ? taskForms[format].promptIn(value) : '';
}

function makesNone(upstream: string, model: string, format: TaskFormat) {
  const message = `The model "${model.slice(0, 100)}" comes from upstream '${upstream}', which makes no ${taskForms[format].label} by this route.`;
  return invalidRequest(message, 'unsupported_model', 'model');
}
