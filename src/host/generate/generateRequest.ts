import type { Frames } from '../../wire/apis/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../wire/apis/videoRoutes.ts';

type Values = Readonly<Record<string, unknown>>;

/** The body of a request: what the form says, the model, and the pictures where the route has a place for them. */
export function generateRequest(route: VideoRouteId, model: string, values: Values, frames: Frames): Values {
  return videoRoute(route).withFrames({ model, ...values }, frames);
}

/** A request that was sent, taken apart again into what the form holds. */
export function recipeOf(
  route: VideoRouteId,
  request: Values,
): { readonly values: Values; readonly frames: Frames } {
  const { model: _, ...values } = request;
  return videoRoute(route).takeFrames(values);
}
