import type { JsonObject } from '../../../base/json.ts';

/** The value of the first of these members that `read` makes something of, in the likeliest layer. */
export function firstValue<Value>(
  layers: readonly JsonObject[],
  keys: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const key of keys) {
    for (const layer of layers) {
      const value = read(layer[key]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}
