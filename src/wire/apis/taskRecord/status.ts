import { isObject, type JsonObject, nonEmptyString, scalarText } from '../../../base/json.ts';
import { describesError, namesErrorCode } from './error.ts';
import {
  classOfStatus,
  isCallStatus,
  isListedStatus,
  isReadyStatus,
  type StatusClass,
} from './statusWords.ts';

/** What a record tells about its status. */
export interface Evidence {
  /** The objects of the record, the most likely first. */
  readonly objects: readonly JsonObject[];
  readonly rawStatus: string | undefined;
  /** The HTTP status of the reply. */
  readonly httpStatus: number | undefined;
  /** The number of its results. */
  readonly results: number;
  /** Percent. */
  readonly progress: number | undefined;
  readonly finishedAt: Date | undefined;
}

/**
 * Decides the status of a task: by its own word, and otherwise by the evidence. A finishing time or a progress
 * of 100 proves nothing without a result, nor does an empty error.
 */
export function statusOf(evidence: Evidence): StatusClass {
  const { objects, rawStatus, httpStatus, results } = evidence;
  const [record = {}] = objects;
  if (record.cancelled === true || record.canceled === true) return 'cancelled';
  const known = rawStatus === undefined ? undefined : classOfStatus(rawStatus);
  const isModerated = isFiltered(objects, results);
  // fal.ai and Tencent also call tasks completed that failed.
  const hasOnlyError = results === 0 && (describesError(record) || namesErrorCode(record));
  if (known === 'completed' && (isModerated || hasOnlyError)) return 'failed';
  // An activity that no list knows may have broken off.
  const isBroken = known === 'running' && describesError(record) && !isListedStatus(rawStatus ?? '');
  if (known) return isBroken ? 'failed' : known;
  // One vendor means ready to run, another ready to download.
  if (rawStatus !== undefined && isReadyStatus(rawStatus)) return results > 0 ? 'completed' : 'running';
  if (record.done === true) return describesError(record) || isModerated ? 'failed' : 'completed';
  if (record.done === false || httpStatus === 202 || httpStatus === 204) return 'running';
  if (describesError(record)) return 'failed';
  const untold = rawStatus === undefined || isCallStatus(rawStatus);
  if (!untold && looksFinished(evidence)) return isModerated ? 'failed' : 'completed';
  if (!untold) return 'running';
  const parts = statusOfProducts(record);
  if (parts) return parts;
  return results > 0 ? (isModerated ? 'failed' : 'completed') : 'running';
}

const productKeys = ['generations', 'videos', 'images', 'clips', 'works', 'creations', 'results', 'outputs'];

/** The status of a task without one whose products have their own: it runs while one does, and failed with all. */
function statusOfProducts(record: JsonObject): StatusClass | undefined {
  const products = productKeys.map((key) => record[key]).find((value) => Array.isArray(value));
  if (!Array.isArray(products)) return undefined;
  const told = products.map((product) => {
    const word = isObject(product) ? nonEmptyString(product.status ?? product.state) : undefined;
    return word === undefined ? undefined : classOfStatus(word);
  });
  if (told.includes('running')) return 'running';
  const [first] = told;
  const hasEndedAlike = first !== 'completed' && told.every((each) => each === first);
  return hasEndedAlike ? first : undefined;
}

/** How far the clock of a gateway may be ahead, in milliseconds. */
const maxAheadMs = 60_000;

/** Whether a task in an unknown state has a result, and has ended by its finishing time or its progress. */
function looksFinished({ objects, results, progress, finishedAt }: Evidence): boolean {
  // Some records write 1 in place of 100.
  const percent = progress === 1 && finishedAt ? 100 : progress;
  if (results === 0 || !mayHaveFinished(objects, percent)) return false;
  // Some records hold the time at which they expect to finish.
  const hasEnded = finishedAt !== undefined && finishedAt.getTime() <= Date.now() + maxAheadMs;
  return hasEnded || (percent === 100 && finishedAt === undefined);
}

/** Whether nothing in a record says that its task goes on, or has failed. */
export function mayHaveFinished(objects: readonly JsonObject[], progress: number | undefined): boolean {
  if (progress !== undefined && progress < 100) return false;
  return !objects.some(hasOpenPart) && !objects.some(tellsFailure);
}

const partKeys = [
  'steps',
  'stages',
  'jobs',
  'subtasks',
  'sub_tasks',
  'tasks',
  'results',
  'outputs',
  'output',
];

/** Whether a part of the work still goes on, so that a result may be that of an earlier step. */
function hasOpenPart(object: JsonObject): boolean {
  return partKeys.some((key) => {
    const parts = object[key];
    return (
      Array.isArray(parts) &&
      parts.some((part) => {
        const word = isObject(part) ? nonEmptyString(part.status ?? part.state) : undefined;
        return word !== undefined && classOfStatus(word) === 'running';
      })
    );
  });
}

/** Whether the text of a record, which is no error of its own, is about a failure. */
function tellsFailure({ message, msg, reason, detail }: JsonObject): boolean {
  return [message, msg, reason, detail].some((text) =>
    /fail|error|reject|denied|violat|refus|invalid|unable|失败|失敗|错误|錯誤|违规/i.test(
      nonEmptyString(text) ?? '',
    ),
  );
}

/** Vendors report a filtered result with a good status. */
function isFiltered(objects: readonly JsonObject[], results: number): boolean {
  return objects.some(({ video, generateVideoResponse: made, ...object }) => {
    if (isObject(video) && video.respect_moderation === false) return true;
    return [object, made].some(
      (each) => isObject(each) && results === 0 && Number(scalarText(each.raiMediaFilteredCount)) > 0,
    );
  });
}
