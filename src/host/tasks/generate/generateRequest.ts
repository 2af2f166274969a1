import type { Frames } from '../../../wire/apis/format/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Builds the body of a request from the form's values, the model and the pictures. Values for what is filled in by
 * itself, such as another model, do not count, wherever they come from.
 */
export function generateRequest(route: VideoRouteId, model: string, values: Values, frames: Frames): Values {
  const { ownFields, withFrames } = videoRoute(route);
  const given = Object.entries(values).filter(([name]) => !ownFields.includes(name));
  return withFrames({ model, ...Object.fromEntries(given) }, frames);
}

/** Splits the body of an earlier request into the values and pictures of the form. */
export function recipeOf(
  route: VideoRouteId,
  request: Values,
): { readonly values: Values; readonly frames: Frames } {
  const { model: _, ...values } = request;
  return videoRoute(route).takeFrames(values);
}
