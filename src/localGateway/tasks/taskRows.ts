import { jsonText } from '../../base/json.ts';
import { cutBelow } from '../../base/nestedValues.ts';
import { StorageError } from '../../storage/database.ts';
import { type ServedTaskStatus, taskStatuses } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import type { TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import { scanObject } from '../json/jsonFields.ts';
import type { VideoPlan } from '../upstreams/upstream.ts';
import type { PlannedTask, StoredTask } from './taskState.ts';
import type { StoredResultsByIndex, TaskReport, UpstreamTask } from './upstreamTask.ts';

/** The identity of a request for a task, used to recognize repeated requests. */
export interface RequestIdentity {
  /** A digest of the request, because a key belongs to one request only. */
  readonly fingerprint: string;
  /** One to 255 printable characters without spaces. */
  readonly idempotencyKey?: string;
  /** The name of the credential; absent for the user's own. */
  readonly owner?: string;
}

/** The status in the table of a task that the clock makes and that is not cancelled. */
export type PlannedEnd = 'completes' | 'fails' | 'endless';

export function findPlannedEnd({ plan, endsAt }: PlannedTask): PlannedEnd {
  if (endsAt === null) return 'endless';
  return plan.failure ? 'fails' : 'completes';
}

export interface StoredTaskRow {
  readonly position: number;
  readonly id: string;
  readonly fingerprint: string;
  readonly upstream: string;
  readonly model: string;
  readonly request_id: string;
  readonly plan: string;
  readonly created_at: number;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
  readonly format: TaskFormat | null;
  readonly upstream_id: string | null;
  readonly key_name: string | null;
  readonly status: ServedTaskStatus | PlannedEnd;
  readonly report: string | null;
  readonly storedResults: string | null;
  readonly owner: string | null;
}

/** Creates the columns that every new task has: ID, key, fingerprint, upstream, model, request ID, owner. */
export function createIdentityColumns(
  { id, upstream, model, requestId, owner }: StoredTask,
  identity: RequestIdentity,
): readonly (string | null)[] {
  return [id, createKeyColumn(identity), identity.fingerprint, upstream, model, requestId, owner ?? null];
}

/** Creates the column for the key of a request. Each owner has separate keys; keys do not contain spaces. */
export function createKeyColumn({ owner, idempotencyKey }: RequestIdentity): string | null {
  if (idempotencyKey === undefined) return null;
  return owner === undefined ? idempotencyKey : `${owner} ${idempotencyKey}`;
}

/** How deep a stored record may nest. SQLite cannot read JSON with more than 1,000 levels. */
const maxStoredDepth = 500;

/** Writes the reported state as JSON, without values that are nested too deeply. */
export function createReportColumn(report: TaskReport): string {
  const text = jsonText(report);
  const depth = text === undefined ? undefined : scanObject(Buffer.from(text), [])?.depth;
  if (text !== undefined && depth !== undefined && depth <= maxStoredDepth) return text;
  return JSON.stringify(cutBelow(report, maxStoredDepth));
}

/** @throws {StorageError} if the row is not a valid task */
export function readStoredTask(row: StoredTaskRow): StoredTask {
  const identity = {
    id: row.id,
    upstream: row.upstream,
    model: row.model,
    requestId: row.request_id,
    createdAt: row.created_at,
    ...(row.owner !== null && { owner: row.owner }),
  };
  if (row.format !== null) return { ...identity, ...readUpstreamPart(row, row.format) };
  return {
    ...identity,
    plan: parseColumn<VideoPlan>(row.plan),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    cancelledAt: row.cancelled_at,
  };
}

function readUpstreamPart(row: StoredTaskRow, format: TaskFormat) {
  const { prompt, earlierId } = parseColumn<Pick<UpstreamTask, 'prompt' | 'earlierId'>>(row.plan);
  return {
    format,
    prompt,
    ...(earlierId !== undefined && { earlierId }),
    ...(row.upstream_id !== null && { upstreamId: row.upstream_id }),
    ...(row.key_name !== null && { keyName: row.key_name }),
    status: taskStatuses.find((status) => status === row.status) ?? 'unknown',
    ...(row.ends_at !== null && { finishedAt: row.ends_at }),
    report: parseColumn<TaskReport>(row.report ?? '{"progress":0,"results":[]}'),
    storedResults: parseColumn<StoredResultsByIndex>(row.storedResults ?? '{}'),
  } as const;
}

function parseColumn<Value>(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new StorageError('damaged', 'The table of tasks contains an invalid row.', { cause: error });
  }
}
