import { readTaskError } from './error.ts';
import { readTaskId } from './names.ts';
import { objectsIn, type RecordObjects, recordObjects } from './objects.ts';
import { readProgress } from './progress.ts';
import { type ResultContext, readOtherResults, readTaskResults } from './results.ts';
import type { TaskResult, TaskSnapshot } from './snapshot.ts';
import { statusOf } from './status.ts';
import { classOfStatus, isUnclearStatus, type StatusClass } from './statusWords.ts';
import { readTaskTimes } from './times.ts';

export interface TaskReply {
  /** The HTTP status of the reply. */
  readonly httpStatus?: number;
  /** The base of relative addresses. */
  readonly baseUrl?: string;
}

/**
 * Reads a task record of any known gateway; the other files of this folder read its parts. Never throws: what
 * is not found is absent.
 */
export function decodeTask(reply: unknown, { httpStatus, baseUrl }: TaskReply = {}): TaskSnapshot {
  const found = recordObjects(reply);
  const objects = found ? objectsIn(found) : [];
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

/** Members with other names count where the record says that the task has completed, or is only the result itself. */
function resultsOf(
  found: RecordObjects,
  context: ResultContext,
  httpStatus: number | undefined,
): readonly TaskResult[] {
  const named = readTaskResults(found, context);
  if (named.length > 0) return named;
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
