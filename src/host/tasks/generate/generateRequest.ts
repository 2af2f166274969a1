import type { JsonObject } from '../../../base/json.ts';
import type { Frame, Frames } from '../../../wire/apis/shared/videoRoute.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';

type Path = readonly string[];

/**
 * Builds the body of a request from the form's values, the model and the pictures. Ignores values of fields that are
 * filled in automatically, such as another model.
 */
export function buildTaskRequest(
  route: VideoRouteId,
  model: string,
  values: JsonObject,
  frames: Frames,
): JsonObject {
  const { ownFields, addFrames } = videoRoute(route);
  const formValues = Object.entries(values).filter(([name]) => !ownFields.includes(name));
  return addFrames({ model, ...Object.fromEntries(formValues) }, frames);
}

/** Splits the body of an earlier request into the values and pictures of the form. */
export function splitRequest(
  route: VideoRouteId,
  request: JsonObject,
): { readonly values: JsonObject; readonly frames: Frames } {
  const { model: _, ...values } = request;
  return videoRoute(route).removeFrames(values);
}

/** The paths of a form's fields, and its pictures. */
interface FormParts {
  readonly paths: readonly Path[];
  readonly frames: readonly Frame[];
}

/**
 * Finds the form path of a field that a gateway named, in any spelling. Some gateways name only the end of the path.
 *
 * @param field the path, separated by dots
 */
export function findFormPath(field: string, { paths, frames }: FormParts): Path {
  const namedPath = field.split('.').map(normalizeName);
  const fieldPath = paths.find((path) => endsWith(path.map(normalizeName), namedPath));
  if (fieldPath) return fieldPath;
  const isPicture = namedPath.some((name) => /image|img|picture|frame/.test(name));
  const [first] = frames;
  if (!isPicture || first === undefined) return field.split('.');
  return ['frames', frames.find((frame) => namedPath.some((name) => name.includes(frame))) ?? first];
}

function endsWith(path: Path, end: Path): boolean {
  return end.every((name, index) => path[path.length - end.length + index] === name);
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
