import { isObject, type JsonObject } from '../../../base/json.ts';

/** Members that only content generation has, and that only advise. */
const advice: ReadonlySet<string> = new Set(['propertyOrdering', 'property_ordering', 'example']);

/** Members whose numbers it writes as text. */
const counts: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
]);

/** Far deeper than any schema that a provider takes. */
const maxDepth = 64;

/**
 * The JSON Schema of a schema in the OpenAPI form of content generation, whose types are in capitals.
 *
 * @param drop called with the members that are left out
 */
export function jsonSchemaOf(schema: JsonObject, drop: (member: string) => void, depth = 0): JsonObject {
  if (depth > maxDepth) return schema;
  const members = Object.entries(schema).filter(([name]) => !advice.has(name) && name !== 'nullable');
  for (const name of advice) if (name in schema) drop(name);
  const converted = Object.fromEntries(
    members.map(([name, value]) => [name, memberOf(name, value, drop, depth + 1)]),
  );
  if (schema.nullable !== true) return converted;
  const { type } = converted;
  return typeof type === 'string' ? { ...converted, type: [type, 'null'] } : converted;
}

function memberOf(name: string, value: unknown, drop: (member: string) => void, depth: number): unknown {
  const within = (inner: unknown) => (isObject(inner) ? jsonSchemaOf(inner, drop, depth) : inner);
  if (name === 'type') return typeof value === 'string' ? value.toLowerCase() : value;
  if (counts.has(name)) return typeof value === 'string' ? Number(value) : value;
  if (name === 'anyOf') return Array.isArray(value) ? value.map(within) : value;
  if (name === 'items' || name === 'additionalProperties') return within(value);
  if ((name === 'properties' || name === '$defs') && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, within(each)]));
  return value;
}
