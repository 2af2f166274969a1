import { type Database, parseStored, StorageError } from '../../storage/database.ts';
import type { LedgerResult, StatusChange, Task, TaskHistory, TaskStatus } from '../record/task.ts';
import { dayMs, hourMs, type Spending, type TaskUsage } from '../record/taskSpending.ts';
import { findKey } from './ledgerIds.ts';
import { readProblem, resultColumns, type TaskRow, taskColumns, toResult, toTask } from './ledgerRows.ts';
import { sumPurchases } from './purchaseRows.ts';

/** A typical run time is the median of at most this many runs. */
const maxRunsCounted = 20;

/** The number of revisions whose changed tasks the ledger can list. */
export const maxStoredChanges = 5_000;

/** Keys of tasks. `any` if any task may have changed. */
export type ChangedTasks = readonly string[] | 'any';

/** Finds unfinished tasks by indexes, because there are many finished ones. */
const unfinishedKeys = `
  SELECT key FROM tasks WHERE status IN ('submitting', 'unknown', 'running') AND (status <> 'running' OR watching = 'on')
  UNION SELECT key FROM results WHERE state IN ('waiting', 'downloading')`;

/** Reads the tables of the ledger. */
export class LedgerReader {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param now wall clock, in milliseconds since 1970 */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Reads the row of a task, without its results. */
  readRow(key: string): TaskRow | undefined {
    const sql = `SELECT ${taskColumns} FROM tasks WHERE key = ?`;
    return this.#getVerified(key, () => this.#database.get<TaskRow>(sql, key));
  }

  get(key: string): Task | undefined {
    return this.#getVerified(key, () => this.#readTasks('WHERE key = ?', key)[0]);
  }

  /** Finds a task by its id at the gateway. */
  find(gateway: string, taskId: string): Task | undefined {
    const key = findKey(this.#database, gateway, taskId);
    return key === undefined ? undefined : this.get(key);
  }

  /** Reads all tasks, newest first. */
  readAll(): readonly Task[] {
    return this.#readTasks('');
  }

  /** Reads the tasks with these keys that exist, newest first. */
  readByKeys(keys: readonly string[]): readonly Task[] {
    const list = JSON.stringify(keys);
    const condition = '(SELECT value FROM json_each(?))';
    const tasks = this.#readTasks(`WHERE key IN ${condition}`, list);
    if (tasks.length < keys.length) this.#assertFound(`key IN ${condition}`, list, tasks.length);
    return tasks;
  }

  /** Lists the tasks that changed after a revision. */
  listChangedSince(revision: number): ChangedTasks {
    const sql = 'SELECT key, revision FROM changes WHERE revision > ? ORDER BY revision';
    const rows = this.#database.values(sql, revision);
    // A gap means that the changes were lost or are too old.
    if (rows[0]?.[1] !== revision + 1) return 'any';
    const keys = [...new Set(rows.map(([key]) => key))];
    return keys.every((key) => typeof key === 'string') ? keys : 'any';
  }

  /** Lists the tasks whose request is being sent or has an unknown outcome, that are polled, or that have downloads. */
  listUnfinished(): readonly Task[] {
    return this.#readTasks(`WHERE key IN (${unfinishedKeys})`);
  }

  readHistory(key: string): TaskHistory | undefined {
    return this.#database.read(() => (this.readRow(key) ? this.#readExistingHistory(key) : undefined));
  }

  /**
   * Counts the requests of all windows that may cost money, including unsent requests. Times in the future, after
   * the clock was set back, count as now.
   */
  readSpending(): Spending {
    const now = this.#now();
    const countSince = (age: number) =>
      this.#database.get<{ n: number }>(
        `SELECT (SELECT count(*) FROM submissions WHERE at > ?1) +
                (SELECT count(*) FROM tasks WHERE status = 'intent' AND intendedAt > ?1) AS n`,
        now - age,
      )?.n ?? 0;
    return { inLastHour: countSince(hourMs), inLastDay: countSince(dayMs) };
  }

