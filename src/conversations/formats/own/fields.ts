import { isObject } from '../../../base/json.ts';
import { latestTime } from '../reading/fields.ts';

/** What reading and writing take of a value: the value in its fixed form, or undefined for one that is wrong. */
export type Field = (value: unknown, reading: FieldReading) => unknown;

/** Told of what is wrong. */
export interface FieldReading {
  dropped(): void;
}

/** How deep values of no known form may be nested. */
const maxDepth = 256;

export const text: Field = (value) => (typeof value === 'string' ? value : undefined);

export const id: Field = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 512 ? value.toWellFormed() : undefined;

export const amount: Field = (value) => (Number.isFinite(value) ? value : undefined);

export const time: Field = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latestTime
    ? value
    : undefined;

export const hash: Field = (value) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : undefined;

/** An object of any members, kept as it is. */
export const anyObject: Field = (value) =>
  isObject(value) && !isDeeper(value, maxDepth) ? value : undefined;

export function oneOf(...words: readonly string[]): Field {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? value : undefined);
}

/** A list, of which what is wrong is left out. */
export function list(item: Field): Field {
  return (value, reading) => {
    if (!Array.isArray(value)) return undefined;
    return value.flatMap((each) => {
      const read = item(each, reading);
      if (read === undefined) reading.dropped();
      return read === undefined ? [] : [read];
    });
  };
}

/**
 * An object with its members in the order of `fields`, without those that are not among them. It is wrong when one
 * that is `required` is; others that are wrong are left out.
 */
export function object(fields: Readonly<Record<string, Field>>, required: readonly string[]): Field {
  const entries = Object.entries(fields);
  const needed = new Set(required);
  return (value, reading) => {
    if (!isObject(value)) return undefined;
    const result: Record<string, unknown> = {};
    for (const [name, field] of entries) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const read = given === undefined ? undefined : field(given, reading);
      if (read !== undefined) result[name] = read;
      else if (needed.has(name)) return undefined;
      else if (given !== undefined) reading.dropped();
    }
    return result;
  };
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}
