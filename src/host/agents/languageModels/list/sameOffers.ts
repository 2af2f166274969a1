import type { OfferedModel } from './offeredModel.ts';

/** Whether two lists offer the same models, told in the same words. */
export function sameOffers(one: readonly OfferedModel[], other: readonly OfferedModel[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((model, at) => isEqual(model, other[at]));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isFields(one) || !isFields(other)) return false;
  let left = Object.keys(other).length;
  for (const name in one) {
    if (!isEqual(one[name], other[name])) return false;
    left--;
  }
  return left === 0;
}

/** An object or an array, whose members count. */
function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
