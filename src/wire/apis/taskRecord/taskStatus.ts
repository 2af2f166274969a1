import { isObject, type JsonObject, nonEmptyString, scalarText } from '../../../base/json.ts';
import { findTaskObjects } from './recordObjects.ts';
import type { TaskSnapshot } from './snapshot.ts';
import {
  classifyStatus,
  isCallStatus,
  isListedStatus,
  isReadyStatus,
  type StatusClass,
} from './statusWords.ts';
import { describesError, namesErrorCode } from './taskError.ts';

/** The evidence in a record about its status. */
interface Evidence {
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
 * Returns the status of a task: from its own word, otherwise from the evidence. A finishing time or a progress of 100
 * does not prove completion without a result. An empty error does not prove a failure.
 */
export function determineStatus(evidence: Evidence): StatusClass {
  const { objects, rawStatus, httpStatus, results } = evidence;
  const [record = {}] = objects;
  if (record.cancelled === true || record.canceled === true) return 'cancelled';
  const ownClass = rawStatus === undefined ? undefined : classifyStatus(rawStatus);
  const isModerated = isFiltered(objects, results);
  // fal.ai and Tencent also report failed tasks as completed.
  const hasOnlyError = results === 0 && (describesError(record) || namesErrorCode(record));
  if (ownClass === 'completed' && (isModerated || hasOnlyError)) return 'failed';
  // A task with an error has failed if its status word is only assumed to mean running.
  const isFailed = ownClass === 'running' && describesError(record) && !isListedStatus(rawStatus ?? '');
  if (ownClass) return isFailed ? 'failed' : ownClass;
  // For one vendor the word means ready to run, for another ready to download.
  if (rawStatus !== undefined && isReadyStatus(rawStatus)) return results > 0 ? 'completed' : 'running';
  if (record.done === true) return describesError(record) || isModerated ? 'failed' : 'completed';
  if (record.done === false || httpStatus === 202 || httpStatus === 204) return 'running';
  if (describesError(record)) return 'failed';
  const hasNoStatus = rawStatus === undefined || isCallStatus(rawStatus);
  if (!hasNoStatus && looksFinished(evidence)) return isModerated ? 'failed' : 'completed';
  if (!hasNoStatus) return 'running';
  const productsClass = determineProductStatus(record);
  if (productsClass) return productsClass;
  return results > 0 ? (isModerated ? 'failed' : 'completed') : 'running';
}

const productKeys = ['generations', 'videos', 'images', 'clips', 'works', 'creations', 'results', 'outputs'];

/**
 * The status of a task without its own status, from the statuses of its products: it runs while one of them runs,
 * and it has failed if all of them failed.
 */
function determineProductStatus(record: JsonObject): StatusClass | undefined {
  const products = productKeys.map((key) => record[key]).find((value) => Array.isArray(value));
  if (!Array.isArray(products)) return undefined;
  const classes = products.map(classifyPart);
  if (classes.includes('running')) return 'running';
  const [first] = classes;
  return first !== 'completed' && classes.every((each) => each === first) ? first : undefined;
}

/** How far the clock of a gateway may be ahead, in milliseconds. */
const maxAheadMs = 60_000;

/** Whether a task in an unknown state has a result, and has ended according to its finishing time or progress. */
function looksFinished({ objects, results, progress, finishedAt }: Evidence): boolean {
  // Some records write 1 in place of 100.
  const percent = progress === 1 && finishedAt ? 100 : progress;
  if (results === 0 || !mayHaveFinished(objects, percent)) return false;
  // Some records contain the expected finishing time.
  const hasEnded = finishedAt !== undefined && finishedAt.getTime() <= Date.now() + maxAheadMs;
  return hasEnded || (percent === 100 && finishedAt === undefined);
}

/** Whether a record has no evidence that its task still runs or has failed. */
function mayHaveFinished(objects: readonly JsonObject[], progress: number | undefined): boolean {
  if (progress !== undefined && progress < 100) return false;
  return !objects.some(hasOpenPart) && !objects.some(mentionsFailure);
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

/** Whether a part of the work still runs, so that a result may belong to an earlier step. */
function hasOpenPart(object: JsonObject): boolean {
  return partKeys.some((key) => {
    const parts = object[key];
    return Array.isArray(parts) && parts.some((part) => classifyPart(part) === 'running');
  });
}

/** The status of a product or another part of a task; undefined if it has none or it is unknown. */
function classifyPart(part: unknown): StatusClass | undefined {
  const word = isObject(part) ? nonEmptyString(part.status ?? part.state) : undefined;
  return word === undefined ? undefined : classifyStatus(word);
}

/** Whether the record has a text about a failure outside of an error object. */
function mentionsFailure({ message, msg, reason, detail }: JsonObject): boolean {
  return [message, msg, reason, detail].some((text) =>
    /fail|error|reject|denied|violat|refus|invalid|unable|失败|失敗|错误|錯誤|违规/i.test(
      nonEmptyString(text) ?? '',
    ),
  );
}

/** Whether the result was filtered. Vendors report this with a status for success. */
function isFiltered(objects: readonly JsonObject[], results: number): boolean {
  return objects.some(({ video, generateVideoResponse: videoResponse, ...object }) => {
    if (isObject(video) && video.respect_moderation === false) return true;
    return [object, videoResponse].some((each) => isObject(each) && results === 0 && hasFilteredVideo(each));
  });
}

/** Whether Google's filter removed a video. Some records contain only the reasons. */
function hasFilteredVideo({
  raiMediaFilteredCount: count,
  raiMediaFilteredReasons: reasons,
}: JsonObject): boolean {
  return Number(scalarText(count)) > 0 || (Array.isArray(reasons) && reasons.length > 0);
}

/** A task has ended if its record lists the same results for this many reads and this time. */
const minReads = 4;
const minMs = 30_000;

/**
 * The records of one task with an unknown status. Once they have listed the same results for a while, the task
 * counts as completed, because otherwise it would run forever.
 */
export class SteadyRecord {
  #text = '';
  #since = 0;
  #reads = 0;

  /**
   * Adds the next snapshot.
   *
   * @param now milliseconds of a monotonic clock
   * @returns the snapshot, as completed if the records have been the same for long enough
   */
  update(snapshot: TaskSnapshot, now: number): TaskSnapshot {
    const { unsureResults, rawStatus = '', progress, raw } = snapshot;
    const isOpen =
      !unsureResults || !mayHaveFinished(findTaskObjects(raw), progress === 0 ? undefined : progress);
    const text = isOpen
      ? ''
      : [rawStatus, progress, ...unsureResults.map(({ url }) => removeQuery(url))].join(' ');
    if (isOpen || text !== this.#text) {
      this.#text = text;
      this.#since = now;
      this.#reads = isOpen ? 0 : 1;
      return snapshot;
    }
    this.#reads += 1;
    if (this.#reads < minReads || now - this.#since < minMs) return snapshot;
    const { unsureResults: results, ...others } = snapshot;
    return { ...others, status: 'completed', results: results ?? [] };
  }
}

/** Signatures may change with each read. */
function removeQuery(url: string): string {
  return /^https?:/i.test(url) ? (url.split('?', 1)[0] ?? '') : url;
}
