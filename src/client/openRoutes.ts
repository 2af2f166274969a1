import { messages } from '../wire/apis/messages/format.ts';
import { responses } from '../wire/apis/responses/format.ts';
import type { Route } from '../wire/routes.ts';
import type { OpenRouteChoice } from './types.ts';

/** The formats whose path is open, and the groups of routes that lie at or below that path. */
const openFormats = [
  { format: messages, groups: ['messages'] },
  { format: responses, groups: ['responses', 'storedResponses'] },
] as const;

/** A route as one gateway has it. */
export function resolveRoute(route: Route, choice: OpenRouteChoice = {}): Route {
  const open = openFormats.find(({ groups }) => groups.some((group) => group === route.group));
  const chosen = open && choice[open.format.id];
  if (!chosen) return route;
  const { path: base } = open.format.route;
  const { path = base, credential = route.credential } = chosen;
  return { ...route, path: path + route.path.slice(base.length), credential };
}
