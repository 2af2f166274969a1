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
import { makeConvertedVideo } from './convertedVideo.ts';
import { makeTask } from './makeTask.ts';
import { makeVideo, type TaskRouteServices } from './makeVideo.ts';
import {
  cancelServedTask,
  freshTask,
  gatewayAddress,
  hasUpstreamRecord,
  recordInOwnFormat,
  taskId,
} from './tasks.ts';

/** Serves the video-only routes, and all tasks as their records, regardless of the route that created them. */
export function videoFormatRoutes(service: TaskRouteServices): readonly ServedRoute[] {
  return Object.entries(videoTaskRecordFormats).flatMap(([id, form]) => {
    const format = id as VideoFormat;
    return [createRoute(service, format, form), readRoute(service, format, form), cancelRoute(service, form)];
  });
}

function createRoute(
  service: TaskRouteServices,
  format: VideoFormat,
  form: VideoTaskRecordFormat,
): ServedRoute {
  const { route, vendorHeaders = {} } = videoRoute(format);
  return {
    route,
    async handle(request) {
      if (!hasHeaders(request, vendorHeaders)) throw refused(form.missingHeadersRefusal);
      const sent = readRequestBody(request.body);
      const model = readModelField(sent);
      const [target] = (await limitCatalogue(service.catalogue, request).find(model)).takeTargets();
      // A repeated request may find its task in a later state.
      const created = (task: StoredTask) => form.writeCreated(createServedTask(task, Date.now()), request.id);
      const { schema } = form;
      const converted = makeConvertedVideo(service, { format, schema, model, target }, request, created);
      if (converted) return converted;
      if (target.upstream.tasks[format])
        return makeTask(service, { format, model, target, body: sent }, request);
      const body = readBody(request.body, schema);
      const videoCall = {
        ...{ model: String(body.model), target },
        request: { format, body } as VideoRequest,
        isStored: true,
      } as const;
      return makeVideo(service, videoCall, request, ({ task }) => created(task));
    },
  };
}

function readRoute(
  service: TaskRouteServices,
  format: VideoFormat,
  form: VideoTaskRecordFormat,
): ServedRoute {
  return {
    route: form.routes.read,
    async handle(request) {
      const id = taskId(request);
      const storedTask = service.tasks.open().get(id);
      if (!storedTask || !request.access.mayUseTasksOf(storedTask.owner))
        return { json: form.writeUnknown(id, request.id) };
      const { task, headers } = await freshTask(service, request);
      if (hasUpstreamRecord(task, format))
        return { json: await recordInOwnFormat(service, task, request), headers };
      const about = { address: gatewayAddress(request), requestId: request.id };
      return { json: form.writeRead(createServedTask(task, Date.now()), about), headers };
    },
  };
}

function cancelRoute(service: TaskRouteServices, form: VideoTaskRecordFormat): ServedRoute {
  return {
    route: form.routes.cancel,
    async handle(request) {
      const { wasRunning } = await cancelServedTask(service, request);
      if (!wasRunning) throw refused(form.cancelEndedRefusal);
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

function refused(refusal: TaskRefusal): HttpError {
  return new HttpError({ ...refusal, type: 'invalid_request_error' });
}
