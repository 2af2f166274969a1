import { storedResponsesRoutes } from '../../wire/apis/responses/format.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { defineRoutes, type Route, routes } from '../../wire/routes.ts';
import { providerRoutes } from './providerRoutes.ts';

/** The route of a task's results. The interface leaves it to the records. */
export const { taskContent } = defineRoutes({
  taskContent: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/content',
    credential: 'bearer',
    group: 'tasks',
  },
});

/** The routes for whoever operates the gateway. */
export const operationRoutes = defineRoutes({
  health: { method: 'GET', path: '/healthz', credential: 'bearer', group: 'operation' },
  metrics: { method: 'GET', path: '/metrics', credential: 'bearer', group: 'operation' },
});

/** The names of routes that take no credential. */
export const openRoutes: ReadonlySet<string> = new Set([operationRoutes.health.name]);

/** All routes of this gateway, each with one path. A file in `routes` answers each. */
export const mainRoutes: readonly Route[] = unique([
  ...Object.values(routes),
  taskContent,
  ...textFormats.flatMap((format) => format.routes),
  ...videoRoutes.map(({ route }) => route),
  ...Object.values(providerRoutes),
  ...Object.values(operationRoutes),
  ...Object.values(storedResponsesRoutes),
]);

/** Videos are made on the route of a text format too. */
function unique(all: readonly Route[]): readonly Route[] {
  return [...new Set(all)];
}

/** All routes with all their paths. The guard refuses every other path. */
export const servedRoutes: readonly Route[] = mainRoutes.flatMap(spellingsOf);

/**
 * A route with all its paths. Tools differ in the beta mark of the version, some leave out `models/` before
 * an id with a slash, and those of cloud platforms name the publisher of a model separately.
 */
export function spellingsOf(route: Route): readonly Route[] {
  const { method, path } = route;
  const isModel = method === 'GET' && path.startsWith('/v1beta/models');
  const other = isModel
    ? path.replace('/models', '/publishers/{publisher}/models')
    : path.replace('/models/{model}:', '/{model}:');
  // Without a beta mark another route lists models, in other formats.
  const versions = isModel ? ['/v1beta1/'] : ['/v1/', '/v1beta1/'];
  const paths = [path, other].flatMap((each) => [
    each,
    ...versions.map((version) => each.replace(/^\/v1beta\//, version)),
  ]);
  const spellings = [...new Set(paths)].filter((each) => each !== path);
  return [route, ...spellings.map((spelling) => ({ ...route, path: spelling }))];
}
