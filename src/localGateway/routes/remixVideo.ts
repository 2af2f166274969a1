import { catalogueFor } from '../config/allowedModels.ts';
import { invalidRequest } from '../httpError.ts';
import { providerRoutes } from '../providerRoutes.ts';
import { readRequestBody } from '../requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { makesNoRemix } from '../tasks/taskFailures.ts';
import { isRemote } from '../tasks/taskState.ts';
import { taskUpstream } from '../tasks/taskUpstream.ts';
import { makeTask } from './makeTask.ts';
import type { VideoService } from './makeVideo.ts';
import { findTask } from './tasks.ts';

/**
 * Makes a video from an earlier one, at the upstream that has that one.
 *
 * @throws {HttpError} 400 where the upstream has no way to do so
 */
export async function remixVideo(service: VideoService, request: GatewayRequest): Promise<Answer> {
  const earlier = findTask(service.tasks.open(), request);
  if (!isRemote(earlier)) throw makesNoRemix(earlier.upstream);
  const { upstream, tasks } = taskUpstream(service.catalogue, earlier);
  const { remix } = tasks;
  if (!remix) throw makesNoRemix(upstream.name);
  const { upstreamId: task, model, format } = earlier;
  if (task === undefined)
    throw invalidRequest('video_id: nobody knows whether this was made.', 'invalid_value', 'video_id');
  // Whoever may not ask the model any more makes nothing with it.
  await catalogueFor(service.catalogue, request).find(model);
  return makeTask(
    service,
    {
      ...{ format, model, place: { upstream, model }, body: readRequestBody(request.pieces) },
      from: { id: earlier.id, ask: (call) => remix({ ...call, task }) },
    },
    request,
  );
}

/** What the format has, too, and this gateway passes on to nobody: their bodies name no model, and so no upstream. */
export const notOffered: readonly ServedRoute[] = [
  notPassedOn(providerRoutes.editVideo, 'edits'),
  notPassedOn(providerRoutes.extendVideo, 'extensions'),
  notPassedOn(providerRoutes.createVideoCharacter, 'characters'),
];

function notPassedOn(route: ServedRoute['route'], what: string): ServedRoute {
  return {
    route,
    answer() {
      throw invalidRequest(
        `This local gateway passes on no ${what} of videos. Remix a video that it made, POST /v1/videos/{id}/remix, or ask the upstream itself.`,
        'unsupported_operation',
      );
    },
  };
}
