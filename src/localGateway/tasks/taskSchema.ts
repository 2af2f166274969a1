import { type Database, openDatabase } from '../../storage/database.ts';

/** The schema. Published scripts never change. */
export const taskMigrations: readonly string[] = [
  `CREATE TABLE task (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT UNIQUE,
    fingerprint TEXT NOT NULL,
    upstream TEXT NOT NULL,
    model TEXT NOT NULL,
    request_id TEXT NOT NULL,
    plan TEXT NOT NULL,
    fails INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER,
    cancelled_at INTEGER
  ) STRICT`,
  `
  -- how long gateways had run when its time was first found to be up, and was at every look since
  ALTER TABLE task ADD COLUMN over_since INTEGER;
  -- milliseconds for which gateways have run
  CREATE TABLE running (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ms INTEGER NOT NULL
  ) STRICT`,
  `
  -- the format of a task that an upstream makes; null where the clock makes it by its plan
  ALTER TABLE task ADD COLUMN format TEXT;
  ALTER TABLE task ADD COLUMN upstream_id TEXT;
  -- the state that the upstream told last
  ALTER TABLE task ADD COLUMN status TEXT;
  ALTER TABLE task ADD COLUMN told TEXT;
  -- results in the folder of results
  ALTER TABLE task ADD COLUMN kept TEXT`,
  `
  -- the name of the credential that made it; null for the user's own
  ALTER TABLE task ADD COLUMN owner TEXT`,
];

/**
 * Opens the file, or creates it.
 *
 * @throws {StorageError}
 */
export function openTaskDatabase(path: string): Database {
  return openDatabase({
    path,
    migrations: taskMigrations,
    plan: {
      counted: 'task',
      after: "DELETE FROM task WHERE NOT json_valid(plan) OR NOT json_valid(coalesce(told, '{}'))",
    },
  });
}
