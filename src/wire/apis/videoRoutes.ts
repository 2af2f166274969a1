import type { VideoRoute as AnyVideoRoute } from './format/videoRoute.ts';
import type { InteractionsRequest } from './interactions/request.ts';
import { interactionsVideo } from './interactions/video.ts';
import type { VideoSynthesisRequest } from './videoSynthesis/request.ts';
import { videoSynthesisVideo } from './videoSynthesis/video.ts';

const all = [interactionsVideo, videoSynthesisVideo] as const;

export type VideoRouteId = (typeof all)[number]['id'];

/** The body of a request by the id of its route. */
interface VideoRequests {
  readonly interactions: InteractionsRequest;
  readonly videoSynthesis: VideoSynthesisRequest;
}

/** A checked request for a video, in the format of its route. */
export type VideoRequest = {
  [Id in VideoRouteId]: { readonly format: Id; readonly body: VideoRequests[Id] };
}[VideoRouteId];

/** A route on which videos are made, of those in the list. */
export interface VideoRoute extends AnyVideoRoute {
  readonly id: VideoRouteId;
}

/** All routes on which videos are made, in the order in which they are offered; the first is the usual one. */
export const videoRoutes: readonly VideoRoute[] = all;

export const defaultVideoRoute: VideoRouteId = all[0].id;

/** Finds a route by an id that was stored, perhaps by a later version; undefined for an unknown one. */
export function findVideoRoute(id: string | undefined): VideoRoute | undefined {
  return videoRoutes.find((each) => each.id === id);
}

export function videoRoute(id: VideoRouteId): VideoRoute {
  const found = findVideoRoute(id);
  if (!found) throw new TypeError(`no video route ${id}`);
  return found;
}
