import { LineCounter, parseDocument } from 'yaml';
import { isObject } from '../../base/json.ts';
import { namesIn, valueAt } from './checkAnswer.ts';
import type { JsonPath, SchemaProblem } from './checkResult.ts';

/** The most schemas within a schema. */
const maxSchemas = 5000;

const types: ReadonlySet<unknown> = new Set([
  ...['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'],
]);

/** Keywords whose value is a schema, by what holds it. */
const single = [
  ...[
    'items',
    'additionalItems',
    'contains',
    'additionalProperties',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

interface Found {
  readonly kind: Extract<SchemaProblem, { readonly line: number }>['kind'];
  readonly path: JsonPath;
  readonly written: string;
}

/** Finds what is wrong with the text of a JSON Schema; undefined for one that answers can be held against. */
export function schemaProblem(text: string): SchemaProblem | undefined {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return { kind: 'no-json', detail: error instanceof Error ? error.message : '' };
  }
  if (!isObject(schema)) return { kind: 'no-object' };
  const found = firstProblem(schema);
  return found && { kind: found.kind, written: found.written, line: lineOf(text, found.path) };
}

function firstProblem(root: object): Found | undefined {
  const waiting: { readonly schema: unknown; readonly path: JsonPath }[] = [{ schema: root, path: [] }];
  for (let count = 0; waiting.length > 0; count += 1) {
    const { schema, path } = waiting.pop() ?? { schema: true, path: [] };
    if (count > maxSchemas) return { kind: 'too-large', path, written: String(maxSchemas) };
    if (typeof schema === 'boolean') continue;
    if (!isObject(schema)) return { kind: 'no-schema', path, written: String(path.at(-1) ?? '') };
    const problem = ownProblem(schema, path, root);
    if (problem) return problem;
    waiting.push(...within(schema, path));
  }
  return undefined;
}

function ownProblem(
  schema: { readonly [name: string]: unknown },
  path: JsonPath,
  root: object,
): Found | undefined {
  const { type, pattern, $ref: reference, patternProperties } = schema;
  const strange = [type ?? []].flat().find((each) => !types.has(each));
  if (strange !== undefined) return { kind: 'type', path: [...path, 'type'], written: String(strange) };
  if (typeof pattern === 'string' && !isPattern(pattern))
    return { kind: 'pattern', path: [...path, 'pattern'], written: pattern };
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const broken = patterns.find((each) => !isPattern(each));
  if (broken !== undefined) return { kind: 'pattern', path: [...path, 'patternProperties'], written: broken };
  if (typeof reference === 'string' && leadsNowhere(reference, root))
    return { kind: 'reference', path: [...path, '$ref'], written: reference };
  return undefined;
}

function within(schema: { readonly [name: string]: unknown }, path: JsonPath) {
  const one = single.flatMap((name) => {
    const value = schema[name];
    // Before draft 2020-12, `items` may be a list of schemas.
    if (Array.isArray(value))
      return value.map((each: unknown, at) => ({ schema: each, path: [...path, name, at] }));
    return value === undefined ? [] : [{ schema: value, path: [...path, name] }];
  });
  const many = listed.flatMap((name) => {
    const value = schema[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.map((each, at) => ({ schema: each, path: [...path, name, at] }));
  });
  const members = named.flatMap((name) => {
    const value = schema[name];
    const entries = isObject(value) ? Object.entries(value) : [];
    return entries.map(([key, each]) => ({ schema: each, path: [...path, name, key] }));
  });
  return [...one, ...many, ...members];
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** References by the name of a schema are left to the check itself. */
function leadsNowhere(reference: string, root: object): boolean {
  if (reference === '#') return false;
  return reference.startsWith('#/')
    ? valueAt(root, namesIn(reference)) === undefined
    : /^[a-z]+:/i.test(reference);
}

function lineOf(text: string, path: JsonPath): number {
  const lines = new LineCounter();
  const offset = offsetsOf(text, path, lines)?.start ?? 0;
  return lines.linePos(offset).line || 1;
}

/** Where the value at a path of a JSON text stands. A value that is missing is where it would be. */
export function offsetsOf(
  text: string,
  path: JsonPath,
  lineCounter = new LineCounter(),
): { readonly start: number; readonly end: number } | undefined {
  const document = parseDocument(text, { lineCounter, logLevel: 'silent', prettyErrors: false });
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range: unknown = isObject(node) ? node.range : undefined;
    const [start, end]: readonly unknown[] = Array.isArray(range) ? range : [];
    if (typeof start !== 'number' || typeof end !== 'number') continue;
    return { start, end };
  }
  return undefined;
}
