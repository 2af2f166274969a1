import { isObject, type JsonObject, nonEmptyString, parseJson, scalarText } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import { estimatedTokens } from '../../base/tokenEstimate.ts';
import { findServiceTier } from './models/serviceTier.ts';
import type { TextFormatId } from './textFormats.ts';

/** The tokens of a request that is not sent yet. */
interface RequestTokens {
  /** An estimate, with the least that its files cost. */
  readonly input: number;
  /** An estimate, with the most that its files and the contents that the provider stores cost. */
  readonly maxInput: number;
  /** The output limit of the request, otherwise of its model, for all choices. */
  readonly maxOutput: number;
  /** The provider's word for the requested service tier, unless that is the standard one. */
  readonly serviceTier: string | undefined;
  /** Whether it contains files, such as pictures. */
  readonly hasFiles: boolean;
}

/** The output limit of a model whose limit is unknown, in tokens. */
const assumedMaxOutput = 16_384;

/** The model of a request, and the API format in which it is sent. Unknown values are absent. */
interface RequestTarget {
  readonly contextLength?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly format?: TextFormatId | undefined;
}

/** The members of the output limit. Servers ignore those of other formats. */
const limitPaths: Readonly<Record<TextFormatId, readonly (readonly string[])[]>> = {
  chatCompletions: [['max_completion_tokens'], ['max_tokens']],
  messages: [['max_tokens']],
  responses: [['max_output_tokens']],
  contentGeneration: ['generationConfig', 'generation_config'].flatMap((holder) =>
    ['maxOutputTokens', 'max_output_tokens'].map((name) => [holder, name]),
  ),
  interactions: [['generation_config', 'max_output_tokens']],
};
const limitNames = ['max_completion_tokens', 'max_tokens', 'max_output_tokens', 'maxOutputTokens'] as const;
const choiceNames = ['n', 'candidateCount', 'candidate_count', 'best_of'] as const;

/** The objects with settings of a text request. LiteLLM merges `extra_body` into the request. */
const textHolders = ['generationConfig', 'generation_config', 'extra_body'] as const;

/** Messages name the fast tier in a field of its own. */
const tierFields = ['service_tier', 'serviceTier', 'speed'] as const;

/** Servers refuse more choices. */
const maxChoices = 1000;
const maxCount = 1e9;

/** Estimates the tokens of a request in any text format. */
export function estimateRequestTokens(body: unknown, target: RequestTarget = {}): RequestTokens {
  const { contextLength, maxOutput = assumedMaxOutput, format } = target;
  const choices = Math.min(maxChoices, findLargestCount(readSettings(body, choiceNames)) ?? 1);
  const limits = readSettings(body, limitNames);
  const ownLimits = format ? limitPaths[format].map((path) => valueAt(body, path)) : limits;
  const limit = Math.max(findLargestCount(ownLimits) ?? maxOutput, findLargestCount(limits) ?? 0);
  return {
    ...estimateInput(body, contextLength),
    maxOutput: limit * choices,
    serviceTier: readSettings(body, tierFields)
      .map((value) => nonEmptyString(value))
      .find((word) => findServiceTier(word) !== 'standard'),
  };
}

/** The largest of several counts, because servers differ in the field that they read. */
function findLargestCount(fields: readonly unknown[]): number | undefined {
  const values = fields.filter((value) => value != null && value !== '');
  const counts = values.map((value) => readPlainNumber(value) ?? maxCount).filter((count) => count >= 1);
  return counts.length === 0 ? undefined : Math.min(maxCount, Math.max(...counts));
}

/** The values of all settings with these names. */
function readSettings(body: unknown, names: readonly string[]): readonly unknown[] {
  const holders = [body, ...textHolders.map((holder) => valueAt(body, [holder]))];
  return names.flatMap((name) => holders.map((holder) => valueAt(holder, [name])));
}

