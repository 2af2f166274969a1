import type { JsonObject } from '../../../base/json.ts';

/** The value of the first of these members that `read` makes something of, in the likeliest of the objects. */
export function firstValue<Value>(
  objects: readonly JsonObject[],
  keys: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const key of keys) {
    for (const object of objects) {
      const value = read(object[key]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}
