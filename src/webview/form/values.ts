import { isObject, type JsonObject } from '../../base/json.ts';
import { unlessEmpty } from '../../base/nestedValues.ts';
import type { Problem } from '../words/problems.ts';
import { violationOf } from './check.ts';
import { type Field, membersOf } from './fields.ts';

/** The values without a field. */
export function otherValues(fields: readonly Field[], values: JsonObject): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/** Replaces the values without a field. */
export function withOtherValues(fields: readonly Field[], values: JsonObject, others: unknown): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  const known = Object.entries(values).filter(([name]) => names.has(name));
  return { ...Object.fromEntries(known), ...(isObject(others) ? others : {}) };
}

/** Returns the values that may be sent. An object with a missing required member is left out. */
export function sendableValues(fields: readonly Field[], values: JsonObject): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const field = byName.get(name);
      const kept = field ? sendableValue(field, value) : value;
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

/** Returns why a whole group is left out, such as a missing member; undefined when it is not. */
export function groupProblem(field: Field, value: unknown): Problem | undefined {
  const kept = sendableMembers(field, value);
  return kept === undefined ? undefined : violationOf(field.schema, kept)?.problem;
}

/** Returns the part of a field's value that may be sent; undefined for none. */
export function sendableValue(field: Field, value: unknown): unknown {
  const kept = sendableMembers(field, value);
  return kept === undefined || violationOf(field.schema, kept) ? undefined : kept;
}

function sendableMembers(field: Field, value: unknown): unknown {
  const members = membersOf(field);
  return members && isObject(value) ? unlessEmpty(sendableValues(members, value)) : value;
}
