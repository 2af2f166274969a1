import { isObject, type JsonObject } from '../../base/json.ts';
import { unlessEmpty } from '../../base/nestedValues.ts';
import type { Problem } from '../words/problems.ts';
import { violationOf } from './check.ts';
import { type Field, membersOf } from './fields.ts';

/** The values that no field stands for. */
export function otherValues(fields: readonly Field[], values: JsonObject): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/** The values with those that no field stands for replaced. */
export function withOtherValues(fields: readonly Field[], values: JsonObject, others: unknown): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  const known = Object.entries(values).filter(([name]) => names.has(name));
  return { ...Object.fromEntries(known), ...(isObject(others) ? others : {}) };
}

/** What may be sent of the values in a form: an object is left out while a member it needs is missing. */
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

/** Why a group as a whole is left out, such as a member that is missing; undefined when it is not. */
export function groupProblem(field: Field, value: unknown): Problem | undefined {
  const kept = sendableMembers(field, value);
  return kept === undefined ? undefined : violationOf(field.schema, kept)?.problem;
}

/** What of a field's value may be sent, if anything. */
export function sendableValue(field: Field, value: unknown): unknown {
  const kept = sendableMembers(field, value);
  return kept === undefined || violationOf(field.schema, kept) ? undefined : kept;
}

function sendableMembers(field: Field, value: unknown): unknown {
  const members = membersOf(field);
  return members && isObject(value) ? unlessEmpty(sendableValues(members, value)) : value;
}
