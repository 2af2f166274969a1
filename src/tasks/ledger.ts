import { randomUUID } from 'node:crypto';
import { type Database, StorageError } from '../storage/database.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
import { LedgerChanges, type LedgerListener } from './ledger/ledgerChanges.ts';
import { insertStray, keyThere, nameGateway, namings, takeId } from './ledger/ledgerIds.ts';
import { LedgerList } from './ledger/ledgerList.ts';
import { LedgerReader } from './ledger/ledgerReader.ts';
import { type ResultRow, resultColumns, type TaskRow } from './ledger/ledgerRows.ts';
import { hasEnded, isNews, keepSnapshot, recordStatus } from './ledger/statusChanges.ts';
import type { Spending } from './spending.ts';
import type { KeptResult, Problem, Task, TaskDraft, TaskHistory, TaskStatus, Watching } from './task.ts';

export interface LedgerOptions {
  /** A random name of this window, new at each start. */
  readonly window: string;
  readonly now?: () => number;
}

/** A task that was made elsewhere. */
export interface Adoption {
  readonly gateway: string;
  readonly gatewayName: string;
  /** A snapshot with an id. */
  readonly snapshot: TaskSnapshot;
  readonly model?: string;
  readonly prompt?: string;
}

const maxFailedPolls = 50;

/**
 * Owns what is known about tasks. Several windows use the same file at once, and guarded writes claim what
 * only one of them may do. A write that is called durable survives a power failure once the call returns.
 * Calls about an unknown task, or about one in another status, change nothing.
 *
 * @throws {StorageError} from every method, after which nothing has changed
 */
export class Ledger {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #list: LedgerList;
  readonly #changes: LedgerChanges;
  readonly #window: string;
  readonly #now: () => number;

