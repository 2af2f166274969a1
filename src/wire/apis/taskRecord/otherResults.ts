import { isObject, type JsonObject } from '../../../base/json.ts';
import { isUnrelatedMember, splitMemberName } from './memberNames.ts';

/** A result in a member whose name is not known. */
interface OtherResult {
  /** An address or base64. */
  readonly text: string;
  readonly owner: JsonObject;
}

const maxDepth = 12;
const maxResults = 256;

const kinds: readonly { readonly extensions: RegExp; readonly words: ReadonlySet<string> }[] = [
  createKind('mp4|webm|mov|m4v|mkv|avi', 'video videos mp4 clip clips movie animation'),
  createKind('mp3|wav|m4a|flac|ogg|opus|aac', 'audio audios mp3 wav song songs music sound speech'),
  createKind('glb|gltf|obj|fbx|usdz|stl|ply', 'mesh glb gltf obj fbx usdz'),
  createKind(
    'png|jpe?g|webp|gif|avif|tiff?',
    'image images img imgs picture pictures pic photo png jpg jpeg webp',
  ),
  createKind(
    'zip|tar|json|txt|srt|vtt|svg|pdf',
    'result results output outputs file files download artifact',
  ),
  createKind('-', 'generated final asset assets media render rendered transcription sample'),
];

function createKind(extensions: string, words: string) {
  return { extensions: new RegExp(`\\.(?:${extensions})$`, 'i'), words: new Set(words.split(' ')) };
}

/** Words in the names of members that contain an address. */
const addressWords: ReadonlySet<string> = new Set(
  'url urls uri uris path paths link links href file download address signed mp4 mp3 wav png jpg'.split(' '),
);

/**
 * The results of a completed task in members with any name: addresses with the extension of a media file or in a
 * member with the name of a result, and media as base64. Several addresses of one object are versions of one
 * result, unless their members have the names of different results.
 *
 * @param isResult whether a text is an address that can be downloaded, or base64
 * @param isNonResult whether an object is skipped
 */
export function findOtherResults(
  objects: readonly JsonObject[],
  isResult: (text: string) => boolean,
  isNonResult: (object: JsonObject) => boolean,
): readonly OtherResult[] {
  const found = new Map<string, OtherResult>();
  for (const object of objects) visit(object, '', 0);
  return [...found.values()];

  function visit(value: unknown, name: string, depth: number): void {
    if (depth > maxDepth || found.size >= maxResults) return;
    if (Array.isArray(value)) for (const each of value) visit(each, name, depth + 1);
    else if (typeof value === 'string') add(value, { [name]: value });
    else if (isObject(value) && !isNonResult(value)) visitObject(value, name, depth);
  }

  function visitObject(object: JsonObject, name: string, depth: number): void {
    const versions: { readonly text: string; readonly rank: number }[] = [];
    for (const [key, value] of Object.entries(object)) {
      if (isUnrelatedMember(key)) continue;
      if (typeof value !== 'string') visit(value, key, depth + 1);
      else if (splitMemberName(key).some((word) => addressWords.has(word)) && isResult(value)) {
        const rank = findRank(value, `${name}_${key}`);
        if (rank !== undefined) versions.push({ text: value, rank });
      } else add(value, object, key);
    }
    const [best] = versions.toSorted((one, other) => one.rank - other.rank);
    if (best) found.set(best.text, { text: best.text, owner: object });
  }

  function add(text: string, owner: JsonObject, key = Object.keys(owner)[0] ?? ''): void {
    if (isResult(text) && findRank(text, key) !== undefined) found.set(text, { text, owner });
  }
}

/**
 * The rank of a text among the possible results, by its extension, otherwise by the name of its member; the lowest
 * rank is the most likely result. Undefined if the text is not a result.
 */
function findRank(text: string, name: string): number | undefined {
  const isAddress = /^[a-z]+:\/\//i.test(text);
  const path = isAddress && URL.canParse(text) ? new URL(text).pathname : '';
  const words = splitMemberName(name);
  const byExtension = kinds.findIndex(({ extensions }) => extensions.test(path));
  const byName = kinds.findIndex((each) => words.some((word) => each.words.has(word)));
  const rank = byExtension === -1 ? byName : byExtension;
  return rank === -1 ? (isAddress ? undefined : kinds.length) : rank;
}
