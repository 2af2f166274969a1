import type { Database } from '../../storage/database.ts';
import { type TaskStatus, taskStatuses } from './taskIdentity.ts';
import { type PlannedEnd, type TaskRow, taskOf } from './taskRows.ts';
import type { StoredTask } from './taskState.ts';

export interface TaskListQuery {
  readonly limit: number;
  /** Goes on after the task at this place. */
  readonly after?: number;
  /** The newest are first otherwise. */
  readonly oldestFirst?: boolean;
  readonly statuses: readonly TaskStatus[];
  /** Lists only what the credential of this name made. */
  readonly owner?: string;
  /** Lists only tasks that make videos, and nothing else. */
  readonly videosOnly?: boolean;
}

export interface TaskListing {
  /** When the states were read, in milliseconds since 1970. */
  readonly at: number;
  readonly tasks: readonly StoredTask[];
  readonly hasMore: boolean;
  /** The `after` of the next page; absent on the last page. */
  readonly next?: number;
}

/**
 * Reads a page of tasks by their creation. Tasks that are created meanwhile shift no page, and clocks do not
 * matter. Its cost grows with the page, not with the table.
 *
 * @param at wall clock in milliseconds since 1970
 */
export function readListing(database: Database, query: TaskListQuery, at: number): TaskListing {
  const { limit, oldestFirst = false } = query;
  const places = runsOf(query, at)
    .flatMap((run) => placesIn(database, run, query))
    .sort((one, other) => (oldestFirst ? one - other : other - one))
    .slice(0, limit + 1);
  const rows = database.all<TaskRow>(
    `SELECT * FROM task WHERE place IN (SELECT value FROM json_each(?))`,
    JSON.stringify(places.slice(0, limit)),
  );
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  const tasks = places.flatMap((place) => {
    const row = byPlace.get(place);
    return row ? [taskOf(row)] : [];
  });
  const hasMore = places.length > limit;
  const last = hasMore ? places[limit - 1] : undefined;
  return { at, tasks, hasMore, ...(last !== undefined && { next: last }) };
}

/** Tasks that an index finds. */
interface Run {
  readonly index?: 'task_status' | 'task_format' | 'task_end';
  /** SQL, constant since each statement is prepared once. */
  readonly where: string;
  readonly values: readonly (string | number | null)[];
}

function runsOf({ statuses, videosOnly = false }: TaskListQuery, at: number): readonly Run[] {
  if (!taskStatuses.every((status) => statuses.includes(status)))
    return [...new Set(statuses)].flatMap((status) => runsOfStatus(status, at));
  if (!videosOnly) return [{ where: 'true', values: [] }];
  return videoFormats.map((format) => ({ index: 'task_format', where: 'format IS ?', values: [format] }));
}

/** The formats of tasks that make videos; null where the clock makes them. */
const videoFormats = [null, 'videos', 'videoSynthesis'] as const;

/** `stateOf` in SQL. */
function runsOfStatus(status: TaskStatus, at: number): readonly Run[] {
  const byPlan = (end: PlannedEnd, where: string, ...values: readonly number[]): Run => ({
    // Few tasks of a plan have not ended.
    index: /^ends_at (>|IS NULL)/.test(where) ? 'task_end' : 'task_status',
    where: `status = ? AND ${where}`,
    values: [end, ...values],
  });
  const told: Run = { index: 'task_status', where: 'status = ?', values: [status] };
  switch (status) {
    case 'queued':
      return [
        told,
        byPlan('completes', 'ends_at > ? AND starts_at > ?', at, at),
        byPlan('fails', 'ends_at > ? AND starts_at > ?', at, at),
        byPlan('endless', 'ends_at IS NULL AND starts_at > ?', at),
      ];
    case 'running':
      return [
        told,
        byPlan('completes', 'ends_at > ? AND starts_at <= ?', at, at),
        byPlan('fails', 'ends_at > ? AND starts_at <= ?', at, at),
        byPlan('endless', 'starts_at <= ?', at),
      ];
    case 'completed':
      return [told, byPlan('completes', 'ends_at <= ?', at)];
    case 'failed':
      return [told, byPlan('fails', 'ends_at <= ?', at)];
    default:
      return [told];
  }
}

function placesIn(
  database: Database,
  { index, where, values }: Run,
  {
    limit,
    owner,
    videosOnly,
    oldestFirst = false,
    after = oldestFirst ? 0 : Number.MAX_SAFE_INTEGER,
  }: TaskListQuery,
): readonly number[] {
  const [sign, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC'];
  const ofOwner = owner === undefined ? '' : ' AND owner = ?';
  const rows = database.all<Pick<TaskRow, 'place'>>(
    `SELECT place FROM task${indexFor(index, owner)} WHERE ${where}${ofOwner} AND place ${sign} ?${
      videosOnly && index !== 'task_format' ? onlyVideos : ''
    } ORDER BY place ${order} LIMIT ?`,
    ...[...values, ...(owner === undefined ? [] : [owner]), after, limit + 1],
  );
  return rows.map(({ place }) => place);
}

const onlyVideos = " AND (format IS NULL OR format IN ('videos', 'videoSynthesis'))";

function indexFor(index: Run['index'], owner: string | undefined): string {
  if (owner === undefined || index === 'task_end') return index === undefined ? '' : ` INDEXED BY ${index}`;
  return ` INDEXED BY ${index === undefined ? 'task_owner' : index.replace('task_', 'task_owner_')}`;
}
