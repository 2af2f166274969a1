import { isObject } from '../../../base/json.ts';
import type { MeaningName, VideoMeaning } from '../../../wire/apis/format/videoMeaning.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { generateRequest } from '../../tasks/generate/generateRequest.ts';
import type { StartVideoInput } from './toolInputs.ts';

type Values = Readonly<Record<string, unknown>>;

/** A request as an agent wished for it. */
export interface WishedVideo {
  readonly body: Values;
  /** What the route cannot say of the wish, by the names of the tool's fields. */
  readonly unsayable: readonly MeaningName[];
}

/** Builds the request of a route from what an agent asks for, beside what a form of that route begins with. */
export function videoRequest(route: VideoRouteId, model: string, wish: StartVideoInput): WishedVideo {
  const { defaults, spelling } = videoRoute(route);
  const { prompt, aspectRatio, resolution, seconds, seed } = wish;
  const wished: VideoMeaning = {
    ...{ prompt, aspectRatio, seconds, seed },
    resolution: resolution?.toLowerCase(),
  };
  const given = Object.entries(wished).filter(([, value]) => value !== undefined);
  const values = spelling.write(defaults, { ...spelling.read(defaults), ...Object.fromEntries(given) });
  const arrived = spelling.read(values);
  const names = given.map(([name]) => name as MeaningName);
  return {
    body: generateRequest(route, model, values, {}),
    unsayable: names.filter((name) => arrived[name] !== wished[name]),
  };
}

/** The fields of a request that are no object, each by its path. */
export function leafFields(
  values: Values,
  path: readonly string[] = [],
): readonly (readonly [path: readonly string[], value: unknown])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isObject(value) ? leafFields(value, [...path, name]) : [[[...path, name], value] as const],
  );
}
