import type { OfferedModel } from '../offeredModel.ts';

/** Whether two lists offer the same models, told in the same words. */
export function sameOffers(one: readonly OfferedModel[], other: readonly OfferedModel[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((model, at) => isEqual(model, other[at]));
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isFields(one) || !isFields(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isEqual(one[name], other[name]));
}

/** An object or an array, whose members count. */
function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
