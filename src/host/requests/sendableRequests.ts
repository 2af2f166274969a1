import type { JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { type TextFormat, textFormats } from '../../wire/apis/textFormats.ts';
import { type VideoRouteId, videoRoutes } from '../../wire/apis/videoRoutes.ts';
import type { Route } from '../../wire/routes.ts';

/**
 * Whether a request may be sent again, as far as this is known without its body. The bodies of other programs'
 * requests are not stored.
 */
export function maySendAgain({ route: name, caller }: RequestFigures): boolean {
  const isVideo = videoRoutes.some(({ route }) => route.name === name);
  return caller === undefined && (isVideo || findReplyRoute(name) !== undefined);
}

/** The text format and the route of a request for a reply; undefined for other requests. */
export function replyRoute(
  { route }: RequestFigures,
  body: JsonObject,
): { readonly format: TextFormat; readonly route: Route } | undefined {
  return makesTask(body) ? undefined : findReplyRoute(route);
}

/** The route of the Generate page for a request that makes a video; undefined for other requests. */
export function taskRoute({ route: name }: RequestFigures, body: JsonObject): VideoRouteId | undefined {
  if (typeof body.model !== 'string') return undefined;
  const videoRoute = videoRoutes.find(({ route }) => route.name === name);
  // The route of interactions also makes replies and pictures.
  const isVideo =
    videoRoute?.backgroundField === undefined || (makesTask(body) && !otherTaskTypes.has(resultType(body)));
  return isVideo ? videoRoute?.id : undefined;
}

function findReplyRoute(name: string): { readonly format: TextFormat; readonly route: Route } | undefined {
  for (const format of textFormats) {
    const route = format.routes.find((each) => each.name === name);
    if (route) return { format, route };
  }
  return undefined;
}

/** Whether a request creates a task. Only the Generate page sends it again, because that page confirms the cost. */
function makesTask(body: JsonObject): boolean {
  return body.background === true || taskTypes.has(resultType(body));
}

/** The types of results that the Generate page does not offer. */
const otherTaskTypes: ReadonlySet<unknown> = new Set(['image', 'audio']);
const taskTypes: ReadonlySet<unknown> = new Set([...otherTaskTypes, 'video']);

function resultType(body: JsonObject): unknown {
  return valueAt(body, ['response_format', 'type']);
}
