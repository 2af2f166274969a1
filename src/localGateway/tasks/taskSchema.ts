import { type Database, openDatabase } from '../../storage/database.ts';

/** The schema. Published scripts never change. */
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
 * How long to wait for a locked file, in milliseconds. All replies of the gateway also wait. A task that cannot be
 * stored by then is stored later, or refused.
 */
const lockWaitMs = 250;

/** The plan of a task whose row was lost. */
const lostPlan = '{"prompt":"","isLost":true}';
/** The fingerprint of such a task. Any request with its key counts as the same request. */
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
        ...{ plan: lostPlan, fingerprint: lostFingerprint, upstream: '', model: '', request_id: '' },
        ...{ created_at: Date.now(), starts_at: Date.now() },
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
