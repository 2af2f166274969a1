import type { OfferedModel } from './offeredModel.ts';

/** Whether two lists offer the same models with the same texts. */
export function sameOffers(one: readonly OfferedModel[], other: readonly OfferedModel[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((model, i) => isEqual(model, other[i]));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!hasMembers(one) || !hasMembers(other)) return false;
  let remaining = Object.keys(other).length;
  for (const name in one) {
    if (!isEqual(one[name], other[name])) return false;
    remaining--;
  }
  return remaining === 0;
}

/** Whether a value is an object or an array. */
function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
