import { isObject, type JsonObject } from '../../../base/json.ts';

// The provider of content generation takes every name in two spellings, and its own examples use both.

/** Members whose content is the caller's, whatever its names are. */
const callersOwn: ReadonlySet<string> = new Set([
  ...['args', 'response', 'parameters', 'parametersJsonSchema', 'responseSchema', 'responseJsonSchema'],
]);

/** In Node since 22. Its type is newer than the library that this project is compiled against. */
const { isRawJSON = () => false } = JSON as typeof JSON & { isRawJSON?: (value: unknown) => boolean };

/** The request with `system_instruction` and its like as `systemInstruction`. A name that is there in both stays. */
export function withPlainNames(request: JsonObject): JsonObject {
  const entries = Object.entries(request).map(([name, value]): [string, unknown] => {
    const plain = camelCased(name);
    const known = plain in request ? name : plain;
    return [known, callersOwn.has(known) ? value : plainValue(value)];
  });
  return Object.fromEntries(entries);
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return isObject(value) && !isRawJSON(value) ? withPlainNames(value) : value;
}

function camelCased(name: string): string {
  return /^[a-z]+(_[a-z]+)+$/.test(name)
    ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
