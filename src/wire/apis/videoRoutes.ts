import type { InteractionsRequest } from './interactions/schema.ts';
import { interactionsVideo } from './interactions/videoRoute.ts';
import type { AnyVideoRoute } from './shared/videoRoute.ts';
import type { VideoSynthesisRequest } from './videoSynthesis/schema.ts';
import { videoSynthesis } from './videoSynthesis/videoRoute.ts';

const routes = [interactionsVideo, videoSynthesis] as const;

export type VideoRouteId = (typeof routes)[number]['id'];

/** The bodies of requests by the ids of their routes. */
interface VideoRequests {
  readonly interactions: InteractionsRequest;
  readonly videoSynthesis: VideoSynthesisRequest;
}

/** A validated request for a video, in the format of its route. */
export type VideoRequest = {
  [Id in VideoRouteId]: { readonly format: Id; readonly body: VideoRequests[Id] };
}[VideoRouteId];

/** A route that makes videos. */
export interface VideoRoute extends AnyVideoRoute {
  readonly id: VideoRouteId;
}

/** All routes that make videos, in the order of the picker; the first is the default. */
export const videoRoutes: readonly VideoRoute[] = routes;

export const defaultVideoRoute: VideoRouteId = routes[0].id;

/** Finds a route by a stored id; undefined for an unknown id, perhaps of a later version. */
export function findVideoRoute(id: string | undefined): VideoRoute | undefined {
  return videoRoutes.find((each) => each.id === id);
}

export function videoRoute(id: VideoRouteId): VideoRoute {
  const route = findVideoRoute(id);
  if (!route) throw new TypeError(`no video route ${id}`);
  return route;
}
