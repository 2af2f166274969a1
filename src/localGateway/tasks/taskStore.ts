import { type Database, StorageError } from '../../storage/database.ts';
import { readListing, type TaskListing, type TaskListQuery } from './taskListing.ts';
import { type Clocks, retentionMs, TaskRetention } from './taskRetention.ts';
import {
  createPlannedTask,
  createTaskId,
  isUpstreamTask,
  type PlannedTaskDraft,
  type StoredTask,
} from './taskState.ts';
import {
  createIdentityColumns,
  createKeyColumn,
  createReportColumn,
  findPlannedEnd,
  lostFingerprint,
  type RequestIdentity,
  readStoredTask,
  type StoredTaskRow,
} from './taskTable.ts';
import {
  computeNextPollAt,
  missingCode,
  type StoredResultsByIndex,
  type TaskReport,
  type UpstreamTask,
} from './upstreamTask.ts';

type StoredTaskDraft = PlannedTaskDraft & RequestIdentity;

/** The initial values of a task at an upstream, before the request is sent. */
type UpstreamTaskDraft = RequestIdentity &
  Pick<UpstreamTask, 'upstream' | 'model' | 'requestId' | 'format' | 'prompt' | 'earlierId'>;

/** A change of a task that its upstream reported. */
type UpstreamTaskChange = Pick<UpstreamTask, 'status' | 'report' | 'finishedAt' | 'upstreamId' | 'keyName'>;

export interface TaskCreation {
  readonly task: StoredTask;
  /** The key belongs to an earlier task: `same` for an identical request, `other` for a different one. */
  readonly repeats?: 'same' | 'other';
}

/** The most tasks that `takeDue` returns at a time. */
const maxTaken = 100;

