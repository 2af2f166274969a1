import type { JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import { type TextFormat, textFormats } from '../../wire/apis/textFormats.ts';
import { type VideoRouteId, videoRoutes } from '../../wire/apis/videoRoutes.ts';
import type { Route } from '../../wire/routes.ts';

/** Whether a request may be sent again, as far as can be told without its body. Other programs' are not kept. */
export function maySendAgain({ route: name, caller }: RequestFigures): boolean {
  const isOfPage = videoRoutes.some(({ route }) => route.name === name);
  return caller === undefined && (isOfPage || findReplyRoute(name) !== undefined);
}

/** The route of a request for a reply in a text format; undefined for any other. */
export function replyRoute(
  { route }: RequestFigures,
  body: JsonObject,
): { readonly format: TextFormat; readonly route: Route } | undefined {
  return makesTask(body) ? undefined : findReplyRoute(route);
}

/** The route of the Generate page for a request that makes a task there; undefined for any other. */
export function taskRoute({ route: name }: RequestFigures, body: JsonObject): VideoRouteId | undefined {
  if (typeof body.model !== 'string') return undefined;
  const found = videoRoutes.find(({ route }) => route.name === name);
  // That of interactions makes replies and pictures, too.
  const isVideo = found?.backgroundField === undefined || (makesTask(body) && !notForPage.has(wanted(body)));
  return isVideo ? found?.id : undefined;
}

function findReplyRoute(name: string): { readonly format: TextFormat; readonly route: Route } | undefined {
  for (const format of textFormats) {
    const route = format.routes.find((each) => each.name === name);
    if (route) return { format, route };
  }
  return undefined;
}

/** What makes a task is paid for: the Generate page asks first, and keeps it before it is sent. */
function makesTask(body: JsonObject): boolean {
  return body.background === true || tasks.has(wanted(body));
}

const notForPage: ReadonlySet<unknown> = new Set(['image', 'audio']);
const tasks: ReadonlySet<unknown> = new Set([...notForPage, 'video']);

function wanted(body: JsonObject): unknown {
  return valueAt(body, ['response_format', 'type']);
}
