import { isObject, type JsonObject } from '../../../base/json.ts';
import { arrayOf } from './fields.ts';

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
