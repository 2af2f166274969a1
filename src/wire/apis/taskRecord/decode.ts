import { readTaskError } from './error.ts';
import { readTaskId } from './names.ts';
import { objectsIn, recordObjects } from './objects.ts';
import { readProgress } from './progress.ts';
import { readTaskResults } from './results.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { statusOf } from './status.ts';
import { isUnclearStatus, type StatusClass } from './statusWords.ts';
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
  const results = found ? readTaskResults(found, { id, baseUrl }) : [];
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

const failureKinds: Record<StatusClass, Pick<TaskSnapshot, 'failedAs'>> = {
  running: {},
  completed: {},
  failed: {},
  cancelled: { failedAs: 'cancelled' },
  'needs-attention': { failedAs: 'needs-attention' },
};
