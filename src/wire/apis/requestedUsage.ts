import { isObject, type JsonObject, nonEmptyString, parseJson, scalarText } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import { estimatedTokens } from '../../base/tokenEstimate.ts';
import { serviceTierOf } from './models/serviceTier.ts';

/** The tokens of a request that is not sent yet. */
interface RequestTokens {
  /** An estimate, with the least that its files cost. */
  readonly input: number;
  /** An estimate, with the most that its files cost. */
  readonly maxInput: number;
  /** The output limit of the request, for all its choices; undefined without a limit. */
  readonly maxOutput: number | undefined;
  readonly choices: number;
  /** The provider's word for the requested service tier, unless that is the standard one. */
  readonly serviceTier: string | undefined;
  /** Whether it contains files, such as pictures. */
  readonly hasFiles: boolean;
}

/** The output limit of a model whose limit is unknown, in tokens. */
export const assumedMaxOutput = 16_384;

/** In all text formats, including both spellings of content generation. */
const limitPaths = [
  ['max_completion_tokens'],
  ['max_tokens'],
  ['max_output_tokens'],
  ['generationConfig', 'maxOutputTokens'],
  ['generation_config', 'maxOutputTokens'],
  ['generation_config', 'max_output_tokens'],
] as const;

const choicePaths = [
  ['n'],
  ['generationConfig', 'candidateCount'],
  ['generation_config', 'candidateCount'],
  ['generation_config', 'candidate_count'],
] as const;

/** Messages name the fast tier in a field of its own. */
const tierFields = ['service_tier', 'serviceTier', 'speed'] as const;

/** Servers refuse more. */
const maxChoices = 1000;
const maxCount = 1e9;

/** Estimates the tokens of a request in any text format. */
export function estimateRequestTokens(body: unknown): RequestTokens {
  const choices = Math.min(maxChoices, findLargestCount(body, choicePaths) ?? 1);
  const limit = findLargestCount(body, limitPaths);
  return {
    ...estimateInput(body),
    choices,
    maxOutput: limit === undefined ? undefined : limit * choices,
    serviceTier: tierFields
      .map((field) => nonEmptyString(valueAt(body, [field])))
      .find((word) => serviceTierOf(word) !== 'standard'),
  };
}

/** The largest of several counts, because servers differ in the field that they read. */
function findLargestCount(body: unknown, paths: readonly (readonly string[])[]): number | undefined {
  const counts = paths.map((path) => Number(valueAt(body, path))).filter((count) => count >= 1);
  return counts.length === 0 ? undefined : Math.min(maxCount, Math.max(...counts));
}

/** A typical picture, and the least that another file costs. */
const fileTokens = 1_500;
const minFileLength = 2_000;

/** The members that contain files, in all formats. Elsewhere, the model reads base64 as text. */
const fileMembers: ReadonlySet<string> = new Set(['data', 'url', 'image_url', 'file_data', 'result']);

/** Values that the model reads as JSON, also if they look like files: the results and arguments of functions. */
const jsonMembers: ReadonlySet<string> = new Set(['response', 'args']);

interface PendingValue {
  readonly value: unknown;
  readonly isJson: boolean;
}

function estimateInput(body: unknown): Pick<RequestTokens, 'input' | 'maxInput' | 'hasFiles'> {
  const pending: PendingValue[] = [{ value: body, isJson: false }];
  let [input, maxInput, hasFiles] = [0, 0, false];
  const addText = (text: string) => {
    const tokens = estimatedTokens(text);
    input += tokens;
    maxInput += tokens;
  };
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, isJson } = next;
    // Tables of numbers are also read as text.
    if (typeof value === 'string' || typeof value === 'number') addText(String(value));
    else if (Array.isArray(value)) for (const each of value) pending.push({ value: each, isJson });
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        addText(name);
        const fileSize = isJson ? undefined : estimateFile(value, name, member);
        if (fileSize === undefined) pending.push({ value: member, isJson: isJson || jsonMembers.has(name) });
        else {
          hasFiles = true;
          input += fileTokens;
          maxInput += fileSize;
        }
      }
    }
  }
  return { input, maxInput, hasFiles };
}

/** @returns the maximum of a member in tokens; undefined if it is not a file */
function estimateFile(owner: JsonObject, name: string, value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length < minFileLength || !fileMembers.has(name)) return undefined;
  const [head = '', urlType] = /^data:([^,;]{0,100})[^,]{0,100};base64,/i.exec(value) ?? [];
  const data = value.slice(head.length);
  if (!isBase64(data)) return undefined;
  const isMade = owner.type === 'image_generation_call';
  if (name === 'result' && !isMade) return undefined;
  const type = scalarText(urlType ?? owner.media_type ?? owner.mime_type ?? owner.mimeType);
  return isMade || /^image\//i.test(type) ? fileTokens : Math.max(fileTokens, Math.ceil(data.length / 4));
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
const videoHolders = ['parameters', 'metadata', 'response_format'] as const;
const videoCountNames = ['n', 'sampleCount', 'numberOfVideos'] as const;
const videoLengthNames = ['seconds', 'duration', 'durationSeconds', 'duration_seconds'] as const;

/** Larger numbers are mistakes, and an infinite price would count as unknown. */
const maxVideos = 1_000;
const maxVideoSeconds = 86_400;

/** Reads a field of a request by its name. Names of a form may have dots. */
type VideoFieldReader = (name: string) => unknown;

/** The number of videos that one request makes: the largest, because the gateway chooses the field. */
export function requestedVideos(readField: VideoFieldReader): number {
  return Math.min(maxVideos, findLargest(readField, videoCountNames) ?? 1);
}

/** The length of each requested video: the largest, because the gateway chooses the field. */
export function requestedSeconds(readField: VideoFieldReader): number | undefined {
  const seconds = findLargest(readField, videoLengthNames);
  return seconds === undefined ? undefined : Math.min(maxVideoSeconds, seconds);
}

function findLargest(readField: VideoFieldReader, names: readonly string[]): number | undefined {
  const holders = videoHolders.flatMap((name) => readObjects(readField(name)));
  const objects = [...holders, ...holders.map((holder) => valueAt(holder, ['parameters']))];
  const values = names.flatMap((name) => [
    ...[readField(name), ...videoHolders.map((holder) => readField(`${holder}.${name}`))],
    ...objects.map((object) => valueAt(object, [name])),
  ]);
  const numbers = values.map((value) => Number.parseFloat(scalarText(value))).filter((number) => number > 0);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** Forms contain objects as JSON texts, and a list of formats may contain the one of the video. */
function readObjects(value: unknown): readonly unknown[] {
  return [typeof value === 'string' ? parseJson(value) : value].flat();
}
