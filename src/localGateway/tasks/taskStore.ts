import { type Database, openDatabase, StorageError } from '../../storage/database.ts';
import type { VideoPlan } from '../upstreams/upstream.ts';
import { type Clocks, TaskRetention } from './taskRetention.ts';
import { newTask, type StoredTask, type TaskRequest, type TaskStatus } from './taskState.ts';

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
];

export interface TaskDraft extends TaskRequest {
  /** A digest of the request: a key belongs to one request only. */
  readonly fingerprint: string;
  readonly idempotencyKey?: string;
}

export interface TaskCreation {
  readonly task: StoredTask;
  /** The key belongs to an earlier task, made by the same request or by another one. */
  readonly repeats?: 'same' | 'other';
}

export interface TaskListQuery {
  readonly limit: number;
  /** Lists only tasks created before the one at this place. */
  readonly before?: number;
  readonly statuses: readonly TaskStatus[];
}

export interface TaskListing {
  /** When the states were read, in milliseconds since 1970. */
  readonly at: number;
  readonly tasks: readonly StoredTask[];
  /** The `before` of the next page; absent on the last page. */
  readonly next?: number;
}

interface Row {
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
}

/** `stateOf` in SQL. */
const statusColumn = `CASE
  WHEN cancelled_at IS NOT NULL THEN 'cancelled'
  WHEN ends_at <= ? THEN iif(fails, 'failed', 'completed')
  WHEN starts_at <= ? THEN 'running'
  ELSE 'queued' END`;

/**
 * The tasks of this machine's user, in a file that several gateways may share. All methods are synchronous,
 * and what they write is on the disk when they return.
 *
 * @throws {StorageError} from every method
 */
export class TaskStore {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #retention: TaskRetention;

  constructor(database: Database, clocks: Clocks) {
    this.#database = database;
    this.#now = () => clocks.now();
    this.#retention = new TaskRetention(database, clocks);
  }

  /** Creates a task, or returns the one that already has its key. */
  create(draft: TaskDraft): TaskCreation {
    const task = newTask(draft, this.#now());
    const { fingerprint, idempotencyKey = null } = draft;
    return this.#database.writeDurably(() => {
      this.#retention.check();
      const earlier = this.#database.get<Row>('SELECT * FROM task WHERE idempotency_key = ?', idempotencyKey);
      if (earlier)
        return { task: taskOf(earlier), repeats: earlier.fingerprint === fingerprint ? 'same' : 'other' };
      this.#database.run(
        `INSERT INTO task (id, idempotency_key, fingerprint, upstream, model, request_id, plan, fails,
          created_at, starts_at, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        task.id,
        idempotencyKey,
        fingerprint,
        task.upstream,
        task.model,
        task.requestId,
        JSON.stringify(task.plan),
        task.plan.failure ? 1 : 0,
        task.createdAt,
        task.startsAt,
        task.endsAt,
      );
      return { task };
    });
  }

  /** @returns undefined for a task that does not exist or is not kept any more */
  get(id: string): StoredTask | undefined {
    this.#checkIfDue();
    return this.#database.read(() => {
      const row = this.#database.get<Row>('SELECT * FROM task WHERE id = ?', id);
      return row && taskOf(row);
    });
  }

  /** Lists tasks newest first. Tasks that are created meanwhile shift no page, and clocks do not matter. */
  list({ limit, before, statuses }: TaskListQuery): TaskListing {
    this.#checkIfDue();
    const at = this.#now();
    return this.#database.read(() => {
      const rows = this.#database.all<Row>(
        `SELECT * FROM task WHERE place < ? AND ${statusColumn} IN (SELECT value FROM json_each(?))
          ORDER BY place DESC LIMIT ?`,
        before ?? Number.MAX_SAFE_INTEGER,
        at,
        at,
        JSON.stringify(statuses),
        limit + 1,
      );
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return { at, tasks: rows.slice(0, limit).map(taskOf), ...(last && { next: last.place }) };
    });
  }

  /**
   * Cancels a task that has not ended and can be cancelled.
   *
   * @returns whether it did
   */
  cancel(id: string): boolean {
    const now = this.#now();
    return this.#database.writeDurably(
      () =>
        this.#database.run(
          `UPDATE task SET cancelled_at = max(?, created_at) WHERE id = ? AND plan ->> '$.cancellable' = 1
            AND cancelled_at IS NULL AND (ends_at IS NULL OR ends_at > ?)`,
          now,
          id,
          now,
        ) > 0,
    );
  }

  /**
   * Deletes a task that has ended.
   *
   * @returns whether it did
   */
  delete(id: string): boolean {
    return this.#database.writeDurably(
      () =>
        this.#database.run(
          'DELETE FROM task WHERE id = ? AND (cancelled_at IS NOT NULL OR ends_at <= ?)',
          id,
          this.#now(),
        ) > 0,
    );
  }

  close(): void {
    this.#database.close();
  }

  /** A file that cannot be written can still be read. */
  #checkIfDue(): void {
    if (!this.#retention.isDue || this.#database.readOnly !== undefined) return;
    try {
      this.#database.write(() => this.#retention.check());
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

/**
 * Opens the file, or creates it.
 *
 * @throws {StorageError}
 */
export function openTaskDatabase(path: string): Database {
  return openDatabase({
    path,
    migrations: taskMigrations,
    plan: { counted: 'task', after: 'DELETE FROM task WHERE NOT json_valid(plan)' },
  });
}

function taskOf(row: Row): StoredTask {
  return {
    id: row.id,
    upstream: row.upstream,
    model: row.model,
    requestId: row.request_id,
    plan: planIn(row),
    createdAt: row.created_at,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    cancelledAt: row.cancelled_at,
  };
}

function planIn({ plan }: Row): VideoPlan {
  try {
    return JSON.parse(plan) as VideoPlan;
  } catch (error) {
    throw new StorageError('damaged', 'The table of tasks holds what is no task.', { cause: error });
  }
}
