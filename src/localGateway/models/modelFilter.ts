import { modelMatcher } from '../../base/modelPattern.ts';

/** Which models of an upstream are served, by the upstream's own ids. */
export interface ModelFilter {
  /** Whether it is served at all, if only by an alias. */
  allows(model: string): boolean;
  /** Whether callers see it, and may ask for it by its own id. */
  shows(model: string): boolean;
}

/** @param patterns in which `*` stands for any text */
export function modelFilter({
  allow,
  hide = [],
}: {
  readonly allow?: readonly string[] | undefined;
  readonly hide?: readonly string[] | undefined;
}): ModelFilter {
  const allowed = allow?.map(modelMatcher);
  const hidden = hide.map(modelMatcher);
  const allows = (model: string) => allowed?.some((matches) => matches(model)) ?? true;
  return { allows, shows: (model) => allows(model) && !hidden.some((matches) => matches(model)) };
}
