import { type Database, StorageError } from '../../storage/database.ts';
import { missingCode } from './missingTasks.ts';
import type { KeptResults, RemoteTask, ToldState } from './remoteTask.ts';
import type { TaskStatus } from './taskIdentity.ts';
import { type Clocks, TaskRetention } from './taskRetention.ts';
import {
  identityColumns,
  keyColumn,
  type RequestIdentity,
  type TaskRow,
  taskOf,
  toldColumn,
} from './taskRows.ts';
import { isRemote, newTask, newTaskId, type StoredTask, type TaskRequest } from './taskState.ts';

export type TaskDraft = TaskRequest & RequestIdentity;

/** What a task that an upstream makes begins with, before the upstream is asked. */
export type RemoteDraft = RequestIdentity &
  Pick<RemoteTask, 'upstream' | 'model' | 'requestId' | 'format' | 'prompt' | 'earlierId'>;

/** What became of a task at its upstream. */
export type RemoteChange = Pick<RemoteTask, 'status' | 'told' | 'finishedAt' | 'upstreamId'>;

export interface TaskCreation {
  readonly task: StoredTask;
  /** The key belongs to an earlier task, made by the same request or by another one. */
  readonly repeats?: 'same' | 'other';
}

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

/** `stateOf` in SQL. */
const statusColumn = `CASE
  WHEN status IS NOT NULL THEN status
  WHEN cancelled_at IS NOT NULL THEN 'cancelled'
  WHEN ends_at <= ? THEN iif(fails, 'failed', 'completed')
  WHEN starts_at <= ? THEN 'running'
  ELSE 'queued' END`;

/** In SQL, whether the upstream of a task did not have it any more. */
const isMissing = `(told ->> '$.failure.code' = '${missingCode}')`;