/** Reads a number, or a decimal number in a text. Servers differ in other texts, such as `1_000`. */
function readPlainNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const [, digits] = /^\s*([+-]?\d+(?:\.\d*)?)\s*$/.exec(scalarText(value)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The tokens of a typical picture, and the least that another file costs. */
const fileTokens = 1_500;
const minFileLength = 2_000;

/** The members that contain files, in all formats. Elsewhere, the model reads base64 as text. */
const fileMembers: ReadonlySet<string> = new Set(['data', 'url', 'image_url', 'file_data', 'result']);

/** The assumed size of contents that the provider stores, in tokens. */
const storedTokens = 100_000;

/** The members that continue a stored conversation, or use a stored prompt or cache. */
const storedMembers: ReadonlySet<string> = new Set([
  'previous_response_id',
  'previous_interaction_id',
  'conversation',
  'prompt',
  'cachedContent',
  'cached_content',
]);

/** Values that the model reads as JSON, also if they look like files: the results and arguments of functions. */
const jsonMembers: ReadonlySet<string> = new Set(['response', 'args', 'arguments']);

interface PendingValue {
  readonly value: unknown;
  /** The name of the member with the value, or with its list. */
  readonly name: string;
  readonly isJson: boolean;
  /** Whether it belongs to a picture. */
  readonly isPicture: boolean;
}

function estimateInput(
  body: unknown,
  contextLength = Number.POSITIVE_INFINITY,
): Pick<RequestTokens, 'input' | 'maxInput' | 'hasFiles'> {
  const pending: PendingValue[] = [{ value: body, name: '', isJson: false, isPicture: false }];
  let [input, extra, hasFiles] = [0, 0, false];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, name: ownName, isJson } = next;
    // Tables of numbers are also read as text.
    if (typeof value === 'string' || typeof value === 'number') input += estimatedTokens(String(value));
    else if (Array.isArray(value))
      for (const each of value) pending.push({ ...next, value: each, isPicture: false });
    else if (isObject(value)) {
      const isPicture = next.isPicture || ownName === 'image_url' || /image/.test(scalarText(value.type));
      for (const [name, member] of Object.entries(value)) {
        input += estimatedTokens(name);
        const fileSize = isJson ? undefined : estimateFile(value, name, member);
        if (fileSize !== undefined) {
          hasFiles = true;
          input += fileTokens;
          extra += fileSize - fileTokens;
          continue;
        }
        if (!isJson && isStored(name, member))
          extra += Number.isFinite(contextLength) ? contextLength : storedTokens;
        else if (!isJson && isReference(value, { name, ownName, member })) {
          hasFiles = true;
          extra += isPicture || isPictureType(value) ? fileTokens : storedTokens;
        }
        pending.push({ value: member, name, isPicture, isJson: isJson || isJsonMember(value, name) });
      }
    }
  }
  return { input, maxInput: Math.max(input, Math.min(input + extra, contextLength)), hasFiles };
}

function isJsonMember({ type }: JsonObject, name: string): boolean {
  return jsonMembers.has(name) || (name === 'input' && scalarText(type).endsWith('tool_use'));
}

function isStored(name: string, value: unknown): boolean {
  if (name === 'prompt' && typeof value === 'string') return false;
  return storedMembers.has(name) && nonEmptyString(isObject(value) ? value.id : value) !== undefined;
}

/** Whether a member is the address or the ID of a file that the provider reads itself. */
function isReference(
  { type }: JsonObject,
  { name, ownName, member }: { readonly name: string; readonly ownName: string; readonly member: unknown },
): boolean {
  if (nonEmptyString(member) === undefined || String(member).startsWith('data:')) return false;
  if (name === 'file_id') return ownName === 'file' || fileTypes.has(scalarText(type));
  if (name === 'url') return type === 'url' || /^(?:image|video|audio|file)_url$/.test(ownName);
  if (name === 'uri') return /^(?:image|document|video|audio|file)$/.test(scalarText(type));
  return /^(?:image_url|file_url|file_uri|fileUri)$/.test(name);
}

/** Objects of other types, such as citations, only name a file. */
const fileTypes: ReadonlySet<string> = new Set(['file', 'input_file', 'input_image']);

/** @returns the most tokens that a member may cost; undefined if the member is not a file */
function estimateFile(owner: JsonObject, name: string, value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length < minFileLength || !fileMembers.has(name)) return undefined;
  const [head = '', urlType] = /^data:([^,;]{0,100})[^,]{0,100};base64,/i.exec(value) ?? [];
  const data = value.slice(head.length);
  if (!isBase64(data)) return undefined;
  const isMade = owner.type === 'image_generation_call';
  if (name === 'result' && !isMade) return undefined;
  const isPicture = isMade || isPictureType({ mime_type: urlType, ...(urlType === undefined && owner) });
  return isPicture ? fileTokens : Math.max(fileTokens, Math.ceil(data.length / 4));
}

function isPictureType({ media_type, mime_type, mimeType }: JsonObject): boolean {
  return /^image\//i.test(scalarText(media_type ?? mime_type ?? mimeType));
}

function isBase64(text: string): boolean {
  const end = text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : undefined;
  // Searching for one other character never backtracks.
  return !/[^\w+/-]/.test(text.slice(0, end));
}

