import { isObject } from '../../base/json.ts';

type Values = Readonly<Record<string, unknown>>;

/** The value at a path of nested objects. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

/** The same object with another value at a path; objects on the way are made where they are missing. */
export function withValue(object: Values, [key, ...rest]: readonly string[], value: unknown): Values {
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = object[key];
  return { ...object, [key]: withValue(isObject(inner) ? inner : {}, rest, value) };
}
