import { storedResponsesRoutes } from '../../wire/apis/responses/format.ts';
import { responseTasks } from '../../wire/apis/responses/tasks.ts';
import { unsupportedError } from '../http/httpError.ts';
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
  hasUpstreamRecord,
  readGatewayAddress,
  refreshTask,
  removeTask,
  requireTask,
  writeOwnRecord,
} from './tasks.ts';
import type { RouteExtras } from './textRoute.ts';

/** Handles responses in the background, which become tasks. */
export function createResponseExtras(services: TaskRouteServices): RouteExtras {
  return {
    readModel: readModelField,
    needsOneUpstream: (body) =>
      body.readField('background') === true ||
      (body.readField('previous_response_id') ?? undefined) !== undefined,
    resolveContinuation({ target, body }, request) {
      const { name: upstream } = target.upstream;
      return resolveEarlierTask(services, { format: 'responses', body, upstream }, request);
    },
    handleNonText({ model, target, body }, request) {
      if (body.readField('background') !== true || !target.upstream.tasks.responses) return undefined;
      return makeTask(services, { format: 'responses', model, target, body }, request);
    },
  };
}

/** Serves background responses by this gateway's IDs. */
export function createStoredResponseRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  async function writeResponse(
    { task, headers }: { readonly task: StoredTask; readonly headers?: Readonly<Record<string, string>> },
    request: GatewayRequest,
  ): Promise<HandlerResponse> {
    const json = hasUpstreamRecord(task, 'responses')
      ? await writeOwnRecord(services, task, request)
      : responseTasks.write(createServedTask(task, Date.now()));
    return { json, ...(headers && { headers }) };
  }
  return [
    {
      route: storedResponsesRoutes.readResponse,
      async handle(request) {
        const events = request.query.stream === 'true' ? await streamEvents(services, request) : undefined;
        return events ?? writeResponse(await refreshTask(services, request), request);
      },
    },
    {
      route: storedResponsesRoutes.cancelResponse,
      handle: async (request) => writeResponse(await cancelServedTask(services, request), request),
    },
    { route: providerRoutes.listInputItems, handle: (request) => listInputItems(services, request) },
    {
      route: providerRoutes.deleteResponse,
      async handle(request) {
        const { id } = await removeTask(services, request);
        return { json: { id, object: 'response', deleted: true } };
      },
    },
  ];
}

/** Lists the input of a response. The IDs of items are the upstream's own. */
async function listInputItems(
  services: TaskRouteServices,
  request: GatewayRequest,
): Promise<HandlerResponse> {
  const task = requireTask(services.tasks.open(), request);
  if (!isUpstreamTask(task)) throw inputNotListedError(task.upstream);
  const { headers, id: requestId, signal, rawQuery: query } = request;
  return {
    relayed: await services.upstreamTasks.listInputItems(task, { headers, requestId, signal, query }),
  };
}

/**
 * Streams the events of a response, from the event in the query on; undefined if its upstream does not support events.
 */
async function streamEvents(
  services: TaskRouteServices,
  request: GatewayRequest,
): Promise<HandlerResponse | undefined> {
  const task = requireTask(services.tasks.open(), request);
  if (!isUpstreamTask(task) || task.format !== 'responses')
    throw unsupportedError('stream', 'this task is not a response; leave it out');
  const { headers, id: requestId, signal, rawQuery: query } = request;
  const events = await services.upstreamTasks.streamEvents(
    task,
    { headers, requestId, signal, query },
    readGatewayAddress(request),
  );
  return events && { relayed: events };
}