/**
 * The objects with the parameters of a video, in all formats. Some gateways pass `metadata` on to the provider of the
 * model, so that it may contain the parameters of any format.
 */
const videoHolders = ['parameters', 'metadata', 'response_format', 'extra_body'] as const;
const videoCountNames = [
  'n',
  'sampleCount',
  'sample_count',
  'numberOfVideos',
  'number_of_videos',
  'num_videos',
  'num_outputs',
  'batch_size',
] as const;
const videoLengthNames = ['seconds', 'duration', 'durationSeconds', 'duration_seconds'] as const;
/** A number of frames replaces the length, and the seconds of a frame depend on the model. */
const frameNames = ['frames', 'num_frames'] as const;

/** Larger numbers are mistakes, and an infinite price would count as unknown. */
const maxVideos = 1_000;
const maxVideoSeconds = 86_400;

/** Reads a field of a request by its name. Names of a form may have dots. */
type VideoFieldReader = (name: string) => unknown;

/** The number of videos that one request makes, and the length of each. */
interface RequestedVideos {
  readonly count: number;
  readonly seconds: number | undefined;
  /** Whether the length depends on the model, or a field is not a plain number or is negative. */
  readonly isUnclear: boolean;
}

/**
 * Reads the largest number and the largest length, because gateways differ in the fields that they read.
 */
export function readRequestedVideos(readField: VideoFieldReader): RequestedVideos {
  const count = findLargest([1, ...readNumbers(readField, videoCountNames)]);
  const seconds = findLargest([
    0,
    ...readNumbers(readField, videoLengthNames),
    ...readPromptLengths(readField),
  ]);
  return {
    count: Math.min(maxVideos, count || 1),
    seconds: seconds > 0 ? Math.min(maxVideoSeconds, seconds) : undefined,
    isUnclear: Number.isNaN(count + seconds) || findLargest([0, ...readNumbers(readField, frameNames)]) !== 0,
  };
}

/** NaN if a number is NaN. */
function findLargest(numbers: readonly number[]): number {
  return numbers.reduce((largest, each) => Math.max(largest, each));
}

/** Ark reads parameters at the end of a prompt, such as `--duration 10`. */
const promptLength = /--dur(?:ation)?[\s=:]+(\d+)/g;

function readPromptLengths(readField: VideoFieldReader): readonly number[] {
  const input = readField('input');
  const prompts = [readField('prompt'), input, valueAt(input, ['prompt'])];
  return prompts.flatMap((prompt) =>
    [...scalarText(prompt).matchAll(promptLength)].map(([, seconds]) => Number(seconds)),
  );
}

/** The values of all fields with these names; NaN for a field that is not a plain number, or is negative. */
function readNumbers(readField: VideoFieldReader, names: readonly string[]): readonly number[] {
  const holders = videoHolders.flatMap((name) => readObjects(readField(name)));
  const objects = [...holders, ...holders.map((holder) => valueAt(holder, ['parameters']))];
  const values = names.flatMap((name) => [
    readField(name),
    ...videoHolders.map((holder) => readField(`${holder}.${name}`)),
    ...objects.map((object) => valueAt(object, [name])),
  ]);
  return values.flatMap((value) => {
    if (value == null || value === '') return [];
    const number = readPlainNumber(
      typeof value === 'string' ? value.replace(/s(?:ec(?:onds?)?)?\s*$/i, '') : value,
    );
    return number === undefined || number < 0 ? [Number.NaN] : [number];
  });
}

/** The members that are counted, and the objects that contain such members. */
const countedNames: ReadonlySet<string> = new Set([
  'model',
  ...textHolders,
  ...limitNames,
  ...choiceNames,
  ...tierFields,
  ...videoHolders,
  ...videoCountNames,
  ...videoLengthNames,
  ...frameNames,
]);
const foldedNames: ReadonlySet<string> = new Set([...countedNames].map(foldCase));

/**
 * Finds a member that is not counted, but that some programs read like a counted one, because they ignore the case of
 * names, as programs in Go do.
 */
export function findMisspelledName(body: JsonObject, isVideo: boolean): string | undefined {
  const holders = isVideo ? videoHolders : textHolders;
  const objects = [body, ...holders.flatMap((name) => readObjects(body[name]))].filter(isObject);
  return objects
    .flatMap((object) => Object.keys(object))
    .find((name) => !countedNames.has(name) && foldedNames.has(foldCase(name)));
}

function foldCase(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Forms contain objects as JSON text. A list of formats may contain the format of the video. */
function readObjects(value: unknown): readonly unknown[] {
  return [typeof value === 'string' ? parseJson(value) : value].flat();
}
