import { invalidRequest } from '../httpError.ts';
import { modelField, type RequestBody } from '../requestBody.ts';
import { goingOn } from './earlierTask.ts';
import { makeTask } from './makeTask.ts';
import type { VideoService } from './makeVideo.ts';
import { modelId } from './modelId.ts';
import type { RouteExtras } from './textRoute.ts';
import { asksForVideo, makeVideoInteraction } from './videoInteraction.ts';

/** Interactions are asked for videos as well, and for work in the background. Both are tasks. */
export function interactionExtras(service: VideoService): RouteExtras {
  return {
    modelOf,
    isBound: (body) =>
      body.field('background') === true ||
      (body.field('previous_interaction_id') ?? undefined) !== undefined ||
      asksForVideo(body.field('response_format')),
    bodyFor({ place, body }, request) {
      const { name: upstream } = place.upstream;
      return goingOn(service, { format: 'interactions', body, upstream }, request).body;
    },
    answer({ model, place, body }, request) {
      const { upstream } = place;
      const asksVideo = asksForVideo(body.field('response_format'));
      if (upstream.video && asksVideo) return makeVideoInteraction(service, { model, place, body }, request);
      if (body.field('background') === true && upstream.tasks.interactions)
        return makeTask(service, { format: 'interactions', model, place, body }, request);
      // Refused where the upstream has no such route at all; otherwise it answers with the video.
      if (asksVideo && !upstream.formatsOf(place.model).includes('interactions'))
        service.catalogue.requireVideo(place, model);
      return undefined;
    },
  };
}

function modelOf(body: RequestBody): string {
  if (body.field('model') === undefined && body.field('agent') !== undefined)
    throw invalidRequest('agent: there are no agents here; name a model.', 'unsupported_value', 'agent');
  return modelId(modelField(body));
}
