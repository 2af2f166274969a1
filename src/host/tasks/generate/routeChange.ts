import type { JsonObject } from '../../../base/json.ts';
import { listLeaves, valueAt, withValue } from '../../../base/nestedValues.ts';
import type { VideoProperties, VideoPropertyName } from '../../../wire/apis/shared/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';

type Path = readonly string[];

/** The form of a route. */
interface RouteValues {
  readonly route: VideoRouteId;
  readonly values: JsonObject;
}

/** The result of changing a form's route. */
export interface RouteChange {
  readonly values: JsonObject;
  /** The paths, in the body of the earlier route, of values that the new route does not support. */
  readonly dropped: readonly Path[];
}

/**
 * Fills the form of one route with the values of another route, by their meaning.
 *
 * @param to the form before it is filled
 * @param wasShown whether the page has already shown `to`, so that the user has cleared its missing values
 */
export function convertForm(from: RouteValues, to: RouteValues, wasShown: boolean): RouteChange {
  const source = videoRoute(from.route).spelling;
  const target = videoRoute(to.route).spelling;
  const sourceMeaning = source.read(from.values);
  const targetMeaning = target.read(to.values);
  const names = [
    ...new Set([...Object.keys(sourceMeaning), ...Object.keys(targetMeaning)]),
  ] as VideoPropertyName[];
  const meaning = Object.fromEntries(
    names.map((name) => {
      const canBeUnset = wasShown && isExpressible(from.route, name, targetMeaning);
      return [name, sourceMeaning[name] ?? (canBeUnset ? undefined : targetMeaning[name])];
    }),
  );
  const values = target.write(to.values, meaning);
  return { values, dropped: findDroppedPaths(from, sourceMeaning, target.read(values)) };
}

/** Copies the prompt of `from` into the form `to`, unless it is empty. */
export function copyPrompt(from: RouteValues, to: RouteValues): JsonObject {
  const { prompt } = videoRoute(from.route).spelling.read(from.values);
  const promptField = videoRoute(to.route).spelling.fields.find(({ properties }) =>
    properties.includes('prompt'),
  );
  return prompt === undefined || !promptField ? to.values : withValue(to.values, promptField.path, prompt);
}

/** Whether a route can express a value of another route. */
function isExpressible(route: VideoRouteId, name: VideoPropertyName, meaning: VideoProperties): boolean {
  const { read, write } = videoRoute(route).spelling;
  return read(write({}, { [name]: meaning[name] }))[name] === meaning[name];
}

function findDroppedPaths(
  { route, values }: RouteValues,
  sourceMeaning: VideoProperties,
  converted: VideoProperties,
): readonly Path[] {
  const { defaults, spelling } = videoRoute(route);
  const paths = listLeaves(values).map(({ path }) => path);
  return paths.filter((path) => {
    if (valueAt(values, path) === valueAt(defaults, path)) return false;
    const field = spelling.fields.find((each) => each.path.join() === path.join());
    const meanings = field?.properties.filter((name) => sourceMeaning[name] !== undefined) ?? [];
    return meanings.length === 0 || meanings.some((name) => sourceMeaning[name] !== converted[name]);
  });
}
