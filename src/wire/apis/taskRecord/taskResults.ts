import { isObject, type JsonObject, nonEmptyString, parseJson, scalarText } from '../../../base/json.ts';
import { sniffMedia } from '../../../base/mediaType.ts';
import { findValue } from './memberNames.ts';
import { findOtherResults } from './otherResults.ts';
import type { RecordObjects } from './recordObjects.ts';
import type { TaskResult } from './snapshot.ts';
import { expiryKeys, readExpiry, readSignatureExpiry } from './taskTimes.ts';

const maxDepth = 8;
const maxResults = 256;

/**
 * Members that may contain results, the most likely first. A plain `url` may be the address of the record, and
 * `metadata` may be the user's.
 */
const resultKeys = [
  'video_url',
  'videoUrl',
  'result_url',
  'resultUrl',
  'resultVideoUrl',
  'output_url',
  'outputUrl',
  'video_urls',
  'videoUrls',
  'content',
  'video',
  'videos',
  'videoInfo',
  'output_video',
  'results',
  'result',
  'output',
  'outputs',
  'steps',
  'creations',
  'task_result',
  'video_result',
  'works',
  'files',
  'file',
  'unsigned_urls',
  'assets',
  'generateVideoResponse',
  'generatedSamples',
  'generatedVideos',
  'generated_videos',
  'resultUrls',
  'result_urls',
  'resultVideoUrls',
  'generated',
  'generations',
  'generated_images',
  'generatedImages',
  'predictions',
  'clips',
  'model_urls',
  'modelUrls',
  'artifacts',
  'media',
  'resultJson',
  'sample',
  'download_url',
  'downloadUrl',
  'file_url',
  'fileUrl',
  'signed_url',
  'signedUrl',
  'urls',
  'url',
  'image_url',
  'imageUrl',
  'image_urls',
  'imageUrls',
  'image_list',
  'audio_url',
  'audioUrl',
  'audio_urls',
  'model_url',
  'pbr_model',
  'glb',
  'download',
  'images',
  'output_image',
  'output_audio',
  'audios',
  'audio_file',
  'audio',
  'image',
  'image_base64',
  'binary_data_base64',
  'data',
  'fail_reason',
  'metadata',
];

/** Members that may also contain the input. A bare address there is not a result. */
const inputKeys: ReadonlySet<string> = new Set(['image', 'audio']);

/** Members with the address of a result, the most likely first. Covers and thumbnails have other names. */
const addressKeys = [
  'motionMP4URL',
  'resource',
  'transcription_url',
  'url',
  'uri',
  'video_url',
  'videoUrl',
  'file_url',
  'fileUrl',
  'download_url',
  'downloadUrl',
  'output_url',
  'outputUrl',
  'signed_url',
  'signedUrl',
  'mp4_url',
  'sample',
  'gcsUri',
  'result_url',
  'resultUrl',
  'image_url',
  'imageUrl',
  'audio_url',
  'audioUrl',
  'pbr_model',
  'model_url',
  'modelUrl',
  'glb',
  'base_model',
  'resource_without_watermark',
  'resourceWithoutWatermark',
];

/** Members with an object that contains results by their names. */
const namedResultKeys: ReadonlySet<string> = new Set(['clips', 'model_urls', 'modelUrls']);

/** Members that contain results. */
const containerKeys = [
  'video',
  'videos',
  'resultUrls',
  'video_urls',
  'videoUrls',
  'urls',
  'artifacts',
  'generations',
  'results',
  'outputs',
  'content',
  'creations',
  'works',
  'files',
  'file',
  'generatedSamples',
  'generatedVideos',
  'generated_videos',
  'generated_images',
  'generatedImages',
  'image_urls',
  'imageUrls',
  'image',
  'images',
  'audio',
  'data',
];

/**
 * Types of steps and contents that are not results: input, reasoning, calls, and pictures in addition to a result.
 */
const notResultTypes =
  /^(user(_input)?|system|thought|function_call|function_result|text|input_\w+|reference\w*|(first|last)_?frame|cover(_image)?|thumbnail|poster|preview)$/i;

