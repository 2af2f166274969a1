import type { TaskRefusal, VideoTaskRecordFormat } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { type VideoFormat, videoTaskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { type VideoRequest, videoRoute } from '../../wire/apis/videoRoutes.ts';
import { type HeaderNames, headerPresets } from '../../wire/headerNames.ts';
import { HttpError } from '../http/httpError.ts';
import { readBody, readModelField, readRequestBody } from '../http/requestBody.ts';
import { limitCatalogue } from '../server/allowedModels.ts';
import type { GatewayRequest, ServedRoute } from '../server/routeHandler.ts';
import { createServedTask } from '../tasks/servedTask.ts';
import type { StoredTask } from '../tasks/taskState.ts';
import { makeTask } from './makeTask.ts';
import { makeConvertedVideo, makeVideo, type TaskRouteServices } from './makeVideo.ts';
import {
  cancelServedTask,
  hasUpstreamRecord,
  readGatewayAddress,
  readTaskParameter,
  refreshTask,
  writeOwnRecord,
} from './tasks.ts';

/** Serves the routes for videos only, and all tasks in their formats, regardless of the route that created them. */
export function createVideoFormatRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  return Object.entries(videoTaskRecordFormats).flatMap(([id, form]) => {
    const format = id as VideoFormat;
    return [
      defineCreateRoute(services, format, form),
      defineReadRoute(services, format, form),
      defineCancelRoute(services, form),
    ];
  });
}

function defineCreateRoute(
  services: TaskRouteServices,
  format: VideoFormat,
  form: VideoTaskRecordFormat,
): ServedRoute {
  const { route, vendorHeaders = {} } = videoRoute(format);
  return {
    route,
    async handle(request) {
      if (!hasHeaders(request, vendorHeaders)) throw refusalError(form.missingHeadersRefusal);
      const requestBody = readRequestBody(request.body);
      const model = readModelField(requestBody);
      const [target] = (await limitCatalogue(services.catalogue, request).find(model)).takeTargets();
      // A repeated request may find its task in a later state.
      const writeCreated = (task: StoredTask) =>
        form.writeCreated(createServedTask(task, Date.now()), request.id);
      const { schema } = form;
      const converted = makeConvertedVideo(
        services,
        { format, schema, model, target },
        request,
        writeCreated,
      );
      if (converted) return converted;
      if (target.upstream.tasks[format])
        return makeTask(services, { format, model, target, body: requestBody }, request);
      const body = readBody(request.body, schema);
      const videoCall = {
        model: String(body.model),
        target,
        request: { format, body } as VideoRequest,
        isStored: true,
      } as const;
      return makeVideo(services, videoCall, request, ({ task }) => writeCreated(task));
    },
  };
}

function defineReadRoute(
  services: TaskRouteServices,
  format: VideoFormat,
  form: VideoTaskRecordFormat,
): ServedRoute {
  return {
    route: form.routes.read,
    async handle(request) {
      const id = readTaskParameter(request);
      const storedTask = services.tasks.open().get(id);
      if (!storedTask || !request.access.mayUseTasksOf(storedTask.owner))
        return { json: form.writeUnknown(id, request.id) };
      const { task, headers } = await refreshTask(services, request);
      if (hasUpstreamRecord(task, format))
        return { json: await writeOwnRecord(services, task, request), headers };
      const details = { address: readGatewayAddress(request), requestId: request.id };
      return { json: form.writeRead(createServedTask(task, Date.now()), details), headers };
    },
  };
}

function defineCancelRoute(services: TaskRouteServices, form: VideoTaskRecordFormat): ServedRoute {
  return {
    route: form.routes.cancel,
    async handle(request) {
      const { wasRunning } = await cancelServedTask(services, request);
      if (!wasRunning) throw refusalError(form.cancelEndedRefusal);
      return { json: form.writeCancelled(request.id) };
    },
  };
}

/** Whether a request has each header of its route, under one of the names that callers use. */
function hasHeaders({ headers }: GatewayRequest, expected: Partial<HeaderNames>): boolean {
  return Object.entries(expected).every(([header, value]) =>
    Object.values(headerPresets).some((names) => headers[names[header as keyof HeaderNames]] === value),
  );
}

function refusalError(refusal: TaskRefusal): HttpError {
  return new HttpError({ ...refusal, type: 'invalid_request_error' });
}
