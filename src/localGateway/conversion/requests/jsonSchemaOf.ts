import { isObject, type JsonObject } from '../../../base/json.ts';

/** Members that only content generation has, and that only advise. */
const advice: ReadonlySet<string> = new Set(['propertyOrdering', 'property_ordering', 'example']);

/** Members whose numbers it writes as text. */
const counts: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
]);

/** Formats that only content generation has: the number of bits of a number, or an `enum`. */
const ownFormats: ReadonlySet<unknown> = new Set(['enum', 'int32', 'int64', 'float', 'double']);

/** Far deeper than any schema that a provider takes. */
const maxDepth = 64;

/**
 * The JSON Schema of a schema in the OpenAPI form of content generation, whose types are in capitals.
 *
 * @param drop called with the members that are left out
 */
export function jsonSchemaOf(schema: JsonObject, drop: (member: string) => void, depth = 0): JsonObject {
  if (depth > maxDepth) return schema;
  const isDropped = (name: string) =>
    advice.has(name) || (name === 'format' && ownFormats.has(schema.format));
  const members = Object.entries(schema).filter(([name]) => !isDropped(name) && name !== 'nullable');
  for (const name of Object.keys(schema)) if (isDropped(name)) drop(name);
  const converted = Object.fromEntries(
    members.map(([name, value]) => [name, memberOf(name, value, drop, depth + 1)]),
  );
  return schema.nullable === true ? withNull(converted) : converted;
}

/** The schema whose values may be null as well. */
function withNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
    ...(type === undefined && Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
  };
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
