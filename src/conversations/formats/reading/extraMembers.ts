import { isObject, type JsonObject } from '../../../base/json.ts';

/** The maximum nesting depth of stored values of an imported file. */
const maxDepth = 64;

/** The unread members of an object, without empty ones. */
interface ExtraMembers {
  /** Undefined if none are left. */
  readonly extra: JsonObject | undefined;
  /** The number of values that were dropped because they were nested too deeply. */
  readonly dropped: number;
}

/** Returns the members of an object that `read` does not contain. */
export function collectExtraMembers(object: JsonObject, read: ReadonlySet<string>): ExtraMembers {
  const pruning = { dropped: 0 };
  const members = Object.entries(object)
    .filter(([name, value]) => !read.has(name) && !isEmpty(value))
    .map(([name, value]) => [name.toWellFormed(), pruneValue(value, maxDepth, pruning)] as const);
  // A member called __proto__ stays a member.
  const extra = members.length > 0 ? Object.fromEntries(members) : undefined;
  return { extra, dropped: pruning.dropped };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function pruneValue(value: unknown, depth: number, pruning: { dropped: number }): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) {
    const isLost = typeof value === 'number' && !Number.isFinite(value);
    if (isLost) pruning.dropped += 1;
    return isLost ? null : value;
  }
  if (depth === 0) {
    pruning.dropped += 1;
    return null;
  }
  if (Array.isArray(value)) return value.map((each) => pruneValue(each, depth - 1, pruning));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), pruneValue(each, depth - 1, pruning)]),
  );
}
