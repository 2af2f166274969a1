import { type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import type { HeaderNames } from '../../headerNames.ts';
import type { Route } from '../../routes.ts';
import type { ErrorFormat } from './errorFormat.ts';
import type { PartOf } from './messageParts.ts';

type Path = readonly string[];

/** Two lists of fields. A request may have fields of only one of them. */
type Exclusion = readonly [readonly Path[], readonly Path[]];

/** The first or last picture of a video. */
export type Frame = 'first' | 'last';
export type Frames = Readonly<Partial<Record<Frame, PartOf<'image'>>>>;

/** A route that makes videos. A request takes minutes and costs money. */
export interface AnyVideoRoute {
  readonly id: string;
  /** The display name, in English. */
  readonly label: string;
  /** A short display name, where space is limited. */
  readonly shortLabel: string;
  readonly route: Route;
  /** The format of its errors, if no text format of the same id has one. */
  readonly error?: ErrorFormat;
  /** The headers of every request. */
  readonly vendorHeaders?: Partial<HeaderNames>;
  /**
   * The field that makes a request run in the background. Without it, the reply contains the result. Absent if all
   * requests run in the background.
   */
  readonly backgroundField?: string;
  /** Fields that a form does not show because they are filled in automatically. */
  readonly ownFields: readonly string[];
  /** The initial values of a form: a request that is complete except for its prompt. */
  readonly defaults: JsonObject;
  readonly promptPath: Path;
  /** Fields with a measure, such as 16:9. A measure that contains the number 0 is invalid. */
  readonly measurePaths: readonly Path[];
  /** Fields that cannot be combined. */
  readonly exclusions: readonly Exclusion[];
  /** How the route writes the properties of a video. */
  readonly spelling: VideoSpelling;
  /** Ids of models for this route. */
  readonly models?: RegExp;
  /** The pictures that a request can have. */
  readonly frames: readonly Frame[];
  /** Puts pictures into a request. */
  addFrames(request: JsonObject, frames: Frames): JsonObject;
  /** Removes the pictures from a request and returns them. */
  removeFrames(request: JsonObject): { readonly values: JsonObject; readonly frames: Frames };
}

/** Whether the reply to a request arrives after the video is made, and contains it. */
export function isSynchronous({ backgroundField }: AnyVideoRoute, request: object): boolean {
  return backgroundField !== undefined && Reflect.get(request, backgroundField) !== true;
}

/** The properties of a requested video, independent of the route. */
export interface VideoProperties {
  readonly prompt?: string | undefined;
  /** Such as 16:9. */
  readonly aspectRatio?: string | undefined;
  /** In lower case, such as 720p. */
  readonly resolution?: string | undefined;
  readonly seconds?: number | undefined;
  readonly seed?: number | undefined;
}

export type VideoPropertyName = keyof VideoProperties;

/** How a route writes the properties of a video. */
export interface VideoSpelling {
  /** The fields of the route, and the properties that each of them contains. */
  readonly fields: readonly { readonly path: Path; readonly properties: readonly VideoPropertyName[] }[];
  read(values: JsonObject): VideoProperties;
  /** Writes the properties that the route supports, and removes the fields of the others. */
  write(values: JsonObject, properties: VideoProperties): JsonObject;
}

/** The text in a field; undefined if it is empty or not text. */
export function readText(values: JsonObject, path: Path): string | undefined {
  return nonEmptyString(valueAt(values, path));
}

/** The number in a field; undefined for other values, also for digits in a text. */
export function readNumber(values: JsonObject, path: Path): number | undefined {
  const value = valueAt(values, path);
  return typeof value === 'number' ? value : undefined;
}

/** The values with changed fields; undefined removes a field. */
export function setFields(
  values: JsonObject,
  fields: readonly (readonly [path: Path, value: unknown])[],
): JsonObject {
  return fields.reduce((changed, [path, value]) => withValue(changed, path, value), values);
}

/** The text, if it is one of the words. */
export function findWord<Word extends string>(
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  return words.find((word) => word === text);
}
