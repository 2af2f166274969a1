import { isCount, isObject, type JsonObject } from '../../../base/json.ts';

/** The last millisecond of the year 9999, which is the latest supported time. */
export const latestTime = 253_402_300_799_999;

/**
 * Replaces lone surrogates of a string by U+FFFD, because databases do not support them; undefined for other
 * values.
 */
export function toWellFormedText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/** Like `toWellFormedText`, but undefined for an empty string. */
export function toNonEmptyText(value: unknown): string | undefined {
  return toWellFormedText(value) || undefined;
}

/** Returns an empty list for a value that is not a list. */
export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads a count; undefined unless it is a whole number of at least 0. */
export function readCount(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

/**
 * Reads a time in milliseconds since 1970. Programs write seconds, milliseconds, microseconds or nanoseconds,
 * which differ by magnitude, or an ISO 8601 date.
 *
 * @returns undefined if it is not a plausible time
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return roundIfPlausible(toMilliseconds(value));
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,20}(\.\d{1,12})?$/.test(value)) return roundIfPlausible(toMilliseconds(Number(value)));
  return /^\d{4}-\d\d-\d\d/.test(value) ? roundIfPlausible(Date.parse(value)) : undefined;
}

function toMilliseconds(time: number): number {
  if (time < 1e11) return time * 1000;
  if (time < 1e14) return time;
  return time < 1e17 ? time / 1e3 : time / 1e6;
}

function roundIfPlausible(ms: number): number | undefined {
  return ms > 0 && ms <= latestTime ? Math.round(ms) : undefined;
}

/** For each item type, the fields that are read into its record. Items of other types are stored completely. */
export type ReadFields = ReadonlyMap<unknown, ReadonlySet<string>>;

/**
 * Collects the fields of a message's items that its parts do not contain, such as their start times. Values that
 * are null, false or empty are omitted.
 *
 * @param numberField the name of the added field with the item's number, from 0
 */
export function collectUnreadFields(
  content: unknown,
  fieldsByType: ReadFields,
  numberField: string,
): readonly JsonObject[] {
  return toArray(content).flatMap((item, nth) => {
    const read = isObject(item) ? fieldsByType.get(item.type) : undefined;
    if (!isObject(item) || !read) return [];
    const rest = Object.entries(item).filter(([name, value]) => !read.has(name) && hasValue(value));
    return rest.length > 0 ? [{ [numberField]: nth, ...Object.fromEntries(rest) }] : [];
  });
}

/** Whether a member is worth storing: most members of blocks are null or false. */
function hasValue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
