import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isObject } from '../../base/json.ts';
import type { AnswerCheck, Fault, JsonPath } from './checkResult.ts';

/** The longest answer that is checked, in UTF-16 units. */
export const maxAnswerLength = 1024 * 1024;

const maxFaults = 100;

/** The longest part of a schema that is told with a fault, as JSON. */
const maxExpectedLength = 200;

/** The JSON of an answer: all of it, or all that stands in its one block of code. */
export function jsonIn(text: string): {
  readonly json: string;
  readonly begin: number;
  readonly isFenced: boolean;
} {
  const fenced = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?```\s*$/i.exec(text);
  const json = fenced?.[1];
  return json === undefined
    ? { json: text, begin: 0, isFenced: false }
    : { json, begin: text.indexOf(json, text.indexOf('\n')), isFenced: true };
}

/**
 * Holds an answer against its schema. The work that a schema asks for has no bound: only in a thread that can be
 * ended.
 */
export function checkAnswer(text: string, schema: object): AnswerCheck {
  if (text.length > maxAnswerLength) return { kind: 'too-long', length: text.length };
  const { json, isFenced } = jsonIn(text);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { kind: 'no-json', detail: error instanceof Error ? error.message : '' };
  }
  try {
    const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(value);
    return valid ? { kind: 'matches', isFenced } : differing(errors, schema, value);
  } catch (error) {
    // A schema that leads back to itself without end fills the stack.
    if (error instanceof RangeError) return { kind: 'too-much' };
    return { kind: 'bad-schema', detail: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
}

function draftOf(schema: object): SchemaDraft {
  const named = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
  if (/draft-0?4\b/.test(named)) return '4';
  if (/draft-0?[67]\b/.test(named)) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Keywords that only say that something inside of them is wrong. */
const outer: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'dependentSchemas'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['$ref', '$recursiveRef', '$dynamicRef', 'allOf', 'then', 'else', 'if'],
]);

/** Keywords of which each alternative may be wrong in its own way: that all are is what is told. */
const alternatives: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'contains']);

function differing(errors: readonly OutputUnit[], schema: object, value: unknown): AnswerCheck {
  const choices = new Set(
    errors.filter(({ keyword }) => alternatives.has(keyword)).map(({ keywordLocation }) => keywordLocation),
  );
  const inner = errors.filter(({ keyword, keywordLocation }) => {
    return !outer.has(keyword) && !isWithin(keywordLocation, choices);
  });
  const told = inner.length > 0 ? inner : errors.slice(0, 1);
  const faults = distinct(told.flatMap((error) => faultsOf(error, schema, value)));
  return { kind: 'differs', faults: faults.slice(0, maxFaults), count: faults.length };
}

/** Whether a place in the schema lies inside of one of these. */
function isWithin(location: string, places: ReadonlySet<string>): boolean {
  for (let end = location.lastIndexOf('/'); end > 0; end = location.lastIndexOf('/', end - 1)) {
    if (places.has(location.slice(0, end))) return true;
  }
  return false;
}

function faultsOf(
  { instanceLocation, keyword, keywordLocation }: OutputUnit,
  schema: object,
  value: unknown,
) {
  const path = pathOf(instanceLocation, value);
  const expected = keyword === 'false' ? undefined : schemaAt(schema, keywordLocation);
  if (keyword !== 'required' || !Array.isArray(expected))
    return [{ path, keyword, expected: short(expected) }];
  const there = valueAt(value, path);
  const missing = expected.filter(
    (name) => typeof name === 'string' && !(isObject(there) && Object.hasOwn(there, name)),
  );
  return missing.map(
    (name): Fault => ({ path: [...path, String(name)], keyword: 'missing', expected: undefined }),
  );
}

function distinct(faults: readonly Fault[]): readonly Fault[] {
  const known = new Set<string>();
  return faults.filter((fault) => {
    const text = JSON.stringify(fault);
    return known.has(text) ? false : known.add(text);
  });
}

function short(expected: unknown): unknown {
  return (JSON.stringify(expected)?.length ?? 0) <= maxExpectedLength ? expected : undefined;
}

/** The path that a JSON pointer leads. */
function pathOf(pointer: string, value: unknown): JsonPath {
  const path: (string | number)[] = [];
  let at = value;
  for (const name of namesIn(pointer)) {
    path.push(Array.isArray(at) ? Number(name) : name);
    at = memberOf(at, name);
  }
  return path;
}

/** What stands at a place of a schema, through its references. */
function schemaAt(schema: object, pointer: string): unknown {
  let at: unknown = schema;
  for (const name of namesIn(pointer)) {
    at = memberOf(at, name);
    if (name !== '$ref' || typeof at !== 'string') continue;
    if (!at.startsWith('#')) return undefined;
    at = namesIn(at).reduce<unknown>(memberOf, schema);
  }
  return at;
}

export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((at, name) => memberOf(at, String(name)), value);
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names in a JSON pointer within a document, such as `#/a~1b/0`. */
export function namesIn(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
