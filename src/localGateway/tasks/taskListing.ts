import type { Database } from '../../storage/database.ts';
import { type ServedTaskStatus, taskStatuses } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { videoTaskFormats } from '../../wire/apis/taskRecordFormats.ts';
import type { StoredTask } from './taskState.ts';
import { type PlannedEnd, readStoredTask, type StoredTaskRow } from './taskTable.ts';

export interface TaskListQuery {
  readonly limit: number;
  /** The position of the task after which the page begins. */
  readonly after?: number;
  /** The newest tasks are first by default. */
  readonly oldestFirst?: boolean;
  readonly statuses: readonly ServedTaskStatus[];
  /** Lists only tasks that the credential with this name created. */
  readonly owner?: string;
  /** Lists only tasks that make videos and nothing else. */
  readonly videosOnly?: boolean;
}

export interface TaskListing {
  /** When the states were read, in milliseconds since 1970. */
  readonly at: number;
  readonly tasks: readonly StoredTask[];
  readonly hasMore: boolean;
  /** The `after` for the next page; absent on the last page. */
  readonly next?: number;
}

/**
 * Reads a page of tasks in the order of their creation. New tasks do not shift pages, and the order does not depend
 * on clocks. The cost grows with the size of the page, not of the table.
 *
 * @param at wall clock in milliseconds since 1970
 */
export function readListing(database: Database, query: TaskListQuery, at: number): TaskListing {
  const { limit, oldestFirst = false } = query;
  const positions = selectScans(query, at)
    .flatMap((scan) => findPositions(database, scan, query))
    .sort((one, other) => (oldestFirst ? one - other : other - one))
    .slice(0, limit + 1);
  const rows = database.all<StoredTaskRow>(
    `SELECT * FROM task WHERE position IN (SELECT value FROM json_each(?))`,
    JSON.stringify(positions.slice(0, limit)),
  );
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const tasks = positions.flatMap((position) => {
    const row = byPosition.get(position);
    return row ? [readStoredTask(row)] : [];
  });
  const hasMore = positions.length > limit;
  const last = hasMore ? positions[limit - 1] : undefined;
  return { at, tasks, hasMore, ...(last !== undefined && { next: last }) };
}

/** A search of the table with one index. */
interface IndexScan {
  readonly index?: 'task_status' | 'task_format' | 'task_end';
  /** SQL without values, because a prepared statement is reused. */
  readonly where: string;
  readonly values: readonly (string | number | null)[];
}

function selectScans({ statuses, videosOnly = false }: TaskListQuery, at: number): readonly IndexScan[] {
  if (!taskStatuses.every((status) => statuses.includes(status)))
    return [...new Set(statuses)].flatMap((status) => selectStatusScans(status, at));
  if (!videosOnly) return [{ where: 'true', values: [] }];
  return videoFormats.map((format) => ({ index: 'task_format', where: 'format IS ?', values: [format] }));
}

/** The formats of tasks that make videos; null for planned tasks. */
const videoFormats = [null, ...videoTaskFormats];

/** Selects the scans that find the tasks for which `readTaskState` returns a status. */
function selectStatusScans(status: ServedTaskStatus, at: number): readonly IndexScan[] {
  const createPlanScan = (end: PlannedEnd, where: string, ...values: readonly number[]): IndexScan => ({
    // Few planned tasks have not ended.
    index: /^ends_at (>|IS NULL)/.test(where) ? 'task_end' : 'task_status',
    where: `status = ? AND ${where}`,
    values: [end, ...values],
  });
  const reportedScan: IndexScan = { index: 'task_status', where: 'status = ?', values: [status] };
  switch (status) {
    case 'queued':
      return [
        reportedScan,
        createPlanScan('completes', 'ends_at > ? AND starts_at > ?', at, at),
        createPlanScan('fails', 'ends_at > ? AND starts_at > ?', at, at),
        createPlanScan('endless', 'ends_at IS NULL AND starts_at > ?', at),
      ];
    case 'running':
      return [
        reportedScan,
        createPlanScan('completes', 'ends_at > ? AND starts_at <= ?', at, at),
        createPlanScan('fails', 'ends_at > ? AND starts_at <= ?', at, at),
        createPlanScan('endless', 'starts_at <= ?', at),
      ];
    case 'completed':
      return [reportedScan, createPlanScan('completes', 'ends_at <= ?', at)];
    case 'failed':
      return [reportedScan, createPlanScan('fails', 'ends_at <= ?', at)];
    default:
      return [reportedScan];
  }
}

function findPositions(
  database: Database,
  { index, where, values }: IndexScan,
  {
    limit,
    owner,
    videosOnly,
    oldestFirst = false,
    after = oldestFirst ? 0 : Number.MAX_SAFE_INTEGER,
  }: TaskListQuery,
): readonly number[] {
  const [comparison, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
  const ownerFilter = owner === undefined ? '' : ' AND owner = ?';
  const rows = database.all<Pick<StoredTaskRow, 'position'>>(
    `SELECT position FROM task${formatIndex(index, owner)} WHERE ${where}${ownerFilter} AND position ${comparison} ?${
      videosOnly && index !== 'task_format' ? videoFilter : ''
    } ORDER BY position ${order} LIMIT ?`,
    ...values,
    ...(owner === undefined ? [] : [owner]),
    after,
    limit + 1,
  );
  return rows.map(({ position }) => position);
}

const videoFilter = ` AND (format IS NULL OR format IN (${videoTaskFormats.map((each) => `'${each}'`).join(', ')}))`;

function formatIndex(index: IndexScan['index'], owner: string | undefined): string {
  if (owner === undefined || index === 'task_end') return index === undefined ? '' : ` INDEXED BY ${index}`;
  return ` INDEXED BY ${index === undefined ? 'task_owner' : index.replace('task_', 'task_owner_')}`;
}
