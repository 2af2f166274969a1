import { isObject, type JsonObject } from '../../../base/json.ts';

/** Optional hints that only content generation has. */
const hints: ReadonlySet<string> = new Set(['propertyOrdering', 'property_ordering', 'example']);

/** Members whose numbers the format writes as text. */
const counts: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/** Values of `format` that only content generation has: sizes of numbers, and `enum`. */
const ownFormats: ReadonlySet<unknown> = new Set(['enum', 'int32', 'int64', 'float', 'double']);

/** Far deeper than any schema that a provider accepts. */
const maxDepth = 64;

/**
 * Converts a schema in the OpenAPI form of content generation, whose types are in capitals, to JSON Schema.
 *
 * @param drop called with the omitted members
 */
export function toJsonSchema(schema: JsonObject, drop: (member: string) => void, depth = 0): JsonObject {
  if (depth > maxDepth) return schema;
  const isDropped = (name: string) => hints.has(name) || (name === 'format' && ownFormats.has(schema.format));
  const members = Object.entries(schema).filter(([name]) => !isDropped(name) && name !== 'nullable');
  for (const name of Object.keys(schema)) if (isDropped(name)) drop(name);
  const newSchema = Object.fromEntries(
    members.map(([name, value]) => [name, convertMember(name, value, drop, depth + 1)]),
  );
  return schema.nullable === true ? allowNull(newSchema) : newSchema;
}

/** The schema that also allows null. */
function allowNull(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
    ...(type === undefined && Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
  };
}

function convertMember(name: string, value: unknown, drop: (member: string) => void, depth: number): unknown {
  const convert = (inner: unknown) => (isObject(inner) ? toJsonSchema(inner, drop, depth) : inner);
  if (name === 'type') return typeof value === 'string' ? value.toLowerCase() : value;
  if (counts.has(name)) return typeof value === 'string' ? Number(value) : value;
  if (name === 'anyOf') return Array.isArray(value) ? value.map(convert) : value;
  if (name === 'items' || name === 'additionalProperties') return convert(value);
  if ((name === 'properties' || name === '$defs') && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convert(each)]));
  return value;
}

// The provider of content generation accepts names in snake case and in camel case, and its examples use both.

/** Members whose content belongs to the caller. The names in it are not changed. */
const callerMembers: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
]);

/** `JSON.isRawJSON` exists since Node 21. The types of ES2024 do not contain it. */
const { isRawJSON = () => false } = JSON as typeof JSON & { isRawJSON?: (value: unknown) => boolean };

/**
 * Converts `system_instruction` and similar names to `systemInstruction`. If both names exist, neither is changed.
 */
export function toCamelCaseNames(request: JsonObject): JsonObject {
  const entries = Object.entries(request).map(([name, value]): [string, unknown] => {
    const camelCaseName = toCamelCase(name);
    const newName = camelCaseName in request ? name : camelCaseName;
    return [newName, callerMembers.has(newName) ? value : toCamelCaseValue(value)];
  });
  return Object.fromEntries(entries);
}

function toCamelCaseValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCaseValue);
  return isObject(value) && !isRawJSON(value) ? toCamelCaseNames(value) : value;
}

function toCamelCase(name: string): string {
  return /^[a-z]+(_[a-z]+)+$/.test(name)
    ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
