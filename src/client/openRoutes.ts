import {
  type CredentialHeader,
  type OpenRouteName,
  openRoutes,
  type Route,
  type RouteName,
  routes,
} from '../wire/routes.ts';

/** Where a gateway has a style whose path the interface leaves open. */
export interface OpenRoute {
  /**
   * Below the base URL, beginning with a slash. A messages path may name the model, as in
   * `/models/{model}:rawPredict`: it then leaves the body.
   */
  readonly path?: string;
  /** Which header takes the credential there; a bearer token by default. */
  readonly credential?: CredentialHeader;
}

export interface OpenRouteChoice {
  readonly messages?: OpenRoute;
  /** What reads and cancels a response lies below the same path. */
  readonly responses?: OpenRoute;
}

/** Every route of one gateway. */
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
