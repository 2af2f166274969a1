import { videoSynthesis } from '../../wire/apis/videoSynthesis/format.ts';
import { type VideoSynthesisCreated, videoSynthesisRequest } from '../../wire/apis/videoSynthesis/request.ts';
import { headerPresets } from '../../wire/headerNames.ts';
import { HttpError } from '../http/httpError.ts';
import { readBody } from '../http/readBody.ts';
import { modelField, readRequestBody } from '../http/requestBody.ts';
import { catalogueFor } from '../server/allowedModels.ts';
import type { GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import {
  type SynthesisOutput,
  synthesisOutput,
  synthesisStatus,
  synthesisUsage,
} from '../tasks/synthesisRecord.ts';
import { makeTask } from './makeTask.ts';
import { makeVideo, type VideoService } from './makeVideo.ts';
import { addressOf, hasOwnRecord, ownForm } from './taskForm.ts';
import { cancelTask, freshTask, taskId } from './tasks.ts';

/** The interface calls the id `id`, the provider calls it `output.task_id`: the answer has both. */
type Created = Omit<VideoSynthesisCreated, 'output'> & {
  readonly id: string;
  readonly output: { readonly task_id: string; readonly task_status: string };
};

export function videoSynthesisRoute(service: VideoService): ServedRoute {
  return {
    route: videoSynthesis.route,
    async answer(request) {
      if (!wantsTask(request)) throw synchronousRefused();
      const sent = readRequestBody(request.body);
      const model = modelField(sent);
      const [place] = (await catalogueFor(service.catalogue, request).find(model)).take();
      if (place.upstream.tasks.videoSynthesis)
        return makeTask(service, { format: 'videoSynthesis', model, place, body: sent }, request);
      const body = readBody(request.body, videoSynthesisRequest);
      const asked = {
        ...{ model: body.model, place },
        request: { format: 'videoSynthesis', body },
        isKept: true,
      } as const;
      return makeVideo(service, asked, request, ({ task }): Created => {
        // A repeated request may find its task in a later state.
        const output = { task_id: task.id, task_status: synthesisStatus(task) };
        return { id: task.id, output, request_id: request.id };
      });
    },
  };
}

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

function wantsTask({ headers }: GatewayRequest): boolean {
  return Object.values(headerPresets).some(({ vendorAsync }) => headers[vendorAsync] === 'enable');
}

function synchronousRefused(): HttpError {
  return new HttpError({
    status: 403,
    message: 'This route makes videos asynchronously alone. Send the header X-Vendor-Async: enable.',
    type: 'invalid_request_error',
    code: 'async_header_missing',
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
