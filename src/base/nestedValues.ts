import { isObject, type JsonObject } from './json.ts';

type Path = readonly string[];

/** The value at a path of nested objects; undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/**
 * The object with another value at a path. Objects on the way are made where they are missing, in the place of
 * anything else; undefined takes the value out, and objects that are left empty.
 */
export function withValue(object: JsonObject, path: Path, value: unknown): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const inner = rest.length === 0 ? value : unlessEmpty(withValue(objectAt(object, name), rest, value));
  const { [name]: _, ...others } = object;
  return inner === undefined ? others : { ...object, [name]: inner };
}

/** The value, with null in place of objects and arrays that are nested deeper. */
export function cutBelow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((each) => cutBelow(each, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutBelow(each, depth - 1)]));
}

/** The members of both objects. Where both have one, objects are merged, and anything else is that of `over`. */
export function mergedObjects(under: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = Object.hasOwn(under, name) ? under[name] : undefined;
    return [name, isObject(below) && isObject(value) ? mergedObjects(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

/** The object, or undefined for an empty one. */
export function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length > 0 ? object : undefined;
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(inner) ? inner : {};
}
