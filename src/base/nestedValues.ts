import { isObject, type JsonObject } from './json.ts';

type Path = readonly string[];

/** The value at a path of nested objects; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/**
 * A copy of the object with another value at a path. Missing objects on the path are created, and values that are
 * not objects are replaced. The value undefined removes the member, and the objects on the path that become empty.
 */
export function withValue(object: JsonObject, path: Path, value: unknown): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const inner = rest.length === 0 ? value : omitEmpty(withValue(readObject(object, name), rest, value));
  const { [name]: _, ...others } = object;
  return inner === undefined ? others : { ...object, [name]: inner };
}

/** The value, with null in place of objects and arrays that are nested deeper than `depth` levels. */
export function cutBelow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((each) => cutBelow(each, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutBelow(each, depth - 1)]));
}

/**
 * The members of both objects. If both objects have a member, its objects are merged, and any other value of
 * `overrides` replaces the value of `base`.
 */
export function mergeObjects(base: JsonObject, overrides: JsonObject): JsonObject {
  const merged = Object.entries(overrides).map(([name, value]) => {
    const baseValue = valueAt(base, [name]);
    return [name, isObject(baseValue) && isObject(value) ? mergeObjects(baseValue, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** The object, or undefined if it is empty. */
export function omitEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length > 0 ? object : undefined;
}

function readObject(object: JsonObject, name: string): JsonObject {
  const inner = valueAt(object, [name]);
  return isObject(inner) ? inner : {};
}

/** A value in nested objects, with its path. */
interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

/** Lists the values in nested objects that are not objects, each with its path. */
export function listLeaves(object: JsonObject, path: Path = []): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? listLeaves(value, [...path, name]) : [{ path: [...path, name], value }],
  );
}
