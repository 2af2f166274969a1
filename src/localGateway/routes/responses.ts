import { storedResponsesRoutes } from '../../wire/apis/responses/format.ts';
import { responseTasks } from '../../wire/apis/responses/tasks.ts';
import { invalidRequestError } from '../http/httpError.ts';
import { readModelField } from '../http/requestBody.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import { createServedTask } from '../tasks/servedTask.ts';
import { inputNotListedError } from '../tasks/taskFailures.ts';
import { isUpstreamTask, type StoredTask } from '../tasks/taskState.ts';
import { makeTask, resolveEarlierTask } from './makeTask.ts';
import type { TaskRouteServices } from './makeVideo.ts';
import {
  cancelServedTask,
  freshTask,
  gatewayAddress,
  hasUpstreamRecord,
  recordInOwnFormat,
  removeTask,
  requireTask,
} from './tasks.ts';
import type { RouteExtras } from './textRoute.ts';

/** Responses in the background are tasks. */
export function responseExtras(service: TaskRouteServices): RouteExtras {
  return {
    modelOf: readModelField,
    needsOneUpstream: (body) =>
      body.readField('background') === true ||
      (body.readField('previous_response_id') ?? undefined) !== undefined,
    continuedFrom({ target, body }, request) {
      const { name: upstream } = target.upstream;
      return resolveEarlierTask(service, { format: 'responses', body, upstream }, request);
    },
    handleNonText({ model, target, body }, request) {
      if (body.readField('background') !== true || !target.upstream.tasks.responses) return undefined;
      return makeTask(service, { format: 'responses', model, target, body }, request);
    },
  };
}

/** Serves background responses by this gateway's IDs. */
export function storedResponseRoutes(service: TaskRouteServices): readonly ServedRoute[] {
  async function responseOf(
    { task, headers }: { readonly task: StoredTask; readonly headers?: Readonly<Record<string, string>> },
    request: GatewayRequest,
  ): Promise<HandlerResponse> {
    const json = hasUpstreamRecord(task, 'responses')
      ? await recordInOwnFormat(service, task, request)
      : responseTasks.write(createServedTask(task, Date.now()));
    return { json, ...(headers && { headers }) };
  }
  return [
    {
      route: storedResponsesRoutes.readResponse,
      async handle(request) {
        const events = request.query.stream === 'true' ? await eventsOf(service, request) : undefined;
        return events ?? responseOf(await freshTask(service, request), request);
      },
    },
    {
      route: storedResponsesRoutes.cancelResponse,
      handle: async (request) => responseOf(await cancelServedTask(service, request), request),
    },
    { route: providerRoutes.listInputItems, handle: (request) => inputItemsOf(service, request) },
    {
      route: providerRoutes.deleteResponse,
      async handle(request) {
        const { id } = await removeTask(service, request);
        return { json: { id, object: 'response', deleted: true } };
      },
    },
  ];
}

/** The input of a response. IDs of items are the upstream's own. */
async function inputItemsOf(service: TaskRouteServices, request: GatewayRequest): Promise<HandlerResponse> {
  const task = requireTask(service.tasks.open(), request);
  if (!isUpstreamTask(task)) throw inputNotListedError(task.upstream);
  const { headers, id: requestId, signal, rawQuery: query } = request;
  return { relayed: await service.remote.listInputItems(task, { headers, requestId, signal, query }) };
}

/**
 * The events of a response, starting at the event in the query; undefined if its upstream does not support events.
 */
async function eventsOf(
  service: TaskRouteServices,
  request: GatewayRequest,
): Promise<HandlerResponse | undefined> {
  const task = requireTask(service.tasks.open(), request);
  if (!isUpstreamTask(task) || task.format !== 'responses')
    throw invalidRequestError(
      'stream: this task is not a response; leave it out.',
      'unsupported_value',
      'stream',
    );
  const { headers, id: requestId, signal, rawQuery: query } = request;
  const events = await service.remote.streamEvents(
    task,
    { headers, requestId, signal, query },
    gatewayAddress(request),
  );
  return events && { relayed: events };
}
