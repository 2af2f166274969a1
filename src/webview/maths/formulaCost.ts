import { maxFormulaDepth } from '../markdown/limits.ts';
import { t } from '../words/l10n.ts';

/** How often macros of the library may be expanded in one formula. */
const maxExpansions = 500;

/** How much text a formula's own macros may become, about, in UTF-16 units. */
const maxExpanded = 20_000;

/** How often the parameters of a formula's own macros may stand in it: each use of one copies words. */
const maxParameters = 12;

/** How much text a formula may become, in UTF-16 units, where each command that the library builds twice doubles it. */
const maxDoubled = 4000;

/** The longest formula of chemistry, which the library reads slowly. */
const maxChemistry = 600;

const definition =
  /\\(?:[egx]?def|(?:provide|(?:re)?new)command|(?:future|q)?let|DeclareMathOperator)(?![a-z])/i;
const doubling = /\\(?:cancelto|equilibrium(?:Right|Left))(?![a-z])|<=>>|<<=>/gi;
const chemistry = /\\(?:ce|pu)(?![a-z])/i;

/**
 * How often the library may expand macros in a formula, so that it reads none for longer than a page may stand
 * still. It counts expansions, not what they become: a formula that defines macros of its own may be small and
 * become a million signs.
 */
export function formulaCost(
  source: string,
): { readonly maxExpansions: number } | { readonly problem: string } {
  if (depthOf(source) > maxFormulaDepth) return { problem: t('it is nested too deep') };
  if (chemistry.test(source) && source.length > maxChemistry)
    return { problem: t('it is too long for chemistry') };
  const isDefining = definition.test(source);
  const doubled = source.match(doubling)?.length ?? 0;
  const isTooOften = isDefining ? doubled > 0 : source.length * 2 ** doubled > maxDoubled;
  if (isTooOften) return { problem: t('it would be built too often') };
  if (!isDefining) return { maxExpansions };
  const parameters = source.match(/#/g)?.length ?? 0;
  if (parameters > maxParameters) return { problem: t('its macros are too large') };
  return {
    maxExpansions: Math.min(maxExpansions, Math.floor(maxExpanded / source.length / (1 + parameters))),
  };
}

function depthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of source.matchAll(/\\.|[{}]/gs)) {
    if (mark === '{') depth += 1;
    else if (mark === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
