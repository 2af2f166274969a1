import { storedResponsesRoutes } from '../../wire/apis/responses/format.ts';
import { invalidRequest } from '../http/httpError.ts';
import { modelField } from '../http/requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import { responseOf } from '../tasks/responseRecord.ts';
import { listsNoInput } from '../tasks/taskFailures.ts';
import { isRemote, type StoredTask } from '../tasks/taskState.ts';
import { goingOn } from './earlierTask.ts';
import { makeTask } from './makeTask.ts';
import type { VideoService } from './makeVideo.ts';
import { addressOf, hasOwnRecord, ownForm } from './taskForm.ts';
import { cancelTask, findTask, freshTask, removeTask } from './tasks.ts';
import type { RouteExtras } from './textRoute.ts';

/** Responses in the background are tasks. */
export function responseExtras(service: VideoService): RouteExtras {
  return {
    modelOf: modelField,
    isBound: (body) =>
      body.field('background') === true || (body.field('previous_response_id') ?? undefined) !== undefined,
    bodyFor({ place, body }, request) {
      const { name: upstream } = place.upstream;
      return goingOn(service, { format: 'responses', body, upstream }, request).body;
    },
    answer({ model, place, body }, request) {
      if (body.field('background') !== true || !place.upstream.tasks.responses) return undefined;
      return makeTask(service, { format: 'responses', model, place, body }, request);
    },
  };
}

/** Serves background responses, by this gateway's ids of them. */
export function storedResponseRoutes(service: VideoService): readonly ServedRoute[] {
  async function shown(
    { task, headers }: { readonly task: StoredTask; readonly headers?: Readonly<Record<string, string>> },
    request: GatewayRequest,
  ): Promise<Answer> {
    const json = hasOwnRecord(task, 'responses') ? await ownForm(service, task, request) : responseOf(task);
    return { json, ...(headers && { headers }) };
  }
  return [
    {
      route: storedResponsesRoutes.readResponse,
      async answer(request) {
        const events = request.query.stream === 'true' ? await eventsOf(service, request) : undefined;
        return events ?? shown(await freshTask(service, request), request);
      },
    },
    {
      route: storedResponsesRoutes.cancelResponse,
      answer: async (request) => shown(await cancelTask(service, request), request),
    },
    { route: providerRoutes.listInputItems, answer: (request) => inputItemsOf(service, request) },
    {
      route: providerRoutes.deleteResponse,
      async answer(request) {
        const { id } = await removeTask(service, request);
        return { json: { id, object: 'response', deleted: true } };
      },
    },
  ];
}

/** What a response was asked. Ids of items are the upstream's own. */
async function inputItemsOf(service: VideoService, request: GatewayRequest): Promise<Answer> {
  const task = findTask(service.tasks.open(), request);
  if (!isRemote(task)) throw listsNoInput(task.upstream);
  const { headers, id: requestId, signal, rawQuery: query } = request;
  return { relayed: await service.remote.inputItems(task, { headers, requestId, signal, query }) };
}

/** The events of a response from the one on that the query asks for; undefined where its upstream tells none. */
async function eventsOf(service: VideoService, request: GatewayRequest): Promise<Answer | undefined> {
  const task = findTask(service.tasks.open(), request);
  if (!isRemote(task) || task.format !== 'responses')
    throw invalidRequest('stream: this task is no response; leave it out.', 'unsupported_value', 'stream');
  const { headers, id: requestId, signal, rawQuery: query } = request;
  const events = await service.remote.events(task, { headers, requestId, signal, query }, addressOf(request));
  return events && { relayed: events };
}
