import { isObject, type JsonObject } from '../../../base/json.ts';

/** Values of an imported file are kept as deep as this. */
const maxDepth = 64;

/** The members of an object that are not read, without those that are empty. */
export interface Kept {
  /** Undefined where nothing is left. */
  readonly extra: JsonObject | undefined;
  /** How many values were nested too deeply to be kept. */
  readonly dropped: number;
}

/** Keeps of an object what `read` does not name. */
export function keptValues(object: JsonObject, read: ReadonlySet<string>): Kept {
  const pruning = { dropped: 0 };
  const members = Object.entries(object)
    .filter(([name, value]) => !read.has(name) && !isEmpty(value))
    .map(([name, value]) => [name.toWellFormed(), keptValue(value, maxDepth, pruning)] as const);
  // A member called __proto__ stays a member.
  const extra = members.length > 0 ? Object.fromEntries(members) : undefined;
  return { extra, dropped: pruning.dropped };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function keptValue(value: unknown, depth: number, pruning: { dropped: number }): unknown {
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
  if (Array.isArray(value)) return value.map((each) => keptValue(each, depth - 1, pruning));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toWellFormed(), keptValue(each, depth - 1, pruning)]),
  );
}
