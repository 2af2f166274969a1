import { isObject, type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { valueAt, withValue } from '../../base/nestedValues.ts';
import { createFields, type Field, getGroupMembers } from '../form/formFields.ts';

type Path = readonly string[];

/** Returns a body without the values at these paths. */
export function removePaths(paths: readonly Path[], body: JsonObject): JsonObject {
  return paths.reduce<JsonObject>(
    (rest, path) => (valueAt(rest, path) === undefined ? rest : withValue(rest, path, undefined)),
    body,
  );
}

/** Replaces a body except for the values at these paths. Such a value is dropped if `rest` has no object for it. */
export function replaceRest(paths: readonly Path[], body: JsonObject, rest: JsonObject): JsonObject {
  return paths.reduce((together, path) => {
    const value = valueAt(body, path);
    return value === undefined || !hasObjectFor(together, path) ? together : withValue(together, path, value);
  }, rest);
}

/** Returns the values of a body that differ from another body. */
export function pickChanges(before: JsonObject, body: JsonObject): JsonObject {
  const changed = Object.entries(body).flatMap(([name, value]) => {
    const old = valueAt(before, [name]);
    if (sameJson(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? pickChanges(old, value) : value] as const];
  });
  return Object.fromEntries(changed);
}

/** Counts the fields of a schema that are set, including those inside objects. */
export function countSetValues(schema: JsonSchema, values: JsonObject): number {
  return countSetFields(createFields(schema), values);
}

/** Also counts members without a field. */
function countSetFields(fields: readonly Field[], values: JsonObject): number {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(values).reduce((count, [name, value]) => {
    const field = byName.get(name);
    const members = field && getGroupMembers(field);
    return count + (members && isObject(value) ? countSetFields(members, value) : 1);
  }, 0);
}

function hasObjectFor(body: JsonObject, path: Path): boolean {
  return path.every((_, index) => {
    const outer = valueAt(body, path.slice(0, index));
    return outer === undefined || isObject(outer);
  });
}
