import type { HeaderNames } from '../../headerNames.ts';
import type { Route } from '../../routes.ts';
import type { PartOf } from './encoding.ts';
import type { ErrorFormat } from './errorFormat.ts';
import type { VideoSpelling } from './videoMeaning.ts';

type Values = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Two sides of which a request says one at most: each is a list of fields that go together. */
export type Exclusion = readonly [readonly Path[], readonly Path[]];

/** The picture a video begins with, and the one it ends with. */
export type Frame = 'first' | 'last';
export type Frames = Readonly<Partial<Record<Frame, PartOf<'image'>>>>;

/** What one route is on which videos are made: work that takes minutes and money. */
export interface VideoRoute {
  readonly id: string;
  /** The name as people read it, in English. */
  readonly label: string;
  /** One word of it, for where there is no room. */
  readonly shortLabel: string;
  readonly route: Route;
  /** The format of its errors, where no text format of the same id has one. */
  readonly error?: ErrorFormat;
  /** What every request says in headers. */
  readonly vendorHeaders?: Partial<HeaderNames>;
  /**
   * The field by which a request asks to be made in the background; where it does not, the reply brings what
   * was made. Absent where everything is made in the background.
   */
  readonly backgroundField?: string;
  /** Fields that are filled in by themselves: a form leaves them out. */
  readonly ownFields: readonly string[];
  /** What a form begins with: a request that is whole but for its prompt. */
  readonly defaults: Values;
  readonly promptPath: Path;
  readonly durationPath: Path;
  /** Measures that have the right form and are nothing all the same where they say 0. */
  readonly measurePaths: readonly Path[];
  /** Fields that exclude each other. */
  readonly exclusions: readonly Exclusion[];
  /** How it writes what other routes know as well. */
  readonly spelling: VideoSpelling;
  /** Models that are known to be made for this route, by their ids. */
  readonly models?: RegExp;
  /** Which pictures a request has a place for. */
  readonly frames: readonly Frame[];
  /** Puts pictures into a request. */
  withFrames(request: Values, frames: Frames): Values;
  /** Takes the pictures out of a request again. */
  takeFrames(request: Values): { readonly values: Values; readonly frames: Frames };
}

/** Whether the reply to a request comes only when the video is made, and brings it. */
export function isSynchronous({ backgroundField }: VideoRoute, request: object): boolean {
  return backgroundField !== undefined && Reflect.get(request, backgroundField) !== true;
}
