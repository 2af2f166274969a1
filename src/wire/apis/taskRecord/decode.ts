import { readTaskError, type TaskError } from './error.ts';
import { readTaskId } from './names.ts';
import { objectsIn, recordObjects } from './objects.ts';
import { readProgress } from './progress.ts';
import { readTaskResults, type TaskResult } from './results.ts';
import { statusOf } from './status.ts';
import type { StatusClass } from './statusWords.ts';
import { readTaskTimes } from './times.ts';

/** A task at one moment, whichever gateway wrote its record. */
export interface TaskSnapshot {
  readonly id?: string;
  /** A record without a status counts as running. */
  readonly status: 'running' | 'completed' | 'failed';
  /**
   * A task that ended without an error of its own: it was cancelled, or waits for input that only a new
   * request can give.
   */
  readonly failedAs?: 'cancelled' | 'needs-attention';
  /** The record's own word for its status. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /**
   * The results; none while the task runs, since some records name them before they exist. A completed record
   * without results may name them later, or leave them to another route.
   */
  readonly results: readonly TaskResult[];
  /** Why the task failed; only on failed tasks, since some records always fill these fields. */
  readonly error?: TaskError;
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  /** Only once the task has ended, since some records always fill this field. */
  readonly finishedAt?: Date;
  /** When the first result, or the record itself, expires. */
  readonly expiresAt?: Date;
  /** The gateway's own X-Request-Id of the reply with the record; absent in lists. */
  readonly gatewayRequestId?: string;
  /** The parsed record as it came. Integers beyond 2^53 are strings. */
  readonly raw: unknown;
}

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
  const statusClass = statusOf({ objects, rawStatus, httpStatus, results: results.length });
  const failed = statusClass !== 'running' && statusClass !== 'completed';
  const error = failed ? readTaskError(objects) : undefined;
  const progress = readProgress(objects);
  const { finishedAt, ...times } = readTaskTimes(objects, results);
  return {
    ...(id !== undefined && { id }),
    status: failed ? 'failed' : statusClass,
    ...failureKinds[statusClass],
    ...(rawStatus !== undefined && { rawStatus }),
    ...(progress !== undefined && { progress }),
    results: statusClass === 'running' ? [] : results,
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
