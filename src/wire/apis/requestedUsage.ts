import { nonEmptyString, scalarText } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import { estimatedTokens } from '../../base/tokenEstimate.ts';
import { serviceTierOf } from './models/serviceTier.ts';

/** The tokens of a request that is not sent yet. */
interface RequestTokens {
  /** An estimate. */
  readonly input: number;
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

/** A typical picture. */
const fileTokens = 1_500;
const minFileLength = 2_000;
const fileData = /^(?:data:[^,]{0,200},)?[\w+/=-]{2000}/;

function estimateInput(body: unknown): Pick<RequestTokens, 'input' | 'hasFiles'> {
  const pending: unknown[] = [body];
  let [input, files] = [0, 0];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (isFile(value)) files += 1;
      else input += estimatedTokens(value);
    } else if (Array.isArray(value)) {
      for (const each of value) pending.push(each);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        input += estimatedTokens(name);
        pending.push(member);
      }
    }
  }
  return { input: input + files * fileTokens, hasFiles: files > 0 };
}

function isFile(text: string): boolean {
  return text.length >= minFileLength && fileData.test(text);
}

/** The fields for several videos in one request, in all formats. */
const videoCountPaths = [
  ['n'],
  ['parameters', 'n'],
  ['parameters', 'sampleCount'],
  ['parameters', 'numberOfVideos'],
  ['metadata', 'n'],
] as const;

/** Larger numbers are mistakes, and an infinite price would count as unknown. */
const maxVideos = 1_000;

/**
 * The number of videos that one request makes: the largest, because the gateway chooses the field.
 *
 * @param fieldAt returns the value of a field of the request
 */
export function requestedVideos(fieldAt: (path: readonly string[]) => unknown): number {
  const counts = videoCountPaths.map((path) => Number.parseFloat(scalarText(fieldAt(path))));
  return Math.min(maxVideos, Math.max(1, ...counts.filter((count) => count >= 1)));
}
