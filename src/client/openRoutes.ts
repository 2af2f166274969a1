import { messages } from '../wire/apis/messages/format.ts';
import { responses } from '../wire/apis/responses/format.ts';
import type { CredentialHeader, Route } from '../wire/routes.ts';

/** The route of a format whose path the gateway decides. */
export interface OpenRoute {
  /**
   * The path below the base URL, beginning with a slash. A messages path may hold the model, as in
   * `/models/{model}:rawPredict`. The body then lacks the model.
   */
  readonly path?: string;
  /** The header for the credential; a bearer token by default. */
  readonly credential?: CredentialHeader;
}

export interface OpenRouteChoice {
  readonly messages?: OpenRoute;
  /** Responses are read and cancelled below the same path. */
  readonly responses?: OpenRoute;
}

/** The formats whose path is open, and the groups of routes that lie at or below that path. */
const openFormats = [
  { format: messages, groups: ['messages'] },
  { format: responses, groups: ['responses', 'storedResponses'] },
] as const;

/** A route as one gateway has it. */
export function placedRoute(route: Route, choice: OpenRouteChoice = {}): Route {
  const open = openFormats.find(({ groups }) => groups.some((group) => group === route.group));
  const chosen = open && choice[open.format.id];
  if (!chosen) return route;
  const { path: base } = open.format.route;
  const { path = base, credential = route.credential } = chosen;
  return { ...route, path: path + route.path.slice(base.length), credential };
}
