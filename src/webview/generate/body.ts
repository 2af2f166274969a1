import { isObject, type JsonObject } from '../../base/json.ts';
import { valueAt, withValue } from '../../base/nestedValues.ts';
import { type Field, fieldsOf, membersOf } from '../form/fields.ts';
import type { JsonSchema } from '../form/jsonSchema.ts';

type Path = readonly string[];

/** What a body holds beside some paths. */
export function restOf(paths: readonly Path[], body: JsonObject): JsonObject {
  return paths.reduce<JsonObject>(
    (rest, path) => (valueAt(rest, path) === undefined ? rest : withValue(rest, path, undefined)),
    body,
  );
}

/** A body with everything beside some paths replaced. What the rest leaves no room for at a path goes. */
export function withRest(paths: readonly Path[], body: JsonObject, rest: JsonObject): JsonObject {
  return paths.reduce((together, path) => {
    const value = valueAt(body, path);
    return value === undefined || !hasRoom(together, path) ? together : withValue(together, path, value);
  }, rest);
}

/** How many of a schema's fields are set, those inside of objects one by one. */
export function countSet(schema: JsonSchema, values: JsonObject): number {
  return countSetFields(fieldsOf(schema), values);
}

/** A member without a field of its own counts as well. */
function countSetFields(fields: readonly Field[], values: JsonObject): number {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(values).reduce((count, [name, value]) => {
    const field = byName.get(name);
    const members = field && membersOf(field);
    return count + (members && isObject(value) ? countSetFields(members, value) : 1);
  }, 0);
}

function hasRoom(body: JsonObject, path: Path): boolean {
  return path.every((_, index) => {
    const outer = valueAt(body, path.slice(0, index));
    return outer === undefined || isObject(outer);
  });
}
