import { jsonText } from '../../base/json.ts';
import { cutBelow } from '../../base/nestedValues.ts';
import { type Database, openDatabase, StorageError } from '../../storage/database.ts';
import { type ServedTaskStatus, taskStatuses } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import type { TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import { scanObject } from '../json/jsonFields.ts';
import type { VideoPlan } from '../upstreams/upstream.ts';
import type { PlannedTask, StoredTask } from './taskState.ts';
import type { StoredResultsByIndex, TaskReport, UpstreamTask } from './upstreamTask.ts';

/** The scripts that create the tables. A published script must not change. */
const taskMigrations: readonly string[] = [
  `CREATE TABLE task (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT UNIQUE,
    fingerprint TEXT NOT NULL,
    upstream TEXT NOT NULL,
    model TEXT NOT NULL,
    request_id TEXT NOT NULL,
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER,
    cancelled_at INTEGER,
    -- the total run time of gateways when it was found expired; null if it has not expired
    over_since INTEGER,
    -- the format of an upstream task; null for a demo task, which follows its plan
    format TEXT,
    upstream_id TEXT,
    -- the name of the upstream's key that made it; null if the upstream has only one
    key_name TEXT,
    -- the last status from the upstream; of a demo task: cancelled, or its planned end (see PlannedEnd)
    status TEXT,
    report TEXT,
    -- the results in the results folder
    storedResults TEXT,
    -- the name of the credential that made it; null for the user's own
    owner TEXT,
    -- since when its age counts: its end, or its creation while it has not ended
    aged_at INTEGER,
    -- when its upstream is polled next without a caller; null if nothing remains to be read or downloaded
    follow_at INTEGER
  ) STRICT;
  -- milliseconds for which gateways have run
  CREATE TABLE running (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ms INTEGER NOT NULL
  ) STRICT;
  -- for pages of lists, which follow the rowid within each
  CREATE INDEX task_status ON task (status);
  CREATE INDEX task_format ON task (format);
  CREATE INDEX task_owner ON task (owner) WHERE owner IS NOT NULL;
  CREATE INDEX task_owner_status ON task (owner, status) WHERE owner IS NOT NULL;
  CREATE INDEX task_owner_format ON task (owner, format) WHERE owner IS NOT NULL;
  CREATE INDEX task_end ON task (status, ends_at, starts_at);
  -- for upkeep
  CREATE INDEX task_age ON task (aged_at) WHERE over_since IS NULL;
  CREATE INDEX task_over_age ON task (aged_at) WHERE over_since IS NOT NULL;
  CREATE INDEX task_over ON task (over_since) WHERE over_since IS NOT NULL;
  CREATE INDEX task_follow ON task (follow_at) WHERE follow_at IS NOT NULL;
  -- a second copy of the columns that prevent paying twice for a request, on other pages than the rows
  CREATE INDEX task_copy ON task (id, idempotency_key, fingerprint, upstream, model, request_id, owner, format,
    upstream_id, created_at, starts_at)`,
];

/**
 * How long to wait for a locked file, in milliseconds. During this time, all replies of the gateway are blocked. A
 * task that cannot be stored in this time is stored later, or refused.
 */
const lockWaitMs = 250;

/** The plan of a task whose row was lost. */
const lostPlan = '{"prompt":"","isLost":true}';
/** The fingerprint of a task whose row was lost. Any request with its key counts as the same request. */
export const lostFingerprint = 'lost';

/**
 * Opens or creates the file.
 *
 * @throws {StorageError}
 */
export function openTaskDatabase(path: string): Database {
  return openDatabase({
    path,
    lockWaitMs,
    migrations: taskMigrations,
    plan: {
      counted: 'task',
      fill: {
        plan: lostPlan,
        fingerprint: lostFingerprint,
        upstream: '',
        model: '',
        request_id: '',
        created_at: Date.now(),
        starts_at: Date.now(),
      },
      // A task with only the copied columns left is read again at its upstream. Without the upstream's ID, its outcome
      // is unknown.
      after: `
        UPDATE task SET plan = '${lostPlan}', report = NULL, storedResults = NULL
          WHERE NOT is_json(plan) OR NOT is_json(report) OR NOT is_json(storedResults);
        UPDATE task SET format = coalesce(format, 'videos'), report = NULL, ends_at = NULL, cancelled_at = NULL,
          over_since = NULL, aged_at = created_at, status = iif(upstream_id IS NULL, 'unknown', 'running'),
          follow_at = iif(upstream_id IS NULL, NULL, 0)
          WHERE plan = '${lostPlan}'`,
    },
  });
}

/** The identity of a request for a task, used to recognize repeated requests. */
export interface RequestIdentity {
  /** A digest of the request, because a key belongs to only one request. */
  readonly fingerprint: string;
  /** One to 255 printable characters without spaces. */
  readonly idempotencyKey?: string;
  /** The name of the credential; absent for the user's own. */
  readonly owner?: string;
}

/** The status of a planned task in the table, unless it is cancelled. */
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

/**
 * Creates the column for the key of a request. The owner is a part of it, so that each owner has separate keys.
 * Keys do not contain spaces.
 */
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
