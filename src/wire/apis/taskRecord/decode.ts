import { readTaskError, type TaskError } from './error.ts';
import { readTaskId } from './names.ts';
import { objectsIn, recordObjects } from './objects.ts';
import { readProgress } from './progress.ts';
import { readTaskResults, type TaskResult } from './results.ts';
import { statusOf } from './status.ts';
import type { StatusClass } from './statusWords.ts';
import { readTaskTimes } from './times.ts';

/** One look at a task, whatever gateway wrote its record. */
export interface TaskSnapshot {
  readonly id?: string;
  /** A record that tells no status is running. */
  readonly status: 'running' | 'completed' | 'failed';
  /** A task that ended without failing on its own: it was cancelled, or waits for what only a new request can give. */
  readonly failedAs?: 'cancelled' | 'needs-attention';
  /** The record's own word for its status. */
  readonly rawStatus?: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  /**
   * What was made; none while it runs, since some records name it before it is there. A completed record
   * without results may name them later, or leave them to another route.
   */
  readonly results: readonly TaskResult[];
  /** Why it failed; only on failed tasks, since some records fill these fields from the start. */
  readonly error?: TaskError;
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  /** Only once the task has ended, since some records fill it from the start. */
  readonly finishedAt?: Date;
  /** When the first of the results, or the record itself, stops being available. */
  readonly expiresAt?: Date;
  /** The gateway's own X-Request-Id of the reply that held the record, where it told one; never in lists. */
  readonly gatewayRequestId?: string;
  /** The record as it came, parsed; integers too large for a number are strings. */
  readonly raw: unknown;
}

export interface TaskReply {
  /** The HTTP status of the reply. */
  readonly httpStatus?: number;
  /** What addresses without a host are relative to. */
  readonly baseUrl?: string;
}

/** Reads a task record: see the other taskRecord files for how each part of it is found. */
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
