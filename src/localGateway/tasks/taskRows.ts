import { jsonText } from '../../base/json.ts';
import { cutBelow } from '../../base/nestedValues.ts';
import { StorageError } from '../../storage/database.ts';
import { scanObject } from '../json/jsonFields.ts';
import type { TaskFormat, VideoPlan } from '../upstreams/upstream.ts';
import type { KeptResults, RemoteTask, ToldState } from './remoteTask.ts';
import { type TaskStatus, taskStatuses } from './taskIdentity.ts';
import type { PlannedTask, StoredTask } from './taskState.ts';

/** Who asks for a task, and how a repeated request is known. */
export interface RequestIdentity {
  /** A digest of the request: a key belongs to one request only. */
  readonly fingerprint: string;
  /** One to 255 printable characters without spaces. */
  readonly idempotencyKey?: string;
  /** The name of the credential that asks; absent for the user's own. */
  readonly owner?: string;
}

/** The state in the table of a task that the clock makes and that is not cancelled. */
export type PlannedEnd = 'completes' | 'fails' | 'endless';

export function plannedEnd({ plan, endsAt }: PlannedTask): PlannedEnd {
  if (endsAt === null) return 'endless';
  return plan.failure ? 'fails' : 'completes';
}

/** A row of the table of tasks. */
export interface TaskRow {
  readonly place: number;
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
  readonly status: TaskStatus | PlannedEnd;
  readonly told: string | null;
  readonly kept: string | null;
  readonly owner: string | null;
}

/** The values of the columns that every new task has: id, key, fingerprint, upstream, model, request id, owner. */
export function identityColumns(
  { id, upstream, model, requestId, owner }: StoredTask,
  identity: RequestIdentity,
): readonly (string | null)[] {
  return [id, keyColumn(identity), identity.fingerprint, upstream, model, requestId, owner ?? null];
}

/** What stands for the key of a request. Each owner's keys are its own; a key holds no space. */
export function keyColumn({ owner, idempotencyKey }: RequestIdentity): string | null {
  if (idempotencyKey === undefined) return null;
  return owner === undefined ? idempotencyKey : `${owner} ${idempotencyKey}`;
}

/** How deep a record may nest where it is stored. SQLite reads no JSON that is deeper than 1,000. */
const maxStoredDepth = 500;

/** What an upstream told, without the values that are nested too deeply. */
export function toldColumn(told: ToldState): string {
  const text = jsonText(told);
  const depth = text === undefined ? undefined : scanObject(Buffer.from(text), [])?.depth;
  if (text !== undefined && depth !== undefined && depth <= maxStoredDepth) return text;
  return JSON.stringify(cutBelow(told, maxStoredDepth));
}

/** @throws {StorageError} when the row holds what is no task */
export function taskOf(row: TaskRow): StoredTask {
  const identity = {
    id: row.id,
    upstream: row.upstream,
    model: row.model,
    requestId: row.request_id,
    createdAt: row.created_at,
    ...(row.owner !== null && { owner: row.owner }),
  };
  if (row.format !== null) return { ...identity, ...remotePart(row, row.format) };
  return {
    ...identity,
    plan: jsonIn<VideoPlan>(row.plan),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    cancelledAt: row.cancelled_at,
  };
}

function remotePart(row: TaskRow, format: TaskFormat) {
  const { prompt, earlierId } = jsonIn<Pick<RemoteTask, 'prompt' | 'earlierId'>>(row.plan);
  return {
    format,
    prompt,
    ...(earlierId !== undefined && { earlierId }),
    ...(row.upstream_id !== null && { upstreamId: row.upstream_id }),
    status: taskStatuses.find((status) => status === row.status) ?? 'unknown',
    ...(row.ends_at !== null && { finishedAt: row.ends_at }),
    told: jsonIn<ToldState>(row.told ?? '{"progress":0,"results":[]}'),
    kept: jsonIn<KeptResults>(row.kept ?? '{}'),
  } as const;
}

function jsonIn<Value>(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new StorageError('damaged', 'The table of tasks holds what is no task.', { cause: error });
  }
}
