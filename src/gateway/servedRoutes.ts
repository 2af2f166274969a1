import { openRoutes, type Route, routes } from '../wire/routes.ts';

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
].flatMap(spellingsOf);

/** A route by all its paths: newer tools leave the beta mark of the version out. */
export function spellingsOf(route: Route): readonly Route[] {
  if (!route.path.startsWith('/v1beta/')) return [route];
  return [route, { ...route, path: route.path.replace('/v1beta/', '/v1/') }];
}
