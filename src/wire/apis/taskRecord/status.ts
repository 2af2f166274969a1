import { isObject, type JsonObject } from '../../../base/json.ts';
import { describesError } from './error.ts';
import { classOfStatus, isCallStatus, isReadyStatus, type StatusClass } from './statusWords.ts';

/** What a record shows of its status. */
export interface Evidence {
  /** The objects of the record, the likeliest first. */
  readonly objects: readonly JsonObject[];
  readonly rawStatus: string | undefined;
  /** HTTP status of the reply. */
  readonly httpStatus: number | undefined;
  /** How many results it names. */
  readonly results: number;
}

/**
 * The status of a task: what its own word says, or else the evidence. A finishing time or a progress of 100
 * proves nothing, and neither does an empty error.
 */
export function statusOf({ objects, rawStatus, httpStatus, results }: Evidence): StatusClass {
  const [record = {}] = objects;
  if (record.cancelled === true || record.canceled === true) return 'cancelled';
  const known = rawStatus === undefined ? undefined : classOfStatus(rawStatus);
  if (known === 'completed' && isModerated(objects)) return 'failed';
  if (known) return known;
  // Ready to run for one vendor, ready to be fetched for another.
  if (rawStatus !== undefined && isReadyStatus(rawStatus)) return results > 0 ? 'completed' : 'running';
  if (record.done === true) return describesError(record) || isModerated(objects) ? 'failed' : 'completed';
  if (record.done === false || httpStatus === 202 || httpStatus === 204) return 'running';
  if (describesError(record)) return 'failed';
  const untold = rawStatus === undefined || isCallStatus(rawStatus);
  return untold && results > 0 ? (isModerated(objects) ? 'failed' : 'completed') : 'running';
}

/** Vendors that filter a result say so beside a good status. */
function isModerated(objects: readonly JsonObject[]): boolean {
  return objects.some(({ video, generateVideoResponse: made }) => {
    if (isObject(video) && video.respect_moderation === false) return true;
    return isObject(made) && Number(made.raiMediaFilteredCount) > 0 && !Array.isArray(made.generatedSamples);
  });
}
