import { openRoutes, type Route, routes } from '../wire/routes.ts';

/** All routes of this gateway; whatever is not among them is refused before it is looked at. */
export const servedRoutes: readonly Route[] = [
  routes.listModels,
  routes.chatCompletions,
  routes.generateContent,
  routes.streamGenerateContent,
  routes.interactions,
  openRoutes.messages,
  openRoutes.responses,
].flatMap(spellingsOf);

/** A route by all its paths: newer tools leave the beta mark of the version out. */
export function spellingsOf(route: Route): readonly Route[] {
  if (!route.path.startsWith('/v1beta/')) return [route];
  return [route, { ...route, path: route.path.replace('/v1beta/', '/v1/') }];
}
