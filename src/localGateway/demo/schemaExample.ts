import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';

/** Limits for the depth and the size of an example, since a schema may refer to itself. */
const maxDepth = 8;
const maxValues = 1_000;
const maxTextLength = 1_000;

/**
 * Makes a value for a JSON Schema, or for the dialect of it in content generation, that fits its types, enums
 * and limits. Deterministic.
 *
 * @param word the text where the schema allows any
 */
export function exampleOf(schema: unknown, word: string): unknown {
  let left = maxValues;

  function example(sought: unknown, depth: number): unknown {
    left -= 1;
    if (depth > maxDepth || left < 0) return null;
    const facts = merged(resolved(schema, sought));
    const [given] = [
      facts.const,
      facts.default,
      first(facts.enum),
      first(facts.examples),
      facts.example,
    ].filter((value) => value !== undefined);
    if (given !== undefined) return given;
    const [branch] = branches(facts).filter((each) => typeOf(resolved(schema, each)) !== 'null');
    if (branch !== undefined) return example(branch, depth + 1);
    switch (typeOf(facts)) {
      case 'object':
        return objectExample(facts, depth);
      case 'array':
        return listExample(facts, depth);
      case 'string':
        return textExample(facts, word);
      case 'number':
      case 'integer':
        return numberExample(facts);
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  /** Holds the required properties, or all where none is required. */
  function objectExample({ properties, required }: JsonObject, depth: number): object {
    const known = isObject(properties) ? Object.entries(properties) : [];
    const wanted = Array.isArray(required) && required.length > 0 ? required : undefined;
    return Object.fromEntries(
      known
        .filter(([name]) => wanted === undefined || wanted.includes(name))
        .map(([name, value]) => [name, example(value, depth + 1)]),
    );
  }

  function listExample({ items, prefixItems, minItems }: JsonObject, depth: number): readonly unknown[] {
    if (Array.isArray(prefixItems)) return prefixItems.map((item) => example(item, depth + 1));
    if (items === undefined) return [];
    const length = Math.min(20, Math.max(1, numberOf(minItems) ?? 1));
    return Array.from({ length }, () => example(items, depth + 1));
  }

  return example(schema, 0);
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function branches({ anyOf, oneOf }: JsonObject): readonly unknown[] {
  return [anyOf, oneOf].find((list) => Array.isArray(list)) ?? [];
}

/** Follows a reference within the root schema. */
function resolved(root: unknown, schema: unknown): JsonObject {
  const reference = isObject(schema) ? nonEmptyString(schema.$ref) : undefined;
  if (!reference?.startsWith('#/')) return isObject(schema) ? schema : {};
  let found = root;
  for (const name of reference.slice(2).split('/')) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isObject(found) ? found : {};
}

/** Merges the members of `allOf` into one schema. */
function merged(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.allOf)) return schema;
  const parts = [schema, ...schema.allOf.filter(isObject)];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
  };
}

/** In lower case, since content generation writes types in capitals. */
function typeOf({ type, properties, items }: JsonObject): string | undefined {
  const told = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (typeof told === 'string') return told.toLowerCase();
  if (properties !== undefined) return 'object';
  return items === undefined ? undefined : 'array';
}

const formats: ReadonlyMap<unknown, string> = new Map([
  ['date', '2026-01-01'],
  ['date-time', '2026-01-01T00:00:00Z'],
  ['time', '12:00:00Z'],
  ['duration', 'PT1H'],
  ['email', 'demo@example.com'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

function textExample({ format, minLength, maxLength }: JsonObject, word: string): string {
  const least = Math.min(maxTextLength, numberOf(minLength) ?? 0);
  const text = formats.get(format) ?? word;
  return text.padEnd(least, '.').slice(0, numberOf(maxLength) ?? maxTextLength);
}

function numberExample(facts: JsonObject): number {
  const step = numberOf(facts.multipleOf) ?? 1;
  const [least, above] = [numberOf(facts.minimum), numberOf(facts.exclusiveMinimum)];
  const [most, below] = [numberOf(facts.maximum), numberOf(facts.exclusiveMaximum)];
  const [low, high] = [least ?? above, most ?? below];
  const isWhole = typeOf(facts) === 'integer' || facts.multipleOf !== undefined;
  if (!isWhole && low !== undefined && high !== undefined) return (low + high) / 2;
  const first = least ?? (above === undefined ? -Infinity : above + step);
  const last = most ?? (below === undefined ? Infinity : below - step);
  const number = Math.min(last, Math.max(first, 1));
  return facts.multipleOf === undefined ? number : Math.ceil(number / step) * step;
}

/** Some schemas write limits as strings. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
