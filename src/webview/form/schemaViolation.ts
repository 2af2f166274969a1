import { isObject, sameJson } from '../../base/json.ts';
import { type JsonSchema, listAlternatives, listOptions, type Subschema } from '../../base/jsonSchema.ts';
import type { PageProblem } from '../words/problemWords.ts';

/** The names and indexes that lead from a value to a part of it. */
export type Path = readonly (string | number)[];

/** Why a value does not match a schema, and where. */
interface Violation {
  readonly path: Path;
  readonly problem: PageProblem;
}

/** Finds the first part of a JSON value that violates a schema; undefined for a valid value. */
export function findViolation(schema: Subschema, value: unknown, path: Path = []): Violation | undefined {
  if (schema === true) return undefined;
  if (schema === false) return { path, problem: { kind: 'name-has-field' } };
  const schemas = listAlternatives(schema);
  const violations = schemas.map((each) => findAlternativeViolation(each, value, path));
  if (violations.includes(undefined)) return undefined;
  // The alternative with the deepest violation is most likely the intended one.
  const deepest = violations.reduce((a, b) => ((b?.path.length ?? 0) > (a?.path.length ?? 0) ? b : a));
  if (deepest && deepest.path.length > path.length) return deepest;
  return schemas.length === 1 ? deepest : { path, problem: { kind: 'unexpected', schema } };
}

function findAlternativeViolation(schema: JsonSchema, value: unknown, path: Path): Violation | undefined {
  if (!hasType(schema, value) || !isWithinLimits(schema, value)) {
    return { path, problem: { kind: 'unexpected', schema } };
  }
  if (Array.isArray(value)) return findItemViolation(schema, value, path);
  if (isObject(value)) return findMemberViolation(schema, value, path);
  return undefined;
}

function hasType({ type }: JsonSchema, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    case undefined:
      return value !== undefined;
    default:
      return typeof value === type;
  }
}

function isWithinLimits(schema: JsonSchema, value: unknown): boolean {
  const options = listOptions(schema);
  if (options && !options.some((option) => sameJson(option, value))) return false;
  if (typeof value === 'number') return isInRange(schema, value);
  if (typeof value === 'string') return isAllowedText(schema, value);
  if (!Array.isArray(value)) return true;
  return value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity);
}

function isInRange(schema: JsonSchema, value: number): boolean {
  return (
    value >= (schema.minimum ?? -Infinity) &&
    value <= (schema.maximum ?? Infinity) &&
    (schema.exclusiveMinimum === undefined || value > schema.exclusiveMinimum) &&
    (schema.exclusiveMaximum === undefined || value < schema.exclusiveMaximum)
  );
}

function isAllowedText({ minLength = 0, maxLength = Infinity, pattern }: JsonSchema, value: string): boolean {
  if (value.length < minLength || value.length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(value);
}

function findItemViolation(
  { items = true }: JsonSchema,
  value: readonly unknown[],
  path: Path,
): Violation | undefined {
  return findFirstViolation(value, (item, index) => findViolation(items, item, [...path, index]));
}

function findMemberViolation(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  path: Path,
): Violation | undefined {
  const { properties = {}, required = [], additionalProperties = true, propertyNames = true } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return { path, problem: { kind: 'missing-member', name: missing } };
  return findFirstViolation(Object.entries(value), ([name, member]) => {
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const inside = [...path, name];
    return (
      findViolation(propertyNames, name, inside) ??
      findViolation(memberSchema ?? additionalProperties, member, inside)
    );
  });
}

function findFirstViolation<T>(
  parts: readonly T[],
  check: (part: T, index: number) => Violation | undefined,
): Violation | undefined {
  for (const [index, part] of parts.entries()) {
    const violation = check(part, index);
    if (violation) return violation;
  }
  return undefined;
}
