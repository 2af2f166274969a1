import { isObject, type JsonObject } from '../../base/json.ts';
import { omitEmpty } from '../../base/nestedValues.ts';
import type { PageProblem } from '../words/problemWords.ts';
import { type Field, getGroupMembers } from './formFields.ts';
import { findViolation } from './schemaViolation.ts';

/** Returns the values that have no field. */
export function pickOtherValues(fields: readonly Field[], values: JsonObject): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/** Replaces the values that have no field. `others` is ignored unless it is an object. */
export function replaceOtherValues(
  fields: readonly Field[],
  values: JsonObject,
  others: unknown,
): JsonObject {
  const names = new Set(fields.map(({ name }) => name));
  const fieldEntries = Object.entries(values).filter(([name]) => names.has(name));
  return { ...Object.fromEntries(fieldEntries), ...(isObject(others) ? others : {}) };
}

/** Returns the values that may be sent. An object with a missing required member is omitted. */
export function pickSendableValues(fields: readonly Field[], values: JsonObject): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const field = byName.get(name);
      const sendable = field ? pickSendableValue(field, value) : value;
      return sendable === undefined ? [] : [[name, sendable]];
    }),
  );
}

/** Returns why a whole group is not sent, such as a missing member; undefined if it is sent. */
export function findGroupProblem(field: Field, value: unknown): PageProblem | undefined {
  const members = pickSendableMembers(field, value);
  return members === undefined ? undefined : findViolation(field.schema, members)?.problem;
}

/** Returns the part of a field's value that may be sent; undefined for none. */
export function pickSendableValue(field: Field, value: unknown): unknown {
  const members = pickSendableMembers(field, value);
  return members === undefined || findViolation(field.schema, members) ? undefined : members;
}

function pickSendableMembers(field: Field, value: unknown): unknown {
  const members = getGroupMembers(field);
  return members && isObject(value) ? omitEmpty(pickSendableValues(members, value)) : value;
}
