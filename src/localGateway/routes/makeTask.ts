import { toAbortSignal } from '../../base/cancellation.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { type TaskFormat, taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { type HttpError, invalidRequestError, unsupportedError } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import type { GatewayRequest, HandlerResponse } from '../server/routeHandler.ts';
import { isUpstreamTask } from '../tasks/taskState.ts';
import type { UpstreamTask } from '../tasks/upstreamTask.ts';
import type { UpstreamTaskApi } from '../upstreams/upstream.ts';
import type { TaskRouteServices } from './makeVideo.ts';
import { createRequestIdentity, reusedKeyError } from './requestIdentity.ts';
import { readGatewayAddress, writeOwnRecord } from './tasks.ts';

/** A request that creates a task at an upstream. */
interface TaskRequest {
  readonly format: TaskFormat;
  readonly body: RequestBody;
  /** The model ID that the caller sent. */
  readonly model: string;
  readonly target: ModelTarget;
  /** The prompt; read from the body if absent. */
  readonly prompt?: string;
  /** The earlier task from which a new one is made, and the function that sends the request. */
  readonly earlier?: Pick<UpstreamTask, 'id' | 'keyName'> & { readonly send: UpstreamTaskApi['create'] };
}

/**
 * Creates a task at an upstream and replies in its format, with this gateway's ID of the task. The upstream's
 * refusal is passed on unchanged.
 *
 * @throws {HttpError} if nothing was made, and if it is unknown whether something was made
 */
export async function makeTask(
  services: TaskRouteServices,
  { format, body, model: servedModel, target: { upstream, model }, prompt, earlier }: TaskRequest,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  const tasks = upstream.tasks[format];
  if (!tasks) throw noTasksError(upstream.name, servedModel, format);
  const isStreamed = body.readField('stream') === true;
  if (isStreamed && !taskRecordFormats[format].streamsOnCreate)
    throw unsupportedError(
      'stream',
      'a background task cannot be streamed on this route; leave it out and read the task',
    );
  const identity = createRequestIdentity(format, request, earlier?.id);
  const order = {
    upstream,
    send: earlier?.send ?? tasks.create,
    format,
    servedModel,
    model,
    ...(earlier
      ? { body, earlierId: earlier.id, keyName: earlier.keyName }
      : resolveEarlierTask(services, { format, body, upstream: upstream.name }, request)),
  };
  const { headers, id: requestId, signal, spending } = request;
  const outcome = await services.upstreamTasks.creator.create({
    ...order,
    headers,
    requestId,
    callerSignal: toAbortSignal(signal),
    spending,
    noteKey: (used) => {
      request.notes.key = used;
    },
    identity,
    prompt: prompt ?? readPrompt(format, body),
  });
  if ('reply' in outcome) return { relayed: outcome.reply };
  if (!('task' in outcome)) throw reusedKeyError();
  if (isStreamed && outcome.repeats) {
    const caller = { headers, requestId, signal, query: 'stream=true' };
    const events = await services.upstreamTasks.streamEvents(
      outcome.task,
      caller,
      readGatewayAddress(request),
    );
    if (events) return { relayed: events };
  }
  return { json: await writeOwnRecord(services, outcome.task, request), headers: outcome.headers };
}

function readPrompt(format: TaskFormat, { bytes }: RequestBody): string {
  const value = parseJson(Buffer.from(bytes).toString());
  return isObject(value) ? taskRecordFormats[format].readPrompt(value) : '';
}

function noTasksError(upstream: string, model: string, format: TaskFormat) {
  const message = `The model "${model.slice(0, 100)}" comes from upstream '${upstream}', which does not make ${taskRecordFormats[format].label}s on this route.`;
  return invalidRequestError(message, 'unsupported_model', 'model');
}

/** A request that may continue an earlier task. */
interface ContinuedRequest {
  readonly body: RequestBody;
  /** This gateway's ID of the earlier task, if there is one. */
  readonly earlierId?: string;
  /** The name of the key that made the earlier task, because other accounts do not have this task. */
  readonly keyName?: string | undefined;
}

/**
 * Replaces this gateway's ID of the task that a request continues by the upstream's own ID. Other IDs are
 * unchanged, because the upstream itself assigned them.
 *
 * @param upstream the name of the upstream that will receive the request
 * @throws {HttpError} 400 for a task that this upstream cannot continue
 */
export function resolveEarlierTask(
  { tasks }: Pick<TaskRouteServices, 'tasks'>,
  {
    format,
    body,
    upstream,
  }: { readonly format: TaskFormat; readonly body: RequestBody; readonly upstream: string },
  { access }: Pick<GatewayRequest, 'access'>,
): ContinuedRequest {
  const { continuesRequestField: field, label } = taskRecordFormats[format];
  const id = field && body.readField(field);
  if (field === undefined || typeof id !== 'string' || !id.startsWith('task_') || !tasks.exists())
    return { body };
  const task = tasks.open().get(id);
  // Without access to the task, the ID is not replaced, so the upstream reports it as unknown.
  if (!task || !access.mayUseTasksOf(task.owner)) return { body };
  if (!isUpstreamTask(task) || task.format !== format)
    throw unusableTaskError(field, `this task is not of the kind ${label}`);
  if (task.upstreamId === undefined) throw unusableTaskError(field, 'it is not known whether this was made');
  if (task.upstream !== upstream)
    throw unusableTaskError(
      field,
      `this was made by upstream '${task.upstream}'; name a model of that upstream`,
    );
  return { body: body.replaceField(field, task.upstreamId), earlierId: id, keyName: task.keyName };
}

function unusableTaskError(field: string, problem: string): HttpError {
  return invalidRequestError(`${field}: ${problem}.`, 'invalid_value', field);
}
