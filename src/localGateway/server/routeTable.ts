import type { Route } from '../../wire/routes.ts';
import { type Params, PathTemplate, segmentsOf } from './routePath.ts';

export interface FoundRoute {
  readonly route: Route;
  readonly params: Params;
}

/** Finds the routes of a gateway by what a caller asks for. */
export class RouteTable {
  /** The routes without a `{name}`, by method and path. */
  readonly #plain = new Map<string, FoundRoute>();
  readonly #all: readonly { readonly route: Route; readonly template: PathTemplate }[];

  constructor(routes: readonly Route[]) {
    this.#all = routes.map((route) => ({ route, template: new PathTemplate(route.path) }));
    for (const route of routes) {
      if (!route.path.includes('{')) this.#plain.set(`${route.method} ${route.path}`, { route, params: {} });
    }
  }

  /** The route that a request is for. */
  find(method: string, target: string): FoundRoute | undefined {
    const end = target.indexOf('?');
    const plain = this.#plain.get(`${method} ${end < 0 ? target : target.slice(0, end)}`);
    return plain ?? this.at(target).find(({ route }) => route.method === method);
  }

  /** All routes at the path of a target, whatever their method. */
  at(target: string): readonly FoundRoute[] {
    const segments = segmentsOf(target);
    if (!segments) return [];
    return this.#all.flatMap(({ route, template }) => {
      const params = template.match(segments);
      return params ? { route, params } : [];
    });
  }
}
