import { LineCounter, parseDocument } from 'yaml';
import { isObject } from '../../base/json.ts';
import { namesIn, valueAt } from './checkAnswer.ts';
import type { JsonPath, SchemaProblem } from './checkResult.ts';

/** The most schemas within a schema. */
export const maxSchemas = 5000;

/** How deep a schema is nested. */
export const maxDepth = 200;

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
  // First, since what follows goes in as deep as the schema does.
  if (depthOf(text) > maxDepth) return { kind: 'too-deep' };
  const found = firstProblem(schema);
  return found === 'too-many'
    ? { kind: found }
    : found && { kind: found.kind, written: found.written, line: lineOf(text, found.path) };
}

/** How deep objects and arrays of a JSON text stand in one another. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth -= 1;
  }
  return deepest;
}

function firstProblem(root: object): Found | 'too-many' | undefined {
  const waiting: { readonly schema: unknown; readonly path: JsonPath }[] = [{ schema: root, path: [] }];
  for (let count = 0; waiting.length > 0; count += 1) {
    const { schema, path } = waiting.pop() ?? { schema: true, path: [] };
    if (count > maxSchemas) return 'too-many';
    if (typeof schema === 'boolean') continue;
    if (!isObject(schema)) return { kind: 'no-schema', path, written: String(path.at(-1) ?? '') };
    const problem = ownProblem(schema, path, root);
    if (problem) return problem;
    for (const each of within(schema, path)) waiting.push(each);
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
  if (typeof reference === 'string' && leadsInCircle(schema, root))
    return { kind: 'circle', path: [...path, '$ref'], written: reference };
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

/** Whether an answer would be held against a schema again and again, because it refers to itself. */
function leadsInCircle(schema: { readonly [name: string]: unknown }, root: object): boolean {
  const seen = new Set<unknown>();
  const waiting: unknown[] = sameValueSchemas(schema, root);
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === schema) return true;
    if (seen.has(next) || !isObject(next)) continue;
    seen.add(next);
    waiting.push(...sameValueSchemas(next, root));
  }
  return false;
}

/** The schemas that a value has to match beside the one that names them. */
function sameValueSchemas(schema: { readonly [name: string]: unknown }, root: object): unknown[] {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
  const referred = typeof reference === 'string' && /^#(?:\/|$)/.test(reference);
  return [
    ...(referred ? [valueAt(root, namesIn(reference))] : []),
    ...[allOf, anyOf, oneOf, not, condition, then, otherwise].flat(),
  ];
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
