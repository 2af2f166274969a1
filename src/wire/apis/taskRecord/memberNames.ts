import type { JsonObject } from '../../../base/json.ts';

/** Longer names are not read. */
const maxNameLength = 64;
const maxKnownNames = 2_000;
const knownNames = new Map<string, readonly string[]>();

/** The words of a member's name: those of `resultVideoUrl` and of `result_video_url` are the same. */
export function memberWords(name: string): readonly string[] {
  if (name.length > maxNameLength) return [];
  const known = knownNames.get(name);
  if (known) return known;
  if (knownNames.size >= maxKnownNames) knownNames.clear();
  const words = wordsIn(name);
  knownNames.set(name, words);
  return words;
}

function wordsIn(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Words of members about the request, its user, pictures besides a result, and other addresses. */
const asideWords: ReadonlySet<string> = new Set(
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

/** Whether a member is not about the task itself, nor about its result. */
export function isAsideName(name: string): boolean {
  return /^models?$/i.test(name) || memberWords(name).some((word) => asideWords.has(word));
}

const maxMembers = 500;

/** The members of an object for a search by words; no record has more. */
export function membersOf(object: JsonObject): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(object).slice(0, maxMembers);
}
