import type { VideoProperties, VideoPropertyName } from '../../../wire/apis/shared/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import { buildTaskRequest } from '../../tasks/generate/generateRequest.ts';
import type { StartVideoInput } from './toolInputs.ts';

type Values = Readonly<Record<string, unknown>>;

/** The body of a request with an agent's values. */
interface VideoRequest {
  readonly body: Values;
  /** The tool's fields whose values the route does not support. */
  readonly unsupportedFields: readonly VideoPropertyName[];
}

/** Builds the request of a route from an agent's values and the initial values of the route's form. */
export function videoRequest(route: VideoRouteId, model: string, input: StartVideoInput): VideoRequest {
  const { defaults, spelling } = videoRoute(route);
  const { prompt, aspectRatio, resolution, seconds, seed } = input;
  const requested: VideoProperties = {
    prompt,
    aspectRatio,
    seconds,
    seed,
    resolution: resolution?.toLowerCase(),
  };
  const presentEntries = Object.entries(requested).filter(([, value]) => value !== undefined);
  const values = spelling.write(defaults, {
    ...spelling.read(defaults),
    ...Object.fromEntries(presentEntries),
  });
  const writtenProperties = spelling.read(values);
  const names = presentEntries.map(([name]) => name as VideoPropertyName);
  return {
    body: buildTaskRequest(route, model, values, {}),
    unsupportedFields: names.filter((name) => writtenProperties[name] !== requested[name]),
  };
}
