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

/** A request for people to read: long data in it is told by its length. */
export function readableRequest(request: unknown): string {
  return JSON.stringify(
    request,
    (_, value) =>
      typeof value === 'string' && value.length > maxStringLength
        ? `${value.slice(0, 64)}… (${value.length.toLocaleString()} characters)`
        : value,
    2,
  );
}

const maxStringLength = 16_384;
