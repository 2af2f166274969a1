import { isObject, type JsonObject } from '../../../base/json.ts';

/** Milliseconds of the last day of the year 9999, which is as late as times are told. */
export const latestTime = 253_402_300_799_999;

/** The text of a string, with U+FFFD for halves of characters, which no database keeps; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/** The text of a string that is not empty. */
export function someText(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return arrayOf(value).filter(isObject);
}

/** A count of something; undefined unless it is a whole number from 0. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/**
 * A time in milliseconds since 1970. Programs write seconds, milliseconds, microseconds or nanoseconds, which their
 * size tells apart, or a date as ISO 8601 has it.
 *
 * @returns undefined for what makes no sense as a time
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return sensible(milliseconds(value));
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,20}(\.\d{1,12})?$/.test(value)) return sensible(milliseconds(Number(value)));
  return /^\d{4}-\d\d-\d\d/.test(value) ? sensible(Date.parse(value)) : undefined;
}

function milliseconds(time: number): number {
  if (time < 1e11) return time * 1000;
  if (time < 1e14) return time;
  return time < 1e17 ? time / 1e3 : time / 1e6;
}

function sensible(ms: number): number | undefined {
  return ms > 0 && ms <= latestTime ? Math.round(ms) : undefined;
}

/** What a record holds of an item of each type. Items of other types are kept whole. */
export type ReadFields = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What of the items of a message is in none of its parts, such as when each began. What is null, false or empty tells
 * nothing.
 *
 * @param numbered the name under which each has its number, from 0
 */
export function unreadFields(content: unknown, known: ReadFields, numbered: string): readonly JsonObject[] {
  return arrayOf(content).flatMap((item, nth) => {
    const read = isObject(item) ? known.get(String(item.type)) : undefined;
    if (!isObject(item) || !read) return [];
    const rest = Object.entries(item).filter(([name, value]) => !read.has(name) && isTold(value));
    return rest.length > 0 ? [{ [numbered]: nth, ...Object.fromEntries(rest) }] : [];
  });
}

/** Whether a member tells anything. Most members of blocks are null or false. */
function isTold(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
