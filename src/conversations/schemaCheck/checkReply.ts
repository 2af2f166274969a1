import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isObject } from '../../base/json.ts';
import type { Fault, JsonPath, ReplyCheck } from './checkResult.ts';

/** The maximum length of a checked reply, in UTF-16 units. */
export const maxCheckedLength = 1024 * 1024;

const maxFaults = 100;

/** The maximum length of a schema excerpt reported with a fault, as JSON. */
const maxExpectedLength = 200;

/**
 * Extracts the JSON of a reply: the whole text, or the content of its only code block.
 *
 * @returns `start`: the offset of the JSON in the text
 */
export function extractJson(text: string): {
  readonly json: string;
  readonly start: number;
  readonly isFenced: boolean;
} {
  const fenced = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?```\s*$/i.exec(text);
  const json = fenced?.[1];
  return json === undefined
    ? { json: text, start: 0, isFenced: false }
    : { json, start: text.indexOf(json, text.indexOf('\n')), isFenced: true };
}

/**
 * Checks a reply against its schema. Schemas can require unlimited work, so call this only in a thread that
 * can be ended.
 */
export function checkReply(text: string, schema: object): ReplyCheck {
  if (text.length > maxCheckedLength) return { kind: 'too-long', length: text.length };
  const { json, isFenced } = extractJson(text);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { kind: 'not-json', detail: error instanceof Error ? error.message : '' };
  }
  try {
    const { valid, errors } = new Validator(schema, detectDraft(schema), false).validate(value);
    return valid ? { kind: 'matches', isFenced } : createMismatch(errors, schema, value);
  } catch (error) {
    // A schema with endless self-references overflows the stack.
    if (error instanceof RangeError) return { kind: 'too-much' };
    return { kind: 'bad-schema', detail: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
}

function detectDraft(schema: object): SchemaDraft {
  const dialect = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
  if (/draft-0?4\b/.test(dialect)) return '4';
  if (/draft-0?[67]\b/.test(dialect)) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Keywords that only report that something inside them is wrong. */
const containerKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$ref',
  '$recursiveRef',
  '$dynamicRef',
  'allOf',
  'then',
  'else',
  'if',
]);

/** Keywords whose alternatives may all fail for different reasons: only the keyword itself is reported. */
const alternativeKeywords: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'contains']);

function createMismatch(errors: readonly OutputUnit[], schema: object, value: unknown): ReplyCheck {
  const alternativeLocations = new Set(
    errors
      .filter(({ keyword }) => alternativeKeywords.has(keyword))
      .map(({ keywordLocation }) => keywordLocation),
  );
  const innerErrors = errors.filter(({ keyword, keywordLocation }) => {
    return !containerKeywords.has(keyword) && !isWithin(keywordLocation, alternativeLocations);
  });
  const reported = innerErrors.length > 0 ? innerErrors : errors.slice(0, 1);
  const faults = removeDuplicates(reported.flatMap((error) => createFaults(error, schema, value)));
  return { kind: 'differs', faults: faults.slice(0, maxFaults), count: faults.length };
}

/** Whether a location in the schema is inside one of these locations. */
function isWithin(location: string, locations: ReadonlySet<string>): boolean {
  for (let end = location.lastIndexOf('/'); end > 0; end = location.lastIndexOf('/', end - 1)) {
    if (locations.has(location.slice(0, end))) return true;
  }
  return false;
}

function createFaults(
  { instanceLocation, keyword, keywordLocation }: OutputUnit,
  schema: object,
  value: unknown,
) {
  const path = readPath(instanceLocation, value);
  const expected = keyword === 'false' ? undefined : findSchema(schema, keywordLocation);
  if (keyword !== 'required' || !Array.isArray(expected))
    return [{ path, keyword, expected: omitIfLong(expected) }];
  const container = getValueAt(value, path);
  const missing = expected.filter(
    (name) => typeof name === 'string' && !(isObject(container) && Object.hasOwn(container, name)),
  );
  return missing.map(
    (name): Fault => ({ path: [...path, String(name)], keyword: 'missing', expected: undefined }),
  );
}

function removeDuplicates(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const text = JSON.stringify(fault);
    return seen.has(text) ? false : seen.add(text);
  });
}

function omitIfLong(expected: unknown): unknown {
  return (JSON.stringify(expected)?.length ?? 0) <= maxExpectedLength ? expected : undefined;
}

/** Converts a JSON pointer to a path: only the value shows which names are indices. */
function readPath(pointer: string, value: unknown): JsonPath {
  const path: (string | number)[] = [];
  let current = value;
  for (const name of splitPointer(pointer)) {
    path.push(Array.isArray(current) ? Number(name) : name);
    current = getMember(current, name);
  }
  return path;
}

/** Finds the value at a JSON pointer in a schema, with local references resolved. */
function findSchema(schema: object, pointer: string): unknown {
  let current: unknown = schema;
  for (const name of splitPointer(pointer)) {
    current = getMember(current, name);
    if (name !== '$ref' || typeof current !== 'string') continue;
    if (!current.startsWith('#')) return undefined;
    current = splitPointer(current).reduce<unknown>(getMember, schema);
  }
  return current;
}

export function getValueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((current, name) => getMember(current, String(name)), value);
}

function getMember(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Splits a JSON pointer within a document, such as `#/a~1b/0`, into its names. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => decodeName(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
