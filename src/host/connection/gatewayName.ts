import { withoutHidden } from '../kit/display/plainText.ts';

/** Why a gateway cannot have a name. */
export type NameProblem = 'empty' | 'too-long' | 'unprintable' | 'taken';

/** In UTF-16 units, so that the status bar has room for it. */
export const maxNameLength = 60;

/**
 * Says why a gateway cannot be called `name`.
 *
 * @param taken names that others have, in any case
 */
export function nameProblem(name: string, taken: Iterable<string>): NameProblem | undefined {
  if (name.trim() === '') return 'empty';
  if (name.length > maxNameLength) return 'too-long';
  if (/[\t\n]/.test(name) || withoutHidden(name, () => '') !== name) return 'unprintable';
  const same = name.toLowerCase();
  return [...taken].some((other) => other.toLowerCase() === same) ? 'taken' : undefined;
}