/** How long a task that its upstream does not have is asked for without anybody reading it, in milliseconds. */
const missingAskedMs = 24 * 60 * 60 * 1000;

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
    return this.#insert(draft, task, () => {
      const { plan, startsAt, endsAt } = task;
      this.#database.run(
        `INSERT INTO task (id, idempotency_key, fingerprint, upstream, model, request_id, owner,
          plan, fails, created_at, starts_at, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...identityColumns(task, draft),
        JSON.stringify(plan),
        plan.failure ? 1 : 0,
        task.createdAt,
        startsAt,
        endsAt,
      );
    });
  }

  /**
   * Creates a task before its upstream is asked, or returns the one that already has its key. Until the
   * upstream's answer is told, its outcome is unknown.
   */
  createRemote(draft: RemoteDraft): TaskCreation {
    const { upstream, model, requestId, format, prompt, earlierId, owner } = draft;
    const now = this.#now();
    const told: ToldState = { progress: 0, results: [] };
    const task: RemoteTask = {
      ...{
        id: newTaskId(),
        upstream,
        model,
        requestId,
        createdAt: now,
        ...(owner !== undefined && { owner }),
      },
      ...{ format, prompt, status: 'unknown', told, kept: {} },
      ...(earlierId !== undefined && { earlierId }),
    };
    return this.#insert(draft, task, () => {
      this.#database.run(
        `INSERT INTO task (id, idempotency_key, fingerprint, upstream, model, request_id, owner,
          plan, fails, created_at, starts_at, format, status, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
        ...identityColumns(task, draft),
        JSON.stringify({ prompt, earlierId }),
        now,
        now,
        format,
        task.status,
        JSON.stringify(told),
      );
    });
  }

  #insert<Task extends StoredTask>(identity: RequestIdentity, task: Task, insert: () => void): TaskCreation {
    return this.#database.writeDurably(() => {
      this.#retention.check();
      const earlier = this.#database.get<TaskRow>(
        'SELECT * FROM task WHERE idempotency_key = ?',
        keyColumn(identity),
      );
      if (earlier)
        return {
          task: taskOf(earlier),
          repeats: earlier.fingerprint === identity.fingerprint ? 'same' : 'other',
        };
      insert();
      return { task };
    });
  }

  /**
   * Stores what an upstream told. A task that has ended stays as it is, but one that its upstream did not have.
   *
   * @returns the task afterwards; undefined when it was deleted meanwhile
   */
  change(id: string, { status, told, finishedAt, upstreamId }: RemoteChange): StoredTask | undefined {
    this.#database.writeDurably(() =>
      this.#database.run(
        `UPDATE task SET status = ?, told = ?, ends_at = ?, upstream_id = coalesce(upstream_id, ?)
          WHERE id = ? AND format IS NOT NULL AND (ends_at IS NULL OR ${isMissing})`,
        status,
        toldColumn(told),
        finishedAt ?? null,
        upstreamId ?? null,
        id,
      ),
    );
    return this.get(id);
  }

  /** Stores where results are kept. */
  keep(id: string, kept: KeptResults): void {
    this.#database.writeDurably(() =>
      this.#database.run(
        "UPDATE task SET kept = json_patch(coalesce(kept, '{}'), ?) WHERE id = ?",
        JSON.stringify(kept),
        id,
      ),
    );
  }

  /** Stores that callers get a result's own address. */
  markDirect(id: string, index: number): void {
    this.#database.writeDurably(() =>
      this.#database.run(
        `UPDATE task SET told = json_set(told, '$.results[${index}].isDirect', json('true'))
          WHERE id = ? AND json_type(told, '$.results[${index}]') = 'object'`,
        id,
      ),
    );
  }

  /** Forgets a task that was certainly not made, with its key. */
  forget(id: string): void {
    this.#database.writeDurably(() =>
      this.#database.run("DELETE FROM task WHERE id = ? AND status = 'unknown'", id),
    );
  }

  /** The tasks whose upstreams have more to tell or to give, newest first. */
  unfinished(): readonly RemoteTask[] {
    return this.#database.read(() =>
      this.#database
        .all<TaskRow>(
          `SELECT * FROM task WHERE upstream_id IS NOT NULL AND (ends_at IS NULL
            OR (${isMissing} AND ends_at > ?)
            OR (status = 'completed'
              AND json_array_length(told, '$.results') > (SELECT count(*) FROM json_each(coalesce(kept, '{}')))))
            ORDER BY place DESC LIMIT 1000`,
          this.#now() - missingAskedMs,
        )
        .map(taskOf)
        .filter(isRemote),
    );
  }

  /** Which of these tasks there are. */
  existing(ids: readonly string[]): ReadonlySet<string> {
    return this.#database.read(() => {
      const rows = this.#database.all<{ id: string }>(
        'SELECT id FROM task WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
      return new Set(rows.map(({ id }) => id));
    });
  }

  /** @returns undefined for a task that does not exist or is not kept any more */
  get(id: string): StoredTask | undefined {
    this.#checkIfDue();
    return this.#database.read(() => {
      const row = this.#database.get<TaskRow>('SELECT * FROM task WHERE id = ?', id);
      return row && taskOf(row);
    });
  }

  /** The place of a task in the list; undefined where it is not there any more. */
  placeOf(id: string): number | undefined {
    return this.#database.read(
      () => this.#database.get<Pick<TaskRow, 'place'>>('SELECT place FROM task WHERE id = ?', id)?.place,
    );
  }

  /** Lists tasks by their creation. Those that are created meanwhile shift no page, and clocks do not matter. */
  list({
    limit,
    statuses,
    owner,
    oldestFirst = false,
    videosOnly = false,
    after = oldestFirst ? 0 : Number.MAX_SAFE_INTEGER,
  }: TaskListQuery): TaskListing {
    this.#checkIfDue();
    const at = this.#now();
    return this.#database.read(() => {
      const rows = this.#database.all<TaskRow>(
        `SELECT * FROM task WHERE place ${oldestFirst ? '>' : '<'} ?
          AND ${statusColumn} IN (SELECT value FROM json_each(?)) AND owner IS coalesce(?, owner)
          AND (NOT ? OR coalesce(format, 'videos') IN ('videos', 'videoSynthesis'))
          ORDER BY place ${oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`,
        after,
        at,
        at,
        JSON.stringify(statuses),
        owner ?? null,
        videosOnly ? 1 : 0,
        limit + 1,
      );
      const hasMore = rows.length > limit;
      const last = hasMore ? rows[limit - 1] : undefined;
      return { at, tasks: rows.slice(0, limit).map(taskOf), hasMore, ...(last && { next: last.place }) };
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
   * Deletes a task that has ended, or whose outcome is unknown.
   *
   * @returns whether it did
   */
  delete(id: string): boolean {
    return this.#database.writeDurably(
      () =>
        this.#database.run(
          "DELETE FROM task WHERE id = ? AND (cancelled_at IS NOT NULL OR ends_at <= ? OR status = 'unknown')",
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
