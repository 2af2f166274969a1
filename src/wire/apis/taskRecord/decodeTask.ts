import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { findValue, listMembers, splitMemberName } from './memberNames.ts';
import { findRecordObjects, listTaskObjects, type RecordObjects } from './recordObjects.ts';
import type { TaskResult, TaskSnapshot } from './snapshot.ts';
import { classifyStatus, isUnclearStatus, type StatusClass } from './statusWords.ts';
import { readTaskError } from './taskError.ts';
import { readTaskId } from './taskId.ts';
import { type ResultContext, readOtherResults, readTaskResults } from './taskResults.ts';
import { determineStatus } from './taskStatus.ts';
import { readTaskTimes } from './taskTimes.ts';

/** The properties of the reply that contains a task record. */
export interface TaskReply {
  readonly httpStatus?: number;
  /** The base of relative addresses. */
  readonly baseUrl?: string;
}

/** Reads a task record of any known gateway. Never throws: missing values are absent. */
export function decodeTask(reply: unknown, { httpStatus, baseUrl }: TaskReply = {}): TaskSnapshot {
  const found = findRecordObjects(reply);
  const objects = found ? listTaskObjects(found) : [];
  const rawStatus = found?.rawStatus;
  const id = readTaskId(objects);
  const results = found ? readResults(found, { id, baseUrl }, httpStatus) : [];
  const progress = readProgress(objects);
  const { finishedAt, ...times } = readTaskTimes(objects, results);
  const evidence = { objects, rawStatus, httpStatus, results: results.length, progress, finishedAt };
  const statusClass = determineStatus(evidence);
  const isUnclear = statusClass === 'running' && rawStatus !== undefined && isUnclearStatus(rawStatus);
  const hasFailed = statusClass !== 'running' && statusClass !== 'completed';
  const error = hasFailed ? readTaskError(objects) : undefined;
  return {
    ...(id !== undefined && { id }),
    status: hasFailed ? 'failed' : statusClass,
    ...failureKinds[statusClass],
    ...(rawStatus !== undefined && { rawStatus }),
    ...(progress !== undefined && { progress }),
    results: statusClass === 'running' ? [] : results,
    ...(isUnclear && results.length > 0 && { unsureResults: results }),
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
function readResults(
  found: RecordObjects,
  context: ResultContext,
  httpStatus: number | undefined,
): readonly TaskResult[] {
  const results = readTaskResults(found, context);
  if (results.length > 0) return results;
  const { rawStatus, record } = found;
  const isResult = rawStatus === undefined && context.id === undefined && (httpStatus ?? 200) === 200;
  const isCompleted = record.done === true || (rawStatus && classifyStatus(rawStatus) === 'completed');
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
  return findValue([...objects, ...metadata], progressKeys, readPercent) ?? findOtherProgress(objects);
}

/** Progress in a member with another name, such as `percent_rendered` or `generation_progress: "40/100"`. */
function findOtherProgress(objects: readonly JsonObject[]): number | undefined {
  for (const [key, value] of objects.flatMap(listMembers)) {
    if (!splitMemberName(key).some((word) => /^(progress|percent|percentage)$/.test(word))) continue;
    const [, done, total] = /^(\d{1,9}) ?\/ ?(\d{1,9})$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
    const progress =
      total === undefined ? readPercent(value) : clampPercent((Number(done) / Number(total)) * 100);
    if (progress !== undefined) return progress;
  }
  return undefined;
}

function readPercent(value: unknown): number | undefined {
  if (typeof value === 'number') return clampPercent(value > 0 && value < 1 ? value * 100 : value);
  const [, digits, sign] = /^(\d{1,9}(?:\.\d{1,9})?)\s*(%?)$/.exec(nonEmptyString(value)?.trim() ?? '') ?? [];
  if (digits === undefined) return undefined;
  return sign ? clampPercent(Number(digits)) : readPercent(Number(digits));
}

function clampPercent(value: number): number | undefined {
  return value >= 0 && value < Infinity ? Math.min(value, 100) : undefined;
}
