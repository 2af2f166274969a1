import { isObject } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import type { MeaningName, VideoMeaning } from '../../../wire/apis/format/videoMeaning.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';

type Values = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** The form of a route. */
interface RouteValues {
  readonly route: VideoRouteId;
  readonly values: Values;
}

/** What the change of a form's route came to. */
export interface RouteChange {
  readonly values: Values;
  /** The paths, in the body of the earlier route, of values that the new route has no place for. */
  readonly left: readonly Path[];
}

/**
 * Fills the form of one route with the values of another one, by what they mean.
 *
 * @param to the form as it was before it is filled
 * @param wasShown whether `to` was on the page already, so that a value that is unset now was unset there
 */
export function changeRoute(from: RouteValues, to: RouteValues, wasShown: boolean): RouteChange {
  const source = videoRoute(from.route).spelling;
  const target = videoRoute(to.route).spelling;
  const wanted = source.read(from.values);
  const before = target.read(to.values);
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(before)])] as MeaningName[];
  const meaning = Object.fromEntries(
    names.map((name) => {
      const mayBeUnset = wasShown && isSayable(from.route, name, before);
      return [name, wanted[name] ?? (mayBeUnset ? undefined : before[name])];
    }),
  );
  const values = target.write(to.values, meaning);
  return { values, left: leftBehind(from, wanted, target.read(values)) };
}

/** The form `to` with the prompt of `from`, unless that has none. */
export function takePrompt(from: RouteValues, to: RouteValues): Values {
  const { prompt } = videoRoute(from.route).spelling.read(from.values);
  const place = videoRoute(to.route).spelling.places.find(({ means }) => means.includes('prompt'));
  return prompt === undefined || !place ? to.values : withValue(to.values, place.path, prompt);
}

/** Whether a route can say what another one said. */
function isSayable(route: VideoRouteId, name: MeaningName, meaning: VideoMeaning): boolean {
  const { read, write } = videoRoute(route).spelling;
  return read(write({}, { [name]: meaning[name] }))[name] === meaning[name];
}

function leftBehind(
  { route, values }: RouteValues,
  wanted: VideoMeaning,
  arrived: VideoMeaning,
): readonly Path[] {
  const { defaults, spelling } = videoRoute(route);
  return leaves(values).filter((path) => {
    if (valueAt(values, path) === valueAt(defaults, path)) return false;
    const place = spelling.places.find((each) => each.path.join() === path.join());
    const meant = place?.means.filter((name) => wanted[name] !== undefined) ?? [];
    return meant.length === 0 || meant.some((name) => wanted[name] !== arrived[name]);
  });
}

/** The paths of everything in nested objects that is no object. */
function leaves(values: Values, path: Path = []): readonly Path[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isObject(value) ? leaves(value, [...path, name]) : [[...path, name]],
  );
}
