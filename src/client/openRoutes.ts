import {
  type CredentialHeader,
  type OpenRouteName,
  openRoutes,
  type Route,
  type RouteName,
  routes,
} from '../wire/routes.ts';

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

/** All routes of one gateway. */
export function routeTable({
  messages,
  responses,
}: OpenRouteChoice = {}): Readonly<Record<RouteName | OpenRouteName, Route>> {
  const base = openRoutes.responses.path;
  const below = (route: Route): Route => ({
    ...placed(route, responses),
    path: (responses?.path ?? base) + route.path.slice(base.length),
  });
  return {
    ...routes,
    messages: placed(openRoutes.messages, messages),
    responses: placed(openRoutes.responses, responses),
    readResponse: below(openRoutes.readResponse),
    cancelResponse: below(openRoutes.cancelResponse),
  };
}

function placed(route: Route, { path = route.path, credential = route.credential }: OpenRoute = {}): Route {
  return { ...route, path, credential };
}
