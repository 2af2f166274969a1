import { isObject, type JsonObject } from '../../../base/json.ts';

/** Longer names are not read. */
const maxNameLength = 64;
const maxCachedNames = 2_000;
const wordsByName = new Map<string, readonly string[]>();

/** The words of a member's name: `resultVideoUrl` and `result_video_url` have the same words. */
export function splitMemberName(name: string): readonly string[] {
  if (name.length > maxNameLength) return [];
  const cached = wordsByName.get(name);
  if (cached) return cached;
  if (wordsByName.size >= maxCachedNames) wordsByName.clear();
  const words = splitWords(name);
  wordsByName.set(name, words);
  return words;
}

function splitWords(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Words in the names of members about the request, the user, additional pictures, and unrelated addresses. */
const unrelatedWords: ReadonlySet<string> = new Set(
  (
    'input inputs source sources src original orig reference references ref first last start end tail frame frames ' +
    'keyframe keyframes cover thumb thumbnail thumbnails poster preview previews snapshot callback webhook hook ' +
    'notify notification status poll polling cancel get self next prev previous stream streaming web webpage page ' +
    'share sharing hosted docs doc help avatar logo icon user users account customer owner parent request req ' +
    'params parameters param prompt prompts args arguments config configuration settings options template mask ' +
    'driving driver garment subject face log logs license invoice billing payment checkout plan error errors ' +
    'metadata meta properties caption captions subtitle subtitles usage limits quota team organization ' +
    'workspace project'
  ).split(' '),
);

/** Whether a member is neither about the task nor about its result. */
export function isUnrelatedMember(name: string): boolean {
  return /^models?$/i.test(name) || splitMemberName(name).some((word) => unrelatedWords.has(word));
}

const maxMembers = 500;

/** The members of an object for a search by words. Records have fewer than the maximum. */
export function listMembers(object: JsonObject): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(object).slice(0, maxMembers);
}

/** The first value that `read` accepts, by the order of the members and then of the objects. */
export function findValue<Value>(
  objects: readonly JsonObject[],
  keys: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const key of keys) {
    for (const object of objects) {
      const value = read(object[key]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** Records are not nested more deeply. Deeper values are not changed. */
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
