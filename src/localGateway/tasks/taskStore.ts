import { type Database, StorageError } from '../../storage/database.ts';
import { missingCode } from './missingTasks.ts';
import { followedAt, type KeptResults, type RemoteTask, type ToldState } from './remoteTask.ts';
import { readListing, type TaskListing, type TaskListQuery } from './taskListing.ts';
import { type Clocks, keptMs, TaskRetention } from './taskRetention.ts';
import {
  identityColumns,
  keyColumn,
  plannedEnd,
  type RequestIdentity,
  type TaskRow,
  taskOf,
  toldColumn,
} from './taskRows.ts';
import { lostFingerprint } from './taskSchema.ts';
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

/** At most as many tasks are taken to be followed at a time. */
const maxTaken = 100;

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
          plan, status, created_at, starts_at, ends_at, aged_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...identityColumns(task, draft),
        JSON.stringify(plan),
        plannedEnd(task),
        task.createdAt,
        startsAt,
        endsAt,
        endsAt ?? task.createdAt,
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
          plan, created_at, starts_at, aged_at, format, status, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...identityColumns(task, draft),
        JSON.stringify({ prompt, earlierId }),
        now,
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
      if (this.#retention.isDue) this.#retention.check();
      const earlier = this.#database.get<TaskRow>(
        'SELECT * FROM task WHERE idempotency_key = ?',
        keyColumn(identity),
      );
      if (earlier)
        return {
          task: taskOf(earlier),
          repeats: [identity.fingerprint, lostFingerprint].includes(earlier.fingerprint) ? 'same' : 'other',
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
    return this.#database.writeDurably(() => {
      this.#database.run(
        `UPDATE task SET status = ?, told = ?, ends_at = ?, aged_at = coalesce(?, created_at),
          upstream_id = coalesce(upstream_id, ?)
          WHERE id = ? AND format IS NOT NULL AND (ends_at IS NULL OR told ->> '$.failure.code' = '${missingCode}')`,
        status,
        toldColumn(told),
        finishedAt ?? null,
        finishedAt ?? null,
        upstreamId ?? null,
        id,
      );
      return this.#scheduled(id);
    });
  }

  /** Stores where results are kept. */
  keep(id: string, kept: KeptResults): void {
    this.#database.writeDurably(() => {
      this.#database.run(
        "UPDATE task SET kept = json_patch(coalesce(kept, '{}'), ?) WHERE id = ?",
        JSON.stringify(kept),
        id,
      );
      this.#scheduled(id);
    });
  }

  /** Stores that callers get a result's own address. */
  markDirect(id: string, index: number): void {
    const path = `$.results[${index}]`;
    this.#database.writeDurably(() => {
      this.#database.run(
        "UPDATE task SET told = json_set(told, ?, json('true')) WHERE id = ? AND json_type(told, ?) = 'object'",
        `${path}.isDirect`,
        id,
        path,
      );
      this.#scheduled(id);
    });
  }

  /** Stores when a task is followed next, after it has changed. */
  #scheduled(id: string): StoredTask | undefined {
    const row = this.#database.get<TaskRow>('SELECT * FROM task WHERE id = ?', id);
    const task = row && taskOf(row);
    if (task && isRemote(task)) this.#follow(task);
    return task;
  }

  /** @returns whether there is more to learn or to fetch */
  #follow(task: RemoteTask): boolean {
    const at = followedAt(task, this.#now());
    this.#database.run('UPDATE task SET follow_at = ? WHERE id = ?', at ?? null, task.id);
    return at !== undefined;
  }

  /** Forgets a task that was certainly not made, with its key. */
  forget(id: string): void {
    this.#database.writeDurably(() =>
      this.#database.run("DELETE FROM task WHERE id = ? AND status = 'unknown'", id),
    );
  }

  /**
   * Takes tasks whose upstreams have more to tell or to give and which have not been followed for a while. They
   * are due again after a pause. Their number does not matter while they are not due.
   */
  takeDue(): readonly RemoteTask[] {
    if (this.#database.readOnly !== undefined) return [];
    const now = this.#now();
    const due = this.#database.all<Pick<TaskRow, 'place'>>(
      `SELECT place FROM task WHERE follow_at <= ? UNION ALL
        SELECT place FROM task WHERE follow_at > ? LIMIT ${maxTaken}`,
      now,
      // The clock was set back.
      now + keptMs,
    );
    if (due.length === 0) return [];
    return this.#database.write(() =>
      due
        .flatMap(({ place }) => this.#database.all<TaskRow>('SELECT * FROM task WHERE place = ?', place))
        .map(taskOf)
        .filter(isRemote)
        .filter((task) => this.#follow(task)),
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

  /** See `readListing`. */
  list(query: TaskListQuery): TaskListing {
    this.#checkIfDue();
    return this.#database.read(() => readListing(this.#database, query, this.#now()));
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
          `UPDATE task SET cancelled_at = max(?, created_at), aged_at = max(?, created_at), status = 'cancelled'
            WHERE id = ? AND plan ->> '$.cancellable' = 1 AND cancelled_at IS NULL
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
