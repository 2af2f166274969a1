import type { JsonObject } from '../../../base/json.ts';

/** The first value that `read` accepts, by the order of the members and then of the objects. */
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