/** Members of an envelope around the record. */
const envelopeKeys = new Set(['data', 'output', 'result']);

export interface ResultContext {
  /** The id of the task. */
  readonly id: string | undefined;
  /** The base of relative addresses. */
  readonly baseUrl: string | undefined;
}

/**
 * The results of a task: from the first member with results, unless a later member contains the same results and
 * more. Input and the record's own address are not results.
 */
export function readTaskResults(
  { record, within, around }: RecordObjects,
  context: ResultContext,
): readonly TaskResult[] {
  const inside = [record, ...within].flatMap((object) => resultKeys.map((key) => readMember(object, key)));
  const outside = around.flatMap((object) =>
    resultKeys.filter((key) => !envelopeKeys.has(key)).map((key) => readMember(object, key)),
  );
  const lists = [...inside, ...outside]
    .map((value) => collectResults(value, context))
    .filter((list) => list.length > 0);
  const [first = []] = lists;
  const longer = lists.find(
    (list) => list.length > first.length && list.some(({ url }) => url === first[0]?.url),
  );
  return longer ?? first;
}

/** The results of a completed task in members with unknown names. */
export function readOtherResults(
  { record, within }: RecordObjects,
  context: ResultContext,
): readonly TaskResult[] {
  const readUrl = (text: string) => readBase64(text) ?? readAddress(text, context);
  const others = findOtherResults([record, ...within], (text) => readUrl(text) !== undefined, isNonResult);
  return others.flatMap(({ text, owner }) => {
    const url = readUrl(text);
    return url === undefined ? [] : [createResult(url, owner)];
  });
}

/** The value of a member that may contain results. */
function readMember(object: JsonObject, key: string): unknown {
  const value = object[key];
  if (inputKeys.has(key) && /^https?:/i.test(scalarText(value))) return undefined;
  return namedResultKeys.has(key) && isObject(value) ? Object.values(value) : value;
}

