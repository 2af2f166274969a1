import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { describesError } from './error.ts';
import { classOfStatus, isCallStatus, isReadyStatus, type StatusClass } from './statusWords.ts';

/** What a record tells about its status. */
export interface Evidence {
  /** The objects of the record, the most likely first. */
  readonly objects: readonly JsonObject[];
  readonly rawStatus: string | undefined;
  /** The HTTP status of the reply. */
  readonly httpStatus: number | undefined;
  /** The number of its results. */
  readonly results: number;
}

/**
 * Decides the status of a task: by its own word, and otherwise by the evidence. A finishing time, a progress
 * of 100 and an empty error prove nothing.
 */
export function statusOf({ objects, rawStatus, httpStatus, results }: Evidence): StatusClass {
  const [record = {}] = objects;
  if (record.cancelled === true || record.canceled === true) return 'cancelled';
  const known = rawStatus === undefined ? undefined : classOfStatus(rawStatus);
  if (known === 'completed' && isModerated(objects)) return 'failed';
  if (known) return known;
  // One vendor means ready to run, another ready to download.
  if (rawStatus !== undefined && isReadyStatus(rawStatus)) return results > 0 ? 'completed' : 'running';
  if (record.done === true) return describesError(record) || isModerated(objects) ? 'failed' : 'completed';
  if (record.done === false || httpStatus === 202 || httpStatus === 204) return 'running';
  if (describesError(record)) return 'failed';
  const untold = rawStatus === undefined || isCallStatus(rawStatus);
  return untold && results > 0 ? (isModerated(objects) ? 'failed' : 'completed') : 'running';
}

/** Vendors report a filtered result beside a good status. */
function isModerated(objects: readonly JsonObject[]): boolean {
  return objects.some(({ video, generateVideoResponse: made }) => {
    if (isObject(video) && video.respect_moderation === false) return true;
    return (
      isObject(made) &&
      Number(scalarText(made.raiMediaFilteredCount)) > 0 &&
      !Array.isArray(made.generatedSamples)
    );
  });
}