  /** Sums up the submitted requests and their cost, including tasks that were removed from the list. */
  readUsage(): readonly TaskUsage[] {
    return sumPurchases(this.#database);
  }

  /** Finds the window that downloads a result. */
  findDownloadOwner(key: string, index: number): string | undefined {
    const sql = `SELECT owner FROM results WHERE key = ? AND position = ? AND state = 'downloading'`;
    return this.#database.get<{ owner: string | null }>(sql, key, index)?.owner ?? undefined;
  }

  /** Lists the tasks whose requests are being sent, with their windows. */
  listSubmitting(): readonly { readonly key: string; readonly owner: string }[] {
    return this.#database.all(`SELECT key, owner FROM tasks WHERE status = 'submitting'`);
  }

  /** Finds the window that created the task or sends its request; undefined after the request. */
  findOwner(key: string): string | undefined {
    const sql = `SELECT owner FROM tasks WHERE key = ? AND status IN ('intent', 'submitting')`;
    return this.#database.get<{ owner: string }>(sql, key)?.owner;
  }

  /** Measures how long the model usually takes, in milliseconds: the median of its last runs. See `TypicalRuns`. */
  measureTypicalRun(model: string, startedAt: number): number | undefined {
    const earlier = this.#readRunTimes(
      model,
      `endedAt <= ? ORDER BY endedAt DESC LIMIT ${maxRunsCounted}`,
      startedAt,
    );
    const runs =
      earlier.length > 0
        ? earlier
        : this.#readRunTimes(model, 'endedAt > ? ORDER BY endedAt LIMIT 1', startedAt);
    const [low, high] = [runs[Math.ceil(runs.length / 2) - 1], runs[Math.floor(runs.length / 2)]];
    return low === undefined || high === undefined ? undefined : (low + high) / 2;
  }

  /** Reads the run times of a model's tasks in milliseconds, in ascending order. */
  #readRunTimes(model: string, condition: string, startedAt: number): readonly number[] {
    return (
      this.#database
        .all<{ ms: number }>(
          `SELECT endedAt - coalesce(acceptedAt, submittedAt) AS ms FROM tasks
           WHERE model = ? AND status = 'completed' AND route IS NOT NULL AND ${condition}`,
          model,
          startedAt,
        )
        .map(({ ms }) => ms)
        // If the clock was set back between the two times, the duration is invalid.
        .filter((ms) => ms > 0)
        .sort((a, b) => a - b)
    );
  }

  #readExistingHistory(key: string): TaskHistory {
    const request = this.#database.get<{ body: string }>('SELECT body FROM requests WHERE key = ?', key);
    const reply = this.#database.get<{ record: string | null; unclear: string | null }>(
      'SELECT record, unclear FROM replies WHERE key = ?',
      key,
    );
    return {
      ...(request && { request: parseStored<object>(request.body) }),
      statusChanges: this.#readStatusChanges(key),
      failedPolls: this.#database
        .all<{ at: number; problem: string }>(
          'SELECT at, problem FROM failedPolls WHERE key = ? ORDER BY id',
          key,
        )
        .map(({ at, problem }) => ({ at, problem: readProblem(problem) })),
      ...(typeof reply?.record === 'string' && { record: parseStored<unknown>(reply.record) }),
      ...(typeof reply?.unclear === 'string' && { unclearReply: reply.unclear }),
    };
  }

  /**
   * Reads a row, and checks that a missing row really does not exist: if an index is damaged, SQLite may return other
   * rows without an error.
   */
  #getVerified<Found>(key: string, find: () => Found | undefined): Found | undefined {
    return this.#database.read(() => {
      const found = find();
      if (found === undefined) this.#assertFound('key = ?', key, 0);
      return found;
    });
  }

  /** @throws {StorageError} of kind `damaged` if the table has more such tasks than were found by the index */
  #assertFound(condition: string, value: string, found: number): void {
    const sql = `SELECT count(*) AS n FROM tasks NOT INDEXED WHERE ${condition}`;
    if ((this.#database.get<{ n: number }>(sql, value)?.n ?? 0) <= found) return;
    throw new StorageError('damaged', 'A stored task is missing from the index of tasks.');
  }

  #readStatusChanges(key: string): readonly StatusChange[] {
    return this.#database
      .all<{ at: number; status: TaskStatus; rawStatus: string }>(
        'SELECT at, status, rawStatus FROM statusChanges WHERE key = ? ORDER BY id',
        key,
      )
      .map(({ at, status, rawStatus }) => ({ at, status, ...(rawStatus !== '' && { rawStatus }) }));
  }

  /** Newest first. */
  #readTasks(where: string, ...values: readonly string[]): readonly Task[] {
    const sql = `SELECT ${taskColumns} FROM tasks ${where} ORDER BY intendedAt DESC, rowid DESC`;
    return this.#database.read(() => {
      const results = this.#readResults(where, ...values);
      const rows = this.#database.values(sql, ...values);
      return rows.map((row) => toTask(row, results.get(row[0]) ?? []));
    });
  }

  /** Keyed by task. */
  #readResults(where: string, ...values: readonly string[]): ReadonlyMap<unknown, readonly LedgerResult[]> {
    const results = new Map<unknown, LedgerResult[]>();
    for (const row of this.#database.values(
      `SELECT ${resultColumns}, key FROM results ${where}`,
      ...values,
    )) {
      const key = row.at(-1);
      const result = toResult(row);
      const others = results.get(key);
      if (others) others.push(result);
      else results.set(key, [result]);
    }
    for (const list of results.values()) list.sort((one, other) => one.index - other.index);
    return results;
  }
}
