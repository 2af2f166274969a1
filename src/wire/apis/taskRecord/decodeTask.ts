import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue, membersOf, memberWords } from './memberNames.ts';
import { type RecordObjects, recordObjects, taskObjects } from './recordObjects.ts';
import type { TaskResult, TaskSnapshot } from './snapshot.ts';
import { classOfStatus, isUnclearStatus, type StatusClass } from './statusWords.ts';
import { readTaskError } from './taskError.ts';
import { readTaskId } from './taskId.ts';
import { type ResultContext, readOtherResults, readTaskResults } from './taskResults.ts';
import { statusOf } from './taskStatus.ts';
import { readTaskTimes } from './taskTimes.ts';

/** The properties of the reply that holds a task record. */
export interface TaskReply {
  readonly httpStatus?: number;
  /** The base of relative addresses. */
  readonly baseUrl?: string;
}

/** Reads a task record of any known gateway. Never throws: missing values are absent. */
export function decodeTask(reply: unknown, { httpStatus, baseUrl }: TaskReply = {}): TaskSnapshot {
  const found = recordObjects(reply);
  const objects = found ? taskObjects(found) : [];
  const rawStatus = found?.rawStatus;
  const id = readTaskId(objects);
  const results = found ? resultsOf(found, { id, baseUrl }, httpStatus) : [];
  const progress = readProgress(objects);
  const { finishedAt, ...times } = readTaskTimes(objects, results);
  const evidence = { objects, rawStatus, httpStatus, results: results.length, progress, finishedAt };
  const statusClass = statusOf(evidence);
  const isUnsure = statusClass === 'running' && rawStatus !== undefined && isUnclearStatus(rawStatus);
  const failed = statusClass !== 'running' && statusClass !== 'completed';
  const error = failed ? readTaskError(objects) : undefined;
  return {
    ...(id !== undefined && { id }),
    status: failed ? 'failed' : statusClass,
    ...failureKinds[statusClass],
    ...(rawStatus !== undefined && { rawStatus }),
    ...(progress !== undefined && { progress }),
    results: statusClass === 'running' ? [] : results,
    ...(isUnsure && results.length > 0 && { unsureResults: results }),
    ...(error && { error }),
    ...times,
    ...(finishedAt && statusClass !== 'running' && { finishedAt }),
    raw: reply,
  };
}

/**
 * The results of a record. Members with unknown names are read only if the record reports that the task has
 * completed, or if the record is only the result.
 */
function resultsOf(
  found: RecordObjects,
  context: ResultContext,
  httpStatus: number | undefined,
): readonly TaskResult[] {
  const results = readTaskResults(found, context);
  if (results.length > 0) return results;
  const { rawStatus, record } = found;
  const isResult = rawStatus === undefined && context.id === undefined && (httpStatus ?? 200) === 200;
  const isCompleted = record.done === true || (rawStatus && classOfStatus(rawStatus) === 'completed');
  return isCompleted || isResult ? readOtherResults(found, context) : [];
}

const failureKinds: Record<StatusClass, Pick<TaskSnapshot, 'failedAs'>> = {
  running: {},
  completed: {},
  failed: {},
  cancelled: { failedAs: 'cancelled' },
  'needs-attention': { failedAs: 'needs-attention' },
};

const progressKeys = ['progress', 'percent', 'percentage', 'progressPercent'];

/** The progress of a task in percent; undefined if the record has no valid value. */
function readProgress(objects: readonly JsonObject[]): number | undefined {
  const metadata = objects.map((object) => object.metadata).filter(isObject);
  return firstValue([...objects, ...metadata], progressKeys, percent) ?? otherProgress(objects);
}

/** Progress in a member with another name, such as `percent_rendered` or `generation_progress: "40/100"`. */
function otherProgress(objects: readonly JsonObject[]): number | undefined {
  for (const [key, value] of objects.flatMap(membersOf)) {
    if (!memberWords(key).some((word) => /^(progress|percent|percentage)$/.test(word))) continue;
    const [, done, total] = /^(\d{1,9}) ?\/ ?(\d{1,9})$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
    const progress = total === undefined ? percent(value) : clamped((Number(done) / Number(total)) * 100);
    if (progress !== undefined) return progress;
  }
  return undefined;
}

function percent(value: unknown): number | undefined {
  if (typeof value === 'number') return clamped(value > 0 && value < 1 ? value * 100 : value);
  const [, digits, sign] = /^(\d{1,9}(?:\.\d{1,9})?)\s*(%?)$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
  if (digits === undefined) return undefined;
  return sign ? clamped(Number(digits)) : percent(Number(digits));
}

function clamped(value: number): number | undefined {
  return value >= 0 && value < Infinity ? Math.min(value, 100) : undefined;
}
