import type { Route } from '../../wire/routes.ts';

/** The values of the `{name}` parameters of a route, each decoded once. */
export type Params = Readonly<Record<string, string>>;

interface FoundRoute {
  readonly route: Route;
  readonly params: Params;
}

export class RouteTable {
  /** The routes without parameters, by method and path. */
  readonly #plainRoutes = new Map<string, FoundRoute>();
  readonly #templates: readonly { readonly route: Route; readonly template: PathTemplate }[];

  constructor(routes: readonly Route[]) {
    this.#templates = routes.map((route) => ({ route, template: new PathTemplate(route.path) }));
    for (const route of routes) {
      if (!route.path.includes('{'))
        this.#plainRoutes.set(`${route.method} ${route.path}`, { route, params: {} });
    }
  }

  /** Finds the route of a request. */
  find(method: string, target: string): FoundRoute | undefined {
    const end = target.indexOf('?');
    const plain = this.#plainRoutes.get(`${method} ${end < 0 ? target : target.slice(0, end)}`);
    return plain ?? this.findRoutes(target).find(({ route }) => route.method === method);
  }

  /** Finds all routes at the path of a target, with any method. */
  findRoutes(target: string): readonly FoundRoute[] {
    const segments = splitPath(target);
    if (!segments) return [];
    return this.#templates.flatMap(({ route, template }) => {
      const params = template.match(segments);
      return params ? { route, params } : [];
    });
  }
}

/** Splits the path of a request target into segments, each decoded once; undefined if one cannot be decoded. */
export function splitPath(target: string): readonly string[] | undefined {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** A segment of a template. The value of a parameter is between the texts `before` and `after`. */
interface TemplateSegment {
  readonly before: string;
  /** The name of the parameter; absent if the segment has no parameter. */
  readonly name?: string;
  readonly after: string;
}

/**
 * The path of a route. The value of a `{name}` is one segment, but the ID of a model may span several segments,
 * because common client libraries do not encode its slashes.
 */
export class PathTemplate {
  readonly #segments: readonly TemplateSegment[];
  readonly #last: TemplateSegment;
  readonly #endsWithModel: boolean;
  readonly #isModelAlone: boolean;

  constructor(path: string) {
    const last = path.slice(path.lastIndexOf('/') + 1);
    this.#segments = path.split('/').slice(0, -1).map(readSegment);
    this.#last = readSegment(last);
    this.#endsWithModel = this.#last.name === 'model';
    this.#isModelAlone = last === '{model}';
  }

  /** Reads the values of the parameters in a path; undefined if the path does not match. */
  match(segments: readonly string[]): Params | undefined {
    const before = this.#segments.length;
    if (segments.length <= before || (segments.length > before + 1 && !this.#endsWithModel)) return undefined;
    const params: Record<string, string> = {};
    if (!this.#segments.every((expected, i) => matchSegment(segments[i] ?? '', expected, params)))
      return undefined;
    // A method after a colon belongs to another route and not to the ID.
    if (this.#isModelAlone && methodSuffix.test(segments.at(-1) ?? '')) return undefined;
    const rest = segments.length === before + 1 ? segments[before] : segments.slice(before).join('/');
    return matchSegment(rest ?? '', this.#last, params) ? params : undefined;
  }
}

/** Matches `:embedContent`, but not tags of IDs such as `:8b` and `:latest`. */
const methodSuffix = /:[a-z]+(?:[A-Z][a-z]+)+$/;

function readSegment(template: string): TemplateSegment {
  const [, before, name, after] = /^(.*)\{(\w+)\}(.*)$/.exec(template) ?? [];
  return { before: before ?? template, name, after: after ?? '' };
}

/** Adds the value of a segment, if it has one, to the parameters. Returns false if it does not match. */
function matchSegment(
  segment: string,
  { before, name, after }: TemplateSegment,
  params: Record<string, string>,
): boolean {
  if (name === undefined) return segment === before;
  if (segment.length <= before.length + after.length) return false;
  if (!segment.startsWith(before) || !segment.endsWith(after)) return false;
  const value = segment.slice(before.length, segment.length - after.length);
  params[name] = value;
  return isSafeValue(value);
}

/** Whether no part of the value is empty, `.` or `..`. */
function isSafeValue(value: string): boolean {
  return value.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
