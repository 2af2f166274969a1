import { replaceHidden } from '../kit/display/plainText.ts';

/** Why a name for a gateway is invalid. */
type NameProblem = 'empty' | 'too-long' | 'unprintable' | 'taken';

/** In UTF-16 units; limited because the name is shown in the status bar. */
export const maxGatewayNameLength = 60;

/**
 * Returns why `name` is invalid for a gateway.
 *
 * @param taken names of other gateways; compared without case
 */
export function findNameProblem(name: string, taken: Iterable<string>): NameProblem | undefined {
  if (name.trim() === '') return 'empty';
  if (name.length > maxGatewayNameLength) return 'too-long';
  if (/[\t\n]/.test(name) || replaceHidden(name, () => '') !== name) return 'unprintable';
  const lowerName = name.toLowerCase();
  return [...taken].some((other) => other.toLowerCase() === lowerName) ? 'taken' : undefined;
}
