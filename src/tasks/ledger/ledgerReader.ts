import { type Database, StorageError } from '../../storage/database.ts';
import { dayMs, hourMs, type Spending } from '../record/spending.ts';
import type { KeptResult, StatusChange, Task, TaskHistory, TaskStatus } from '../record/task.ts';
import {
  parsed,
  readProblem,
  resultColumns,
  resultOf,
  type TaskRow,
  taskColumns,
  taskOf,
} from './ledgerRows.ts';

const runsCounted = 20;

/** How many revisions the ledger can list the changed tasks of. */
export const changesKept = 5_000;

/** Keys of tasks. `any` when any task may have changed. */
export type ChangedTasks = readonly string[] | 'any';

/** Finds unfinished tasks through indexes, because there are many finished ones. */
const unfinishedKeys = `
  SELECT key FROM tasks WHERE status IN ('submitting', 'unknown', 'running') AND (status <> 'running' OR watching = 'on')
  UNION SELECT key FROM results WHERE state IN ('waiting', 'fetching')`;

/** Reads the tables of the ledger. */
export class LedgerReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  row(key: string): TaskRow | undefined {
    const sql = `SELECT ${taskColumns} FROM tasks WHERE key = ?`;
    return this.#found(key, () => this.#database.get<TaskRow>(sql, key));
  }

  get(key: string): Task | undefined {
    return this.#found(key, () => this.#tasks('WHERE key = ?', key)[0]);
  }

  /** All tasks, newest first. */
  all(): readonly Task[] {
    return this.#tasks('');
  }

  /** The tasks with these keys that exist, newest first. */
  some(keys: readonly string[]): readonly Task[] {
    const list = JSON.stringify(keys);
    const which = '(SELECT value FROM json_each(?))';
    const tasks = this.#tasks(`WHERE key IN ${which}`, list);
    if (tasks.length < keys.length) this.#assertFound(`key IN ${which}`, list, tasks.length);
    return tasks;
  }

  /** The tasks that changed after a revision. */
  changedSince(revision: number): ChangedTasks {
    const sql = 'SELECT key, revision FROM changes WHERE revision > ? ORDER BY revision';
    const rows = this.#database.values(sql, revision);
    // A gap means that the changes were lost, or are too long ago.
    if (rows[0]?.[1] !== revision + 1) return 'any';
    const keys = [...new Set(rows.map(([key]) => key))];
    return keys.every((key) => typeof key === 'string') ? keys : 'any';
  }

  unfinished(): readonly Task[] {
    return this.#tasks(`WHERE key IN (${unfinishedKeys})`);
  }

  history(key: string): TaskHistory | undefined {
    return this.#database.read(() => (this.row(key) ? this.#history(key) : undefined));
  }

  /** Times in the future, after a clock was set back, count as now. */
  spending(now: number): Spending {
    const since = (age: number) =>
      this.#database.get<{ n: number }>(
        `SELECT (SELECT count(*) FROM submissions WHERE at > ?1) +
                (SELECT count(*) FROM tasks WHERE status = 'intent' AND intendedAt > ?1) AS n`,
        now - age,
      )?.n ?? 0;
    return { inLastHour: since(hourMs), inLastDay: since(dayMs) };
  }

  /** The window that downloads a result. */
  fetchOwner(key: string, index: number): string | undefined {
    const sql = `SELECT owner FROM results WHERE key = ? AND place = ? AND state = 'fetching'`;
    return this.#database.get<{ owner: string | null }>(sql, key, index)?.owner ?? undefined;
  }

  submitting(): readonly { readonly key: string; readonly owner: string }[] {
    return this.#database.all(`SELECT key, owner FROM tasks WHERE status = 'submitting'`);
  }

  owner(key: string): string | undefined {
    const sql = `SELECT owner FROM tasks WHERE key = ? AND status IN ('intent', 'submitting')`;
    return this.#database.get<{ owner: string }>(sql, key)?.owner;
  }

  /** See `TypicalRuns`. */
  typicalRunMs(model: string, startedAt: number): number | undefined {
    const earlier = this.#runs(model, `endedAt <= ? ORDER BY endedAt DESC LIMIT ${runsCounted}`, startedAt);
    const runs =
      earlier.length > 0 ? earlier : this.#runs(model, 'endedAt > ? ORDER BY endedAt LIMIT 1', startedAt);
    const [low, high] = [runs[Math.ceil(runs.length / 2) - 1], runs[Math.floor(runs.length / 2)]];
    return low === undefined || high === undefined ? undefined : (low + high) / 2;
  }

  /** How long tasks of a model ran, in ascending order. */
  #runs(model: string, which: string, startedAt: number): readonly number[] {
    return (
      this.#database
        .all<{ ms: number }>(
          `SELECT endedAt - coalesce(acceptedAt, submittedAt) AS ms FROM tasks
           WHERE model = ? AND status = 'completed' AND route IS NOT NULL AND ${which}`,
          model,
          startedAt,
        )
        .map(({ ms }) => ms)
        // A clock that was set back between the two times makes them meaningless.
        .filter((ms) => ms > 0)
        .sort((a, b) => a - b)
    );
  }

  #history(key: string): TaskHistory {
    const request = this.#database.get<{ body: string }>('SELECT body FROM requests WHERE key = ?', key);
    const reply = this.#database.get<{ record: string | null; unclear: string | null }>(
      'SELECT record, unclear FROM replies WHERE key = ?',
      key,
    );
    return {
      ...(request && { request: parsed<object>(request.body) }),
      statusChanges: this.#statusChanges(key),
      failedPolls: this.#database
        .all<{ at: number; problem: string }>(
          'SELECT at, problem FROM failedPolls WHERE key = ? ORDER BY id',
          key,
        )
        .map(({ at, problem }) => ({ at, problem: readProblem(problem) })),
      ...(typeof reply?.record === 'string' && { record: parsed<unknown>(reply.record) }),
      ...(typeof reply?.unclear === 'string' && { unclearReply: reply.unclear }),
    };
  }

  /** After damage an index may lead to other rows, which SQLite does not notice. */
  #found<Found>(key: string, find: () => Found | undefined): Found | undefined {
    return this.#database.read(() => {
      const found = find();
      if (found === undefined) this.#assertFound('key = ?', key, 0);
      return found;
    });
  }

  /** @throws {StorageError} of kind `damaged` when the table has more such tasks than its index led to */
  #assertFound(which: string, value: string, found: number): void {
    const sql = `SELECT count(*) AS n FROM tasks NOT INDEXED WHERE ${which}`;
    if ((this.#database.get<{ n: number }>(sql, value)?.n ?? 0) <= found) return;
    throw new StorageError('damaged', 'The index of tasks does not know a task that is there.');
  }

  #statusChanges(key: string): readonly StatusChange[] {
    return this.#database
      .all<{ at: number; status: TaskStatus; rawStatus: string }>(
        'SELECT at, status, rawStatus FROM statusChanges WHERE key = ? ORDER BY id',
        key,
      )
      .map(({ at, status, rawStatus }) => ({ at, status, ...(rawStatus !== '' && { rawStatus }) }));
  }

  /** Newest first. */
  #tasks(which: string, ...values: readonly string[]): readonly Task[] {
    const sql = `SELECT ${taskColumns} FROM tasks ${which} ORDER BY intendedAt DESC, rowid DESC`;
    return this.#database.read(() => {
      const results = this.#results(which, ...values);
      const rows = this.#database.values(sql, ...values);
      return rows.map((row) => taskOf(row, results.get(row[0]) ?? []));
    });
  }

  /** By the keys of their tasks. */
  #results(which: string, ...values: readonly string[]): ReadonlyMap<unknown, readonly KeptResult[]> {
    const results = new Map<unknown, KeptResult[]>();
    for (const row of this.#database.values(
      `SELECT ${resultColumns}, key FROM results ${which}`,
      ...values,
    )) {
      const key = row.at(-1);
      const result = resultOf(row);
      const others = results.get(key);
      if (others) others.push(result);
      else results.set(key, [result]);
    }
    for (const list of results.values()) list.sort((one, other) => one.index - other.index);
    return results;
  }
}