  constructor(database: Database, { window, now = Date.now }: LedgerOptions) {
    this.#database = database;
    this.#reader = new LedgerReader(database);
    this.#list = new LedgerList(this.#reader);
    this.#changes = new LedgerChanges(database, this.#reader, this.#list);
    database.onDidReplace(() => this.#changes.startOver());
    this.#window = window;
    this.#now = now;
  }

  // Making a task

  /**
   * Stores a task before its request is sent; durable.
   *
   * @returns undefined when the key is taken, by another click or window
   */
  create(draft: TaskDraft): Task | undefined {
    const { key, gateway, gatewayName, route, model, prompt, request } = draft;
    const taken = this.#changes.durably(key, () => {
      const inserted = this.#database.run(
        `INSERT OR IGNORE INTO tasks (key, gateway, gatewayName, route, model, prompt, stage, intendedAt, owner)
         VALUES (?, ?, ?, ?, ?, ?, 'intent', ?, ?)`,
        ...[key, gateway, gatewayName, route, model, prompt, this.#now(), this.#window],
      );
      if (inserted === 0) return false;
      this.#database.run('INSERT INTO requests (key, body) VALUES (?, ?)', key, JSON.stringify(request));
      this.#recordStatus(key, 'intent');
      return true;
    });
    return taken ? this.get(key) : undefined;
  }

  /**
   * Moves a task from `intent` to `submitting`; durable.
   *
   * @returns true for exactly one caller ever, which may send the request
   */
  claimSubmit(key: string, requestId: string): boolean {
    return this.#changes.durably(key, () => {
      const claimed = this.#database.run(
        `UPDATE tasks SET stage = 'submitting', requestId = ?, submittedAt = ?, owner = ?
         WHERE key = ? AND stage = 'intent'`,
        ...[requestId, this.#now(), this.#window, key],
      );
      if (claimed === 0) return false;
      this.#database.run('INSERT OR IGNORE INTO submissions VALUES (?, ?)', key, this.#now());
      this.#recordStatus(key, 'submitting');
      return true;
    });
  }

  /**
   * Stores the id of a task and marks it as running; durable. Another row with this id is merged into this
   * one. An id is never dropped: when the task has another one, the new id gets its own row.
   */
  accept(key: string, taskId: string): void {
    this.#changes.durably(key, () => {
      const row = this.#reader.row(key);
      if (row) this.#accept(row, taskId);
    });
  }

  /** Stores the gateway's own id of the request that made the task. */
  nameRequest(key: string, gatewayRequestId: string): void {
    const sql = 'UPDATE tasks SET gatewayRequestId = ? WHERE key = ?';
    this.#changes.write(key, () => this.#database.run(sql, gatewayRequestId, key));
  }

  /** Records that nothing was made. */
  refuse(key: string, problem: Problem): void {
    this.#changes.write(key, () => {
      if (this.#leaveSubmission(key, 'refused', problem)) {
        this.#database.run('DELETE FROM submissions WHERE key = ?', key);
      }
    });
  }

  /**
   * Records that the outcome of the request is unknown; durable.
   *
   * @param unclearReply the beginning of the reply
   */
  markUnknown(key: string, problem: Problem, unclearReply?: string): void {
    this.#changes.durably(key, () => {
      if (!this.#leaveSubmission(key, 'unknown', problem) || unclearReply === undefined) return;
      const sql =
        'INSERT INTO replies (key, unclear) VALUES (?, ?) ON CONFLICT DO UPDATE SET unclear = excluded.unclear';
      this.#database.run(sql, key, unclearReply);
    });
  }

  /**
   * Removes a task that was never sent.
   *
   * @returns whether it was such a task
   */
  discard(key: string): boolean {
    return this.#changes.write(
      key,
      () => this.#database.run(`DELETE FROM tasks WHERE key = ? AND stage = 'intent'`, key) > 0,
    );
  }

  /**
   * Stores a task that was made elsewhere; durable.
   *
   * @returns the task, also when it was known already
   * @throws {TypeError} for a snapshot without an id
   */
  adopt({ gateway, gatewayName, snapshot, model, prompt = '' }: Adoption): Task {
    const { id: taskId, createdAt } = snapshot;
    if (taskId === undefined) throw new TypeError('A task without an id cannot be adopted.');
    const known = this.find(gateway, taskId);
    if (known) return known;
    const key = randomUUID();
    const task = {
      gateway,
      gatewayName,
      taskId,
      model: model ?? null,
      prompt,
      ...(createdAt && { createdAt }),
    };
    this.#changes.durably(key, () => {
      if (keyThere(this.#database, gateway, taskId) !== undefined) return;
      insertStray(this.#database, key, task, this.#now());
      this.#keep(key, snapshot);
    });
    const adopted = this.find(gateway, taskId);
    if (!adopted) throw new StorageError('other', 'A task that was just adopted is gone.');
    return adopted;
  }

  /**
   * Marks requests whose window died as of unknown outcome.
   *
   * @returns the tasks that this call marked
   */
  recover(isAlive: (window: string) => boolean): readonly Task[] {
    const lost = this.#reader
      .submitting()
      .filter(({ owner }) => owner !== this.#window && !isAlive(owner))
      .filter(({ key, owner }) =>
        this.#changes.write(key, () => {
          const sql = `UPDATE tasks SET stage = 'unknown' WHERE key = ? AND stage = 'submitting' AND owner = ?`;
          if (this.#database.run(sql, key, owner) === 0) return false;
          this.#recordStatus(key, 'unknown');
          return true;
        }),
      );
    return lost.flatMap(({ key }) => this.get(key) ?? []);
  }

  /**
   * Gives tasks of which only the origin is known their gateway, by the name that it had when they were made.
   * The others keep only their origin.
   */
  nameGateways(nameOf: (gateway: string, gatewayName: string) => string | undefined): void {
    const found = namings(this.#database, nameOf);
    if (found.length === 0) return;
    this.#changes.writeAll(() => {
      for (const naming of found) nameGateway(this.#database, naming);
    });
  }

  // Polling it

  /**
   * Stores what is new in a snapshot. A task that has ended stays as it ended, and a contradiction is stored
   * as a status change. Its results exist once it has ended.
   *
   * @returns `ended` when this snapshot ends the task
   */
  recordSnapshot(key: string, snapshot: TaskSnapshot): 'same' | 'changed' | 'ended' {
    const row = this.#reader.row(key);
    if (!row || !isNews(this.#database, row, snapshot)) return 'same';
    // A power failure may undo what another poll can tell again. An id, and how a task ended, may be told
    // only once.
    const once = row.taskId === null || hasEnded(snapshot.status);
    const keep = () => this.#keep(key, snapshot);
    return once ? this.#changes.durably(key, keep) : this.#changes.write(key, keep);
  }

  /** Stores a failed poll; the last 50 for each task. */
  pollFailed(key: string, problem: Problem): void {
    this.#changes.write(key, () => {
      this.#database.run(
        'INSERT INTO failedPolls (key, at, problem) SELECT key, ?, ? FROM tasks WHERE key = ?',
        ...[this.#now(), JSON.stringify(problem), key],
      );
      this.#database.run(
        `DELETE FROM failedPolls WHERE key = ?1 AND id <=
         (SELECT id FROM failedPolls WHERE key = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${maxFailedPolls})`,
        key,
      );
    });
  }

  /** Records that the gateway does not know a running task any more. */
  markMissing(key: string): void {
    this.#changes.write(key, () => {
      const sql = `UPDATE tasks SET stage = 'gone' WHERE key = ? AND stage = 'running'`;
      if (this.#database.run(sql, key) > 0) this.#recordStatus(key, 'missing');
    });
  }

  /** Switches the polling of a task. `on` starts its time limit anew. */
  watch(key: string, watching: Watching): void {
    const sql = `UPDATE tasks SET watching = ?1, watchedSince = iif(?1 = 'on', ?2, watchedSince) WHERE key = ?3`;
    this.#changes.write(key, () => this.#database.run(sql, watching, this.#now(), key));
  }

  // Its results

  /** Changes a result, unless another window is downloading it. */
  updateResult(key: string, index: number, change: Partial<Omit<KeptResult, 'index'>>): void {
    this.#changes.write(key, () => {
      const sql = `SELECT ${resultColumns} FROM results
        WHERE key = ? AND place = ? AND (state <> 'fetching' OR owner = ?)`;
      const row = this.#database.get<ResultRow>(sql, key, index, this.#window);
      if (!row) return;
      const { state, url, mimeType, expiresAt, path, bytes, sha256, problem } = { ...row, ...change };
      this.#database.run(
        `UPDATE results SET state = ?, url = ?, mimeType = ?, expiresAt = ?, path = ?, bytes = ?, sha256 = ?,
         problem = ? WHERE key = ? AND place = ?`,
        ...[state, url, mimeType ?? null, expiresAt ?? null, path ?? null, bytes ?? null, sha256 ?? null],
        ...[problem ?? null, key, index],
      );
    });
  }

  /**
   * Claims the download of a result.
   *
   * @returns true for the one caller among all windows that may download it now
   */
  claimFetch(key: string, index: number, isAlive: (window: string) => boolean): boolean {
    return this.#changes.write(key, () => {
      const sql = 'SELECT state, owner FROM results WHERE key = ? AND place = ?';
      const result = this.#database.get<FetchClaim>(sql, key, index);
      if (!result || !this.#mayFetch(result, isAlive)) return false;
      const claim = `UPDATE results SET state = 'fetching', owner = ?, problem = NULL WHERE key = ? AND place = ?`;
      return this.#database.run(claim, this.#window, key, index) > 0;
    });
  }

  /**
   * Whether this window still has the claim. A window that was frozen counts as dead and loses its claims.
   */
  holdsFetch(key: string, index: number): boolean {
    return this.#reader.fetchOwner(key, index) === this.#window;
  }

  /** @returns true exactly once among all windows, for ever */
  claimNotice(key: string, what: string): boolean {
    return this.#database.write(
      () => this.#database.run('INSERT OR IGNORE INTO notices VALUES (?, ?, ?)', key, what, this.#now()) > 0,
    );
  }

  // What is known

  get(key: string): Task | undefined {
    return this.#reader.get(key);
  }

  history(key: string): TaskHistory | undefined {
    return this.#reader.history(key);
  }

  /** Finds a task by its id, also one of which only the origin is known. */
  find(gateway: string, taskId: string): Task | undefined {
    const key = keyThere(this.#database, gateway, taskId);
    return key === undefined ? undefined : this.get(key);
  }

  /** All tasks, newest first. */
  list(): readonly Task[] {
    return this.#list.read();
  }

  /** Tasks with something left to do: requests under way or of unknown outcome, polling, downloads. */
  unfinished(): readonly Task[] {
    return this.#reader.unfinished();
  }

  /** The window that created the task or sends its request. */
  owner(key: string): string | undefined {
    return this.#reader.owner(key);
  }

  /** How long the model usually takes, in milliseconds: the median of its last 20 completed tasks. */
  typicalRunMs(model: string): number | undefined {
    return this.#reader.typicalRunMs(model);
  }

  /** The requests of all windows that may cost money, those about to be sent included. */
  spending(): Spending {
    return this.#reader.spending(this.#now());
  }

  /** Removes a task with all its rows, unless its request is being sent. Saved files stay. */
  remove(key: string): void {
    this.#changes.write(key, () => {
      const removed = this.#database.run(`DELETE FROM tasks WHERE key = ? AND stage <> 'submitting'`, key);
      if (removed > 0) this.#database.run('DELETE FROM notices WHERE key = ?', key);
    });
  }

  /** Whether another window has written since the last call. */
  changed(): boolean {
    return this.#changes.byOthers();
  }

  /** @returns a function that ends the subscription */
  onDidChange(listener: LedgerListener): () => void {
    return this.#changes.listen(listener);
  }

  /** Closes the database as well. */
  close(): void {
    this.#database.close();
  }

  #accept(row: TaskRow, taskId: string): void {
    if (takeId(this.#database, row, taskId, this.#now())) this.#changes.touchOthers();
    this.#recordStatus(row.key, 'running');
  }

  /** Runs within a transaction, where the row may differ from the one read before. */
  #keep(key: string, snapshot: TaskSnapshot): 'same' | 'changed' | 'ended' {
    const before = this.#reader.row(key);
    if (before?.taskId === null && snapshot.id !== undefined) this.#accept(before, snapshot.id);
    const row = this.#reader.row(key);
    if (!row || !isNews(this.#database, row, snapshot)) {
      return before?.taskId === row?.taskId ? 'same' : 'changed';
    }
    keepSnapshot(this.#database, row, snapshot, this.#now());
    return hasEnded(snapshot.status) && !hasEnded(row.status) ? 'ended' : 'changed';
  }

  #leaveSubmission(key: string, status: 'refused' | 'unknown', problem: Problem): boolean {
    const sql = `UPDATE tasks SET stage = ?, problem = ? WHERE key = ? AND stage IN ('submitting', 'unknown')`;
    if (this.#database.run(sql, status, JSON.stringify(problem), key) === 0) return false;
    this.#recordStatus(key, status);
    return true;
  }

  #mayFetch({ state, owner }: FetchClaim, isAlive: (window: string) => boolean): boolean {
    if (state === 'waiting' || state === 'failed') return true;
    return state === 'fetching' && owner !== null && owner !== this.#window && !isAlive(owner);
  }

  #recordStatus(key: string, status: TaskStatus): void {
    recordStatus(this.#database, key, this.#now(), status);
  }
}

interface FetchClaim {
  readonly state: KeptResult['state'];
  /** The window that downloaded last. */
  readonly owner: string | null;
}