/**
 * The tasks of this machine's user, in a file that several gateways may share. All methods are synchronous, and
 * their changes are on the disk when they return.
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

  /** Creates a task, or returns the existing task with its key. */
  create(draft: StoredTaskDraft): TaskCreation {
    const task = createPlannedTask(draft, this.#now());
    return this.#insert(draft, task, () => {
      const { plan, startsAt, endsAt } = task;
      this.#database.run(
        `INSERT INTO task (id, idempotency_key, fingerprint, upstream, model, request_id, owner,
          plan, status, created_at, starts_at, ends_at, aged_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...createIdentityColumns(task, draft),
        JSON.stringify(plan),
        findPlannedEnd(task),
        task.createdAt,
        startsAt,
        endsAt,
        endsAt ?? task.createdAt,
      );
    });
  }

  /**
   * Creates a task before the request is sent to its upstream, or returns the existing task with its key. Its
   * outcome is unknown until the upstream's reply is stored.
   */
  createUpstreamTask(draft: UpstreamTaskDraft): TaskCreation {
    const { upstream, model, requestId, format, prompt, earlierId, owner } = draft;
    const now = this.#now();
    const report: TaskReport = { progress: 0, results: [] };
    const task: UpstreamTask = {
      id: createTaskId(),
      upstream,
      model,
      requestId,
      createdAt: now,
      ...(owner !== undefined && { owner }),
      format,
      prompt,
      status: 'unknown',
      report,
      storedResults: {},
      ...(earlierId !== undefined && { earlierId }),
    };
    return this.#insert(draft, task, () => {
      this.#database.run(
        `INSERT INTO task (id, idempotency_key, fingerprint, upstream, model, request_id, owner,
          plan, created_at, starts_at, aged_at, format, status, report) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...createIdentityColumns(task, draft),
        JSON.stringify({ prompt, earlierId }),
        now,
        now,
        now,
        format,
        task.status,
        JSON.stringify(report),
      );
    });
  }

  #insert<Task extends StoredTask>(identity: RequestIdentity, task: Task, insert: () => void): TaskCreation {
    return this.#database.writeDurably(() => {
      if (this.#retention.isDue) this.#retention.check();
      const earlier = this.#database.get<StoredTaskRow>(
        'SELECT * FROM task WHERE idempotency_key = ?',
        createKeyColumn(identity),
      );
      if (earlier)
        return {
          task: readStoredTask(earlier),
          repeats: [identity.fingerprint, lostFingerprint].includes(earlier.fingerprint) ? 'same' : 'other',
        };
      insert();
      return { task };
    });
  }

  /**
   * Stores the state that an upstream reported. A task that has ended does not change, unless it ended because its
   * upstream did not find it.
   *
   * @returns the task afterwards; undefined if it was deleted in the meantime
   */
  changeState(
    id: string,
    { status, report, finishedAt, upstreamId, keyName }: UpstreamTaskChange,
  ): StoredTask | undefined {
    return this.#database.writeDurably(() => {
      this.#database.run(
        `UPDATE task SET status = ?, report = ?, ends_at = ?, aged_at = coalesce(?, created_at),
          upstream_id = coalesce(upstream_id, ?), key_name = coalesce(key_name, ?)
          WHERE id = ? AND format IS NOT NULL AND (ends_at IS NULL OR report ->> '$.failure.code' = '${missingCode}')`,
        status,
        createReportColumn(report),
        finishedAt ?? null,
        finishedAt ?? null,
        upstreamId ?? null,
        keyName ?? null,
        id,
      );
      return this.#reschedule(id);
    });
  }

  /** Adds results that are in the folder of results. */
  storeResults(id: string, results: StoredResultsByIndex): void {
    this.#database.writeDurably(() => {
      this.#database.run(
        "UPDATE task SET storedResults = json_patch(coalesce(storedResults, '{}'), ?) WHERE id = ?",
        JSON.stringify(results),
        id,
      );
      this.#reschedule(id);
    });
  }

  /** Marks a result, so that callers get the address at which it was reported. */
  markDirect(id: string, index: number): void {
    const path = `$.results[${index}]`;
    this.#database.writeDurably(() => {
      this.#database.run(
        "UPDATE task SET report = json_set(report, ?, json('true')) WHERE id = ? AND json_type(report, ?) = 'object'",
        `${path}.isDirect`,
        id,
        path,
      );
      this.#reschedule(id);
    });
  }

  /**
   * Schedules the next poll of a changed task.
   *
   * @returns the task; undefined if it does not exist
   */
  #reschedule(id: string): StoredTask | undefined {
    const row = this.#database.get<StoredTaskRow>('SELECT * FROM task WHERE id = ?', id);
    const task = row && readStoredTask(row);
    if (task && isUpstreamTask(task)) this.#schedulePoll(task);
    return task;
  }

  /** @returns whether there is more to read or to fetch, so that a poll was scheduled */
  #schedulePoll(task: UpstreamTask): boolean {
    const at = computeNextPollAt(task, this.#now());
    this.#database.run('UPDATE task SET follow_at = ? WHERE id = ?', at ?? null, task.id);
    return at !== undefined;
  }

  /** Deletes a task that was certainly not made, and its key. */
  forget(id: string): void {
    this.#database.writeDurably(() =>
      this.#database.run("DELETE FROM task WHERE id = ? AND status = 'unknown'", id),
    );
  }

  /**
   * Returns the tasks that are due to be read at their upstreams, or whose results are due to be fetched, and
   * schedules their next poll. The cost does not depend on the number of tasks that are not due.
   */
  takeDue(): readonly UpstreamTask[] {
    if (this.#database.readOnly !== undefined) return [];
    const now = this.#now();
    const due = this.#database.all<Pick<StoredTaskRow, 'position'>>(
      `SELECT position FROM task WHERE follow_at <= ? UNION ALL
        SELECT position FROM task WHERE follow_at > ? LIMIT ${maxTaken}`,
      now,
      // The clock was set back.
      now + retentionMs,
    );
    if (due.length === 0) return [];
    return this.#database.write(() =>
      due
        .flatMap(({ position }) =>
          this.#database.all<StoredTaskRow>('SELECT * FROM task WHERE position = ?', position),
        )
        .map(readStoredTask)
        .filter(isUpstreamTask)
        .filter((task) => this.#schedulePoll(task)),
    );
  }

  /** Returns the IDs of existing tasks among the given ones. */
  findExistingIds(ids: readonly string[]): ReadonlySet<string> {
    return this.#database.read(() => {
      const rows = this.#database.all<{ id: string }>(
        'SELECT id FROM task WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
      return new Set(rows.map(({ id }) => id));
    });
  }

  /** @returns undefined for a task that does not exist or has expired */
  get(id: string): StoredTask | undefined {
    this.#checkIfDue();
    return this.#database.read(() => {
      const row = this.#database.get<StoredTaskRow>('SELECT * FROM task WHERE id = ?', id);
      return row && readStoredTask(row);
    });
  }

  /** Finds the position of a task in the list; undefined if the task no longer exists. */
  findPosition(id: string): number | undefined {
    return this.#database.read(
      () =>
        this.#database.get<Pick<StoredTaskRow, 'position'>>('SELECT position FROM task WHERE id = ?', id)
          ?.position,
    );
  }

  /** See `readListing`. */
  list(query: TaskListQuery): TaskListing {
    this.#checkIfDue();
    return this.#database.read(() => readListing(this.#database, query, this.#now()));
  }

  /**
   * Cancels a task that has not ended and can be cancelled.
   *
   * @returns whether it was cancelled
   */
  cancel(id: string): boolean {
    const now = this.#now();
    return this.#database.writeDurably(
      () =>
        this.#database.run(
          `UPDATE task SET cancelled_at = max(?, created_at), aged_at = max(?, created_at), status = 'cancelled'
            WHERE id = ? AND plan ->> '$.isCancellable' = 1 AND cancelled_at IS NULL
            AND (ends_at IS NULL OR ends_at > ?)`,
          now,
          now,
          id,
          now,
        ) > 0,
    );
  }

  /**
   * Deletes a task that has ended, or whose outcome is unknown.
   *
   * @returns whether it was deleted
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

  /** Checks for expired tasks if a check is due and the file can be written. A failure is ignored. */
  #checkIfDue(): void {
    if (!this.#retention.isDue || this.#database.readOnly !== undefined) return;
    try {
      this.#database.write(() => this.#retention.check());
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }
}
