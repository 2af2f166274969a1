import { nonEmptyString } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';

type Values = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** What a request for a video asks for, whatever route it is for. */
export interface VideoMeaning {
  readonly prompt?: string | undefined;
  /** Such as 16:9. */
  readonly aspectRatio?: string | undefined;
  /** In lower case, such as 720p. */
  readonly resolution?: string | undefined;
  readonly seconds?: number | undefined;
  readonly seed?: number | undefined;
}

export type MeaningName = keyof VideoMeaning;

/** How one route writes what several routes know. */
export interface VideoSpelling {
  /** Where the route has a value, and what that value means. */
  readonly places: readonly { readonly path: Path; readonly means: readonly MeaningName[] }[];
  read(values: Values): VideoMeaning;
  /** Writes what the route can say of it, and takes out the rest. */
  write(values: Values, meaning: VideoMeaning): Values;
}

/** The text in a field; undefined for an empty one and for anything else. */
export function textAt(values: Values, path: Path): string | undefined {
  return nonEmptyString(valueAt(values, path));
}

/** The number in a field; undefined for anything else, digits in a text too. */
export function numberAt(values: Values, path: Path): number | undefined {
  const value = valueAt(values, path);
  return typeof value === 'number' ? value : undefined;
}

/** The text, if it is one of these. */
export function oneOf<T extends string>(known: readonly T[], text: string | undefined): T | undefined {
  return known.find((each) => each === text);
}
