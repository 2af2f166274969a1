import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';

/** The limits of the depth and the size of an example, because a schema may refer to itself. */
const maxDepth = 8;
const maxValues = 1_000;
const maxTextLength = 1_000;

/**
 * Creates a value that matches the types, enums and limits of a JSON Schema, or of its dialect in content
 * generation. The same schema results in the same value.
 *
 * @param word the text for schemas that allow any text
 */
export function createExample(schema: unknown, word: string): unknown {
  let remaining = maxValues;

  function createValue(subschema: unknown, depth: number): unknown {
    remaining -= 1;
    if (depth > maxDepth || remaining < 0) return null;
    const rules = mergeAllOf(resolveReference(schema, subschema), depth);
    const [fixedValue] = [
      rules.const,
      rules.default,
      readFirst(rules.enum),
      readFirst(rules.examples),
      rules.example,
    ].filter((value) => value !== undefined);
    if (fixedValue !== undefined) return fixedValue;
    const [branch] = readBranches(rules).filter(
      (each) => readType(resolveReference(schema, each)) !== 'null',
    );
    if (branch !== undefined) return createValue(branch, depth + 1);
    switch (readType(rules)) {
      case 'object':
        return createObject(rules, depth);
      case 'array':
        return createList(rules, depth);
      case 'string':
        return createText(rules, word);
      case 'number':
      case 'integer':
        return createNumber(rules);
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  /** Merges the members of `allOf` into one schema. */
  function mergeAllOf(rules: JsonObject, depth: number): JsonObject {
    if (!Array.isArray(rules.allOf) || depth > maxDepth || remaining < 0) return rules;
    remaining -= rules.allOf.length;
    const members = rules.allOf.map((member) => mergeAllOf(resolveReference(schema, member), depth + 1));
    const parts = [rules, ...members];
    return {
      ...Object.assign({}, ...parts),
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
    };
  }

  /** Creates an object with the required properties, or with all properties if none is required. */
  function createObject({ properties, required }: JsonObject, depth: number): object {
    const entries = isObject(properties) ? Object.entries(properties) : [];
    const requiredNames = Array.isArray(required) && required.length > 0 ? required : undefined;
    return Object.fromEntries(
      entries
        .filter(([name]) => requiredNames === undefined || requiredNames.includes(name))
        .map(([name, value]) => [name, createValue(value, depth + 1)]),
    );
  }

  function createList({ items, prefixItems, minItems }: JsonObject, depth: number): readonly unknown[] {
    if (Array.isArray(prefixItems)) return prefixItems.map((item) => createValue(item, depth + 1));
    if (items === undefined) return [];
    const length = Math.min(20, Math.max(1, readNumber(minItems) ?? 1));
    return Array.from({ length }, () => createValue(items, depth + 1));
  }

  return createValue(schema, 0);
}

function readFirst(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function readBranches({ anyOf, oneOf }: JsonObject): readonly unknown[] {
  return [anyOf, oneOf].find((list) => Array.isArray(list)) ?? [];
}

/** Follows references within the root schema. */
function resolveReference(root: unknown, schema: unknown): JsonObject {
  let found = schema;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const reference = isObject(found) ? nonEmptyString(found.$ref) : undefined;
    if (!reference?.startsWith('#/')) return isObject(found) ? found : {};
    found = root;
    for (const name of reference.slice(2).split('/')) {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
  }
  return {};
}

/** Reads the type in lower case, because content generation writes types in capitals. */
function readType({ type, properties, items }: JsonObject): string | undefined {
  const typeName = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (typeof typeName === 'string') return typeName.toLowerCase();
  if (properties !== undefined) return 'object';
  return items === undefined ? undefined : 'array';
}

const formatExamples: ReadonlyMap<unknown, string> = new Map([
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

function createText({ format, minLength, maxLength }: JsonObject, word: string): string {
  const minTextLength = Math.min(maxTextLength, readNumber(minLength) ?? 0);
  const text = formatExamples.get(format) ?? word;
  return text.padEnd(minTextLength, '.').slice(0, readNumber(maxLength) ?? maxTextLength);
}

function createNumber(rules: JsonObject): number {
  const step = readNumber(rules.multipleOf) ?? 1;
  const [minimum, exclusiveMinimum] = [readNumber(rules.minimum), readNumber(rules.exclusiveMinimum)];
  const [most, below] = [readNumber(rules.maximum), readNumber(rules.exclusiveMaximum)];
  const [low, high] = [minimum ?? exclusiveMinimum, most ?? below];
  const isInteger = readType(rules) === 'integer' || rules.multipleOf !== undefined;
  if (!isInteger && low !== undefined && high !== undefined) return (low + high) / 2;
  const first = minimum ?? (exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + step);
  const last = most ?? (below === undefined ? Infinity : below - step);
  const number = Math.min(last, Math.max(first, 1));
  return rules.multipleOf === undefined ? number : Math.ceil(number / step) * step;
}

/** Reads a number, also from a string, because some schemas write limits as strings. */
function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
