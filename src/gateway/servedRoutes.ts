import { openRoutes, type Route, routes } from '../wire/routes.ts';
import { providerRoutes } from './providerRoutes.ts';

/** Where the results of tasks lie; the interface leaves that to their records. */
export const taskContent = {
  method: 'GET',
  path: '/v1/tasks/{task_id}/content',
  credential: 'bearer',
  group: 'tasks',
} as const satisfies Route;

/** All routes of this gateway; whatever is not among them is refused before it is looked at. */
export const servedRoutes: readonly Route[] = [
  routes.listModels,
  routes.chatCompletions,
  routes.generateContent,
  routes.streamGenerateContent,
  routes.interactions,
  routes.videoSynthesis,
  routes.listTasks,
  routes.readTask,
  routes.cancelTask,
  routes.deleteTask,
  taskContent,
  openRoutes.messages,
  openRoutes.responses,
  ...Object.values(providerRoutes),
].flatMap(spellingsOf);

/**
 * A route by all its paths. Newer tools leave the beta mark of the version out, and some leave `models/` out
 * before an id with a slash. What lists and shows models has one path for each shape of its answer.
 */
export function spellingsOf(route: Route): readonly Route[] {
  const { method, path } = route;
  const paths = [path, path.replace('/models/{model}:', '/{model}:')];
  const versions = method === 'GET' && path.startsWith('/v1beta/models') ? [] : paths.map(withoutBeta);
  const others = new Set([...paths, ...versions].filter((spelling) => spelling !== path));
  return [route, ...[...others].map((spelling) => ({ ...route, path: spelling }))];
}

function withoutBeta(path: string): string {
  return path.replace(/^\/v1beta\//, '/v1/');
}
