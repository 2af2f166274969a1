import type { JsonObject } from '../../../base/json.ts';

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
