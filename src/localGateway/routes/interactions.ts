import { invalidRequest } from '../httpError.ts';
import { modelField, type RequestBody } from '../requestBody.ts';
import type { VideoService } from './makeVideo.ts';
import { modelId } from './modelId.ts';
import type { RouteExtras } from './textRoute.ts';
import { asksForVideo, makeVideoInteraction } from './videoInteraction.ts';

/** Interactions are asked for videos as well, which are tasks. */
export function interactionExtras(service: VideoService): RouteExtras {
  return {
    modelOf,
    answer({ model, body }, request) {
      if (!asksForVideo(body.field('response_format'))) return undefined;
      return makeVideoInteraction(service, model, body, request);
    },
  };
}

function modelOf(body: RequestBody): string {
  if (body.field('model') === undefined && body.field('agent') !== undefined)
    throw invalidRequest('agent: there are no agents here; name a model.', 'unsupported_value', 'agent');
  return modelId(modelField(body));
}