function collectResults(value: unknown, context: ResultContext): readonly TaskResult[] {
  const found = new Map<string, TaskResult>();
  visit(value, {}, 0);
  return [...found.values()];

  function visit(value: unknown, owner: JsonObject, depth: number): void {
    if (depth > maxDepth || found.size >= maxResults) return;
    if (typeof value === 'string') visitText(value, owner, depth);
    else if (Array.isArray(value)) for (const each of value) visit(each, owner, depth + 1);
    else if (isObject(value) && !isNonResult(value)) visitObject(value, depth + 1);
  }

  function visitText(text: string, owner: JsonObject, depth: number): void {
    if (/^\s*[[{]/.test(text)) visit(parseJson(text), owner, depth + 1);
    const url = readAddress(text, context) ?? readBase64(text);
    if (url !== undefined && !found.has(url)) found.set(url, createResult(url, owner));
  }

  function visitObject(object: JsonObject, depth: number): void {
    const before = found.size;
    for (const key of addressKeys) {
      if (found.size === before) visit(object[key], object, depth);
    }
    const inline = readInlineResult(object);
    if (inline !== undefined && found.size === before) found.set(inline, { url: inline });
    for (const key of containerKeys) {
      if (found.size === before) visit(object[key], object, depth);
    }
  }
}

/** Whether an object is not a result: input, reasoning, calls, and pictures in addition to a result. */
export function isNonResult({ type, role, kind }: JsonObject): boolean {
  return [type, role, kind].some((word) => notResultTypes.test(nonEmptyString(word) ?? ''));
}

/** Whether an address is that of the record. A file of the same name has another host or an extension. */
function isOwnAddress(url: string, { id, baseUrl }: ResultContext): boolean {
  if (id === undefined || !/^https?:/i.test(url)) return false;
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const endsInAction = /^(cancel|status|poll|stream|events|logs)$/i.test(segments.at(-1) ?? '');
  const last = segments.at(endsInAction ? -2 : -1);
  if (last === undefined || (last !== id && last !== encodeURIComponent(id.toWellFormed()))) return false;
  const isAtGateway = baseUrl !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).origin === origin;
  return (
    isAtGateway || segments.some((segment) => /^(api|v\d\w*|tasks?|jobs?|predictions?|queue)$/i.test(segment))
  );
}

function readAddress(text: string, context: ResultContext): string | undefined {
  const url = toAbsoluteUrl(text.trim(), context.baseUrl);
  return url === undefined || isOwnAddress(url, context) ? undefined : url;
}

function createResult(url: string, owner: JsonObject): TaskResult {
  const mimeType = nonEmptyString(owner.mime_type ?? owner.mimeType);
  const expiresAt = findValue([owner], expiryKeys, readExpiry) ?? readSignatureExpiry(url);
  return { url, ...(mimeType && { mimeType }), ...(expiresAt && { expiresAt }) };
}

/** Members with a result as base64, and the media type if the record has none. */
const dataKeys: Readonly<Record<string, string | undefined>> = {
  data: undefined,
  bytesBase64Encoded: undefined,
  base64: undefined,
  videoBytes: 'video/mp4',
  encodedVideo: 'video/mp4',
  imageBytes: 'image/png',
  b64_json: 'image/png',
};

/** A result inside the record as base64. */
function readInlineResult(object: JsonObject): string | undefined {
  if (object.type === 'image_generation_call')
    return createDataUrl(object.result, readPictureType(object) ?? 'image/png');
  for (const [key, defaultType] of Object.entries(dataKeys)) {
    const url = createDataUrl(object[key], readMimeType(object) ?? defaultType);
    if (url !== undefined) return url;
  }
  return undefined;
}

function readMimeType(object: JsonObject): string | undefined {
  const { mime_type, mimeType, content_type, encoding, type } = object;
  return (
    [mime_type, mimeType, content_type, encoding].map(nonEmptyString).find((each) => each?.includes('/')) ??
    readPictureType(object) ??
    typesByKind.get(scalarText(type))
  );
}

function readPictureType({ output_format: format }: JsonObject): string | undefined {
  const extension = scalarText(format);
  return /^(png|jpe?g|webp)$/.test(extension) ? `image/${extension.replace('jpg', 'jpeg')}` : undefined;
}

function createDataUrl(data: unknown, declaredType: string | undefined): string | undefined {
  const text = nonEmptyString(data);
  const mimeType = declaredType ?? (text && sniffType(text));
  if (text === undefined || mimeType === undefined || !/^[\w+/-]+=*$/.test(text)) return undefined;
  return `data:${mimeType};base64,${text}`;
}

/** Base64 of media, recognized by its first bytes. */
function readBase64(text: string): string | undefined {
  return createDataUrl(text, undefined);
}

/** The number of base64 characters that determine the media type. */
const sniffedLength = 64;

function sniffType(base64: string): string | undefined {
  const start = base64.slice(0, sniffedLength).replaceAll('-', '+').replaceAll('_', '/');
  const groups = /^(?:[A-Za-z\d+/]{4}){4,}/.exec(start)?.[0];
  if (groups === undefined) return undefined;
  const bytes = atob(groups);
  return sniffMedia(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))?.mimeType;
}

const typesByKind: ReadonlyMap<string, string> = new Map([
  ['video', 'video/mp4'],
  ['image', 'image/png'],
  ['audio', 'audio/wav'],
]);

/** The absolute address; undefined for schemes that cannot be downloaded. */
function toAbsoluteUrl(text: string, baseUrl: string | undefined): string | undefined {
  if (/^(data:(video|image|audio)\/|gs:\/\/)\S+$/.test(text)) return text;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? text : undefined;
  return baseUrl !== undefined && /^\/(?!\/)\S+$/.test(text) ? resolvePath(text, baseUrl) : undefined;
}

function resolvePath(path: string, baseUrl: string): string | undefined {
  const url = URL.canParse(path, baseUrl) ? new URL(path, baseUrl) : undefined;
  return url?.origin === new URL(baseUrl).origin ? url.href : undefined;
}
