import { isObject, type JsonObject } from '../../../base/json.ts';

/** The last millisecond of the year 9999, which is the latest supported time. */
export const latestTime = 253_402_300_799_999;

/**
 * The text of a string, with U+FFFD for lone surrogates, which databases do not support; undefined for other
 * values.
 */
export function wellFormedText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/** Like `wellFormedText`, but undefined for an empty string. */
export function someText(value: unknown): string | undefined {
  return wellFormedText(value) || undefined;
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A count; undefined unless it is a whole number of at least 0. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/**
 * A time in milliseconds since 1970. Programs write seconds, milliseconds, microseconds or nanoseconds, which
 * differ by magnitude, or an ISO 8601 date.
 *
 * @returns undefined if it is not a plausible time
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return plausible(milliseconds(value));
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,20}(\.\d{1,12})?$/.test(value)) return plausible(milliseconds(Number(value)));
  return /^\d{4}-\d\d-\d\d/.test(value) ? plausible(Date.parse(value)) : undefined;
}

function milliseconds(time: number): number {
  if (time < 1e11) return time * 1000;
  if (time < 1e14) return time;
  return time < 1e17 ? time / 1e3 : time / 1e6;
}

function plausible(ms: number): number | undefined {
  return ms > 0 && ms <= latestTime ? Math.round(ms) : undefined;
}

/** The fields of each item type that its record contains. Items of other types are stored completely. */
export type ReadFields = ReadonlyMap<unknown, ReadonlySet<string>>;

/**
 * The fields of a message's items that its parts do not contain, such as their start times. Values that are
 * null, false or empty are omitted.
 *
 * @param numbered the name of the field for the item's number, from 0
 */
export function unreadFields(
  content: unknown,
  fieldsByType: ReadFields,
  numbered: string,
): readonly JsonObject[] {
  return arrayOf(content).flatMap((item, nth) => {
    const read = isObject(item) ? fieldsByType.get(item.type) : undefined;
    if (!isObject(item) || !read) return [];
    const rest = Object.entries(item).filter(([name, value]) => !read.has(name) && hasValue(value));
    return rest.length > 0 ? [{ [numbered]: nth, ...Object.fromEntries(rest) }] : [];
  });
}

/** Whether a member has a value. Most members of blocks are null or false. */
function hasValue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
