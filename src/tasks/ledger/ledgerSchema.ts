import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type SalvagePlan,
} from '../../storage/database.ts';
import { windowTables } from '../../storage/windowRegistry.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { createProblem } from '../record/taskProblem.ts';

/**
 * The ledger's schema. Times are in milliseconds since 1970. Problems, requests and records are JSON text. Large
 * values have separate tables, so that lists and small changes do not read them.
 */
export const ledgerMigrations: readonly string[] = [
  `
  CREATE TABLE tasks (
    key TEXT PRIMARY KEY,
    gateway TEXT NOT NULL,
    gatewayName TEXT NOT NULL,
    route TEXT,
    model TEXT,
    prompt TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN
      ('intent', 'submitting', 'unknown', 'refused', 'running', 'completed', 'failed', 'missing')),
    failedAs TEXT,
    watching TEXT NOT NULL DEFAULT 'on' CHECK (watching IN ('on', 'timed-out', 'stopped')),
    taskId TEXT,
    requestId TEXT,
    gatewayRequestId TEXT,
    rawStatus TEXT,
    progress REAL,
    maxPercent REAL,
    resultKind TEXT,
    problem TEXT,
    intendedAt INTEGER NOT NULL,
    submittedAt INTEGER,
    acceptedAt INTEGER,
    watchedSince INTEGER,
    endedAt INTEGER,
    expiresAt INTEGER,
    deletedAt INTEGER,
    -- the window that sends it
    owner TEXT
  ) STRICT;
  CREATE UNIQUE INDEX tasks_by_id ON tasks (gateway, taskId) WHERE taskId IS NOT NULL;
  CREATE INDEX tasks_by_age ON tasks (intendedAt);
  CREATE INDEX tasks_by_status ON tasks (status);
  CREATE INDEX tasks_ended ON tasks (model, endedAt) WHERE status = 'completed' AND route IS NOT NULL;

  CREATE TABLE requests (
    key TEXT PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE replies (
    key TEXT PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
    record TEXT,
    unclear TEXT
  ) STRICT;

  -- rawStatus is empty if there is none, because UNIQUE treats two NULLs as different
  CREATE TABLE statusChanges (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE,
    status TEXT NOT NULL,
    rawStatus TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (key, status, rawStatus)
  ) STRICT;

  CREATE TABLE failedPolls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE,
    at INTEGER NOT NULL,
    problem TEXT NOT NULL
  ) STRICT;
  CREATE INDEX failed_polls_by_task ON failedPolls (key);

  CREATE TABLE results (
    key TEXT NOT NULL REFERENCES tasks ON DELETE CASCADE,
    position INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'downloading', 'saved', 'failed', 'link')),
    url TEXT NOT NULL,
    mimeType TEXT,
    expiresAt INTEGER,
    path TEXT,
    bytes INTEGER,
    sha256 TEXT,
    problem TEXT,
    -- the window that downloads it
    owner TEXT,
    PRIMARY KEY (key, position)
  ) STRICT;
  CREATE INDEX results_open ON results (key) WHERE state IN ('waiting', 'downloading');

  -- the notices that a window has shown; a notice may be about a removed task
  CREATE TABLE notices (
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (key, kind)
  ) STRICT;

  -- the requests that may be billed, including those of removed tasks
  CREATE TABLE submissions (
    key TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX submissions_by_time ON submissions (at);

  -- the costs of requests, including those of removed tasks
  CREATE TABLE purchases (
    key TEXT PRIMARY KEY,
    gateway TEXT NOT NULL DEFAULT '',
    gatewayName TEXT NOT NULL DEFAULT '',
    model TEXT,
    seconds REAL,
    cost REAL,
    currency TEXT,
    isCharged INTEGER NOT NULL DEFAULT 0,
    isFailed INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- grows with every change to tasks
  CREATE TABLE revision (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    n INTEGER NOT NULL
  ) STRICT;
  INSERT INTO revision VALUES (1, 0);

  -- the task that each of the newest revisions changed; NULL if any task may have changed
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY,
    key TEXT
  ) STRICT;

  ${windowTables}
  `,
];

/**
 * How to save tasks from a damaged ledger. An index also contains the gateway and the id of each task with an id.
 * A task with the status `intent` may have been sent after that status was written.
 */
export const ledgerSalvage: SalvagePlan = {
  counted: 'tasks',
  fill: { gateway: '', gatewayName: '', prompt: '', status: 'unknown', intendedAt: 0 },
  fillOthers: { submissions: { at: 0 }, notices: { at: 0 } },
  afterLoss: `
    UPDATE tasks SET status = 'unknown',
      problem = ${quoteSql(JSON.stringify(createProblem(explain('sent-before-damage'))))}
      WHERE status = 'intent';
  `,
  after: `
    DELETE FROM tasks WHERE key IS NULL AND taskId IS NULL;
    UPDATE tasks SET key = lower(hex(randomblob(16))) WHERE key IS NULL;
    UPDATE tasks SET status = 'running' WHERE status = 'unknown' AND taskId IS NOT NULL;
    UPDATE tasks SET gateway = (SELECT max(gateway) FROM tasks)
      WHERE gateway = '' AND (SELECT count(DISTINCT gateway) FROM tasks WHERE gateway <> '') = 1;
    UPDATE tasks SET gatewayName = (SELECT max(gatewayName) FROM tasks AS other WHERE other.gateway = tasks.gateway)
      WHERE gatewayName = '';
    UPDATE tasks SET problem = NULL WHERE NOT is_json(problem);
    DELETE FROM requests WHERE NOT is_json(body);
    UPDATE results SET problem = NULL WHERE NOT is_json(problem);
    UPDATE replies SET record = NULL WHERE NOT is_json(record);
    DELETE FROM failedPolls WHERE NOT is_json(problem);
  `,
};

function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Opens the file of a ledger.
 *
 * @throws {StorageError} if it cannot be opened
 */
export function openLedgerDatabase(options: Omit<DatabaseOptions, 'migrations' | 'plan'>): Database {
  return openDatabase({ ...options, migrations: ledgerMigrations, plan: ledgerSalvage });
}
