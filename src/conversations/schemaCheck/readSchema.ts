import { LineCounter, parseDocument } from 'yaml';
import { deepJsonText, isObject } from '../../base/json.ts';
import { getValueAt, splitPointer } from './checkReply.ts';
import type { JsonPath, SchemaProblem } from './checkResult.ts';

/** The maximum number of schemas within a schema. */
export const maxSchemas = 5000;

/** The maximum nesting depth of a schema. */
export const maxSchemaDepth = 200;

const types: ReadonlySet<unknown> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'number',
  'integer',
  'string',
]);

// Keywords whose value is a schema, a list of schemas, or an object of schemas.
const schemaKeywords = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
];
const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

interface LocatedProblem {
  readonly kind: Extract<SchemaProblem, { readonly line: number }>['kind'];
  readonly path: JsonPath;
  readonly value: string;
}

/** Finds the problem of a JSON Schema's text; undefined if replies can be checked against it. */
export function findSchemaProblem(text: string): SchemaProblem | undefined {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return { kind: 'not-json', detail: error instanceof Error ? error.message : '' };
  }
  if (!isObject(schema)) return { kind: 'not-an-object' };
  // Checked first, because the next steps recurse as deeply as the schema.
  if (measureDepth(text) > maxSchemaDepth) return { kind: 'too-deep' };
  const problem = findFirstProblem(schema);
  return problem === 'too-many'
    ? { kind: problem }
    : problem && { kind: problem.kind, value: problem.value, line: findLine(text, problem.path) };
}

/** Measures the nesting depth of objects and arrays in a JSON text. */
function measureDepth(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth -= 1;
  }
  return deepest;
}

function findFirstProblem(root: object): LocatedProblem | 'too-many' | undefined {
  const waiting: { readonly schema: unknown; readonly path: JsonPath }[] = [{ schema: root, path: [] }];
  for (let count = 0; waiting.length > 0; count += 1) {
    const { schema, path } = waiting.pop() ?? { schema: true, path: [] };
    if (count > maxSchemas) return 'too-many';
    if (typeof schema === 'boolean') continue;
    if (!isObject(schema)) return { kind: 'not-a-schema', path, value: String(path.at(-1) ?? '') };
    const problem = findOwnProblem(schema, path, root);
    if (problem) return problem;
    for (const each of listInnerSchemas(schema, path)) waiting.push(each);
  }
  return undefined;
}

function findOwnProblem(
  schema: { readonly [name: string]: unknown },
  path: JsonPath,
  root: object,
): LocatedProblem | undefined {
  const { type, pattern, $ref: reference, patternProperties } = schema;
  const unknownType = [type ?? []].flat().find((each) => !types.has(each));
  if (unknownType !== undefined) {
    const value = typeof unknownType === 'string' ? unknownType : deepJsonText(unknownType);
    return { kind: 'type', path: [...path, 'type'], value };
  }
  if (typeof pattern === 'string' && !isPattern(pattern))
    return { kind: 'pattern', path: [...path, 'pattern'], value: pattern };
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  const invalidPattern = patterns.find((each) => !isPattern(each));
  if (invalidPattern !== undefined)
    return { kind: 'pattern', path: [...path, 'patternProperties'], value: invalidPattern };
  if (typeof reference === 'string' && isUnresolvable(reference, root))
    return { kind: 'reference', path: [...path, '$ref'], value: reference };
  if (typeof reference === 'string' && isCircular(schema, root))
    return { kind: 'circle', path: [...path, '$ref'], value: reference };
  return undefined;
}

function listInnerSchemas(schema: { readonly [name: string]: unknown }, path: JsonPath) {
  const singleSchemas = schemaKeywords.flatMap((name) => {
    const value = schema[name];
    // Before draft 2020-12, `items` may be a list of schemas.
    if (Array.isArray(value))
      return value.map((each: unknown, index) => ({ schema: each, path: [...path, name, index] }));
    return value === undefined ? [] : [{ schema: value, path: [...path, name] }];
  });
  const listedSchemas = schemaListKeywords.flatMap((name) => {
    const value = schema[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.map((each, index) => ({ schema: each, path: [...path, name, index] }));
  });
  const memberSchemas = schemaMapKeywords.flatMap((name) => {
    const value = schema[name];
    const entries = isObject(value) ? Object.entries(value) : [];
    return entries.map(([key, each]) => ({ schema: each, path: [...path, name, key] }));
  });
  return [...singleSchemas, ...listedSchemas, ...memberSchemas];
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** References to a schema by its name are not checked here: the validator resolves them. */
function isUnresolvable(reference: string, root: object): boolean {
  if (reference === '#') return false;
  return reference.startsWith('#/')
    ? getValueAt(root, splitPointer(reference)) === undefined
    : /^[a-z]+:/i.test(reference);
}

/** Whether a schema applies itself to the same value, so that a check would not end. */
function isCircular(schema: { readonly [name: string]: unknown }, root: object): boolean {
  const seen = new Set<unknown>();
  const waiting: unknown[] = listSameValueSchemas(schema, root);
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === schema) return true;
    if (seen.has(next) || !isObject(next)) continue;
    seen.add(next);
    waiting.push(...listSameValueSchemas(next, root));
  }
  return false;
}

/** Lists the schemas that a schema applies to the same value, by references and keywords such as `allOf`. */
function listSameValueSchemas(schema: { readonly [name: string]: unknown }, root: object): unknown[] {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
  const isLocalReference = typeof reference === 'string' && /^#(?:\/|$)/.test(reference);
  return [
    ...(isLocalReference ? [getValueAt(root, splitPointer(reference))] : []),
    ...[allOf, anyOf, oneOf, not, condition, then, otherwise].flat(),
  ];
}

function findLine(text: string, path: JsonPath): number {
  const lines = new LineCounter();
  const offset = findRange(text, path, lines)?.start ?? 0;
  return lines.linePos(offset).line || 1;
}

/** Finds the range of the value at a path of a JSON text, or of its nearest ancestor if it is missing. */
export function findRange(
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
