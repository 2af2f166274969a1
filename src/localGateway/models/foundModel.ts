import type { AliasRules } from './alias.ts';
import type { ModelPlace } from './modelTable.ts';

/** What a model's id leads to. */
export interface FoundModel {
  /** Where it is asked: one place, or those of an alias in the order of the configuration; at least one. */
  readonly places: readonly [ModelPlace, ...ModelPlace[]];
  /** Absent where the id is that of a model. */
  readonly alias?: AliasRules;
  /** The places in the order in which one request asks them. The turn of an alias goes on with each call. */
  take(): readonly [ModelPlace, ...ModelPlace[]];
}

export function foundPlace(place: ModelPlace): FoundModel {
  const places: FoundModel['places'] = [place];
  return { places, take: () => places };
}
