import { isObject, type JsonObject } from '../../../base/json.ts';

/** Records are not nested more deeply. Deeper values stay unchanged. */
const maxDepth = 24;

const normalizedReplies = new WeakMap<object, unknown>();

/**
 * Renames members to their normal spelling: `TaskId` and `taskID` become `taskId`, `TASK_ID` becomes `task_id`, as
 * in the clouds of Tencent, Volcengine and Alibaba. Values without such members are returned unchanged, and the
 * same reply returns the same objects each time.
 */
export function normalizeNames(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) return reply;
  if (!normalizedReplies.has(reply)) normalizedReplies.set(reply, normalizeValue(reply, 0));
  return normalizedReplies.get(reply);
}

function normalizeValue(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => normalizeValue(element, depth + 1));
    return elements.every((element, index) => element === value[index]) ? value : elements;
  }
  return isObject(value) ? normalizeMembers(value, depth) : value;
}

function normalizeMembers(object: JsonObject, depth: number): JsonObject {
  const members = Object.entries(object).map(([key, value]) => {
    const normal = normalizeName(key);
    const name = normal !== key && Object.hasOwn(object, normal) ? key : normal;
    return { key, name, value, inner: normalizeValue(value, depth + 1) };
  });
  if (members.every(({ key, name, value, inner }) => key === name && value === inner)) return object;
  return Object.fromEntries(members.map(({ name, inner }) => [name, inner]));
}

function normalizeName(key: string): string {
  if (/^[A-Z][A-Z\d_]*$/.test(key)) return key.toLowerCase();
  if (!/^[A-Z]|[a-z](ID|URL|UUID)$/.test(key)) return key;
  return key
    .replace(/[A-Z]{2,}(?![a-z])/g, (word) => `${word[0]}${word.slice(1).toLowerCase()}`)
    .replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (start) => start.toLowerCase());
}
