import { randomUUID } from 'node:crypto';
import type { Event } from '../../base/emitter.ts';
import { type Database, StorageError, type WriteContext } from '../../storage/database.ts';
import { retryAfterRepair, retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { Problem, Task, TaskDraft, Watching } from '../record/task.ts';
import { LedgerChanges } from './ledgerChanges.ts';
import { type Adoption, acceptId, type GatewayRename, insertAdopted, renameGateway } from './ledgerIds.ts';
import { type ChangedTasks, LedgerReader } from './ledgerReader.ts';
import type { TaskRow } from './ledgerRows.ts';
import { deletePurchase } from './purchaseRows.ts';
import { changeResult, claimResult, type ResultChange } from './resultRows.ts';
import { hasChanges, hasEnded, recordStatus, storeFailedPoll, writeSnapshot } from './snapshotRows.ts';
import {
  abandonSubmission,
  beginSubmission,
  insertTask,
  markSubmissionUnknown,
  refuseSubmission,
  revertSubmission,
} from './submissionRows.ts';

export interface LedgerOptions {
  /** A random name of this window, new at each start. */
  readonly window: string;
  /** Returns a promise while a damaged file is repaired; it resolves at the end of the repair. */
  readonly repairing?: () => Promise<void> | undefined;
  /** Called in the window that stores the end of a task, with X-Request-Id of the request that created it. */
  readonly onEnd?: ((requestId: string, snapshot: TaskSnapshot) => void) | undefined;
  /** Wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Stores all data of tasks. Several windows use the same file at once, and conditional writes claim work that only one
 * of them may do. A durable write survives a power failure as soon as the call returns. With the option
 * `isNonBlocking` of the database, a durable write is safe only when `change` resolves, and a call fails as `busy`
 * while another window writes. Calls for an unknown task, or a task in another status, do not change anything.
 *
 * @throws {StorageError} from each method; then it has not changed anything
 */
export class Ledger extends LedgerReader {
  readonly #database: Database;
  readonly #changes: LedgerChanges;
  readonly #context: WriteContext;
  readonly #repairing: LedgerOptions['repairing'];
  readonly #onEnd: LedgerOptions['onEnd'];

  constructor(database: Database, { window, now = Date.now, repairing, onEnd }: LedgerOptions) {
    super(database, now);
    this.#database = database;
    this.#changes = new LedgerChanges(database, this);
    this.#context = { database, window, now };
    this.#repairing = repairing;
    this.#onEnd = onEnd;
    database.onDidReplace(() => this.#changes.reset());
  }

  /**
   * Reads or writes at once, or as soon as no other window writes and no repair runs. Resolves when all durable
   * writes of `change` survive a power failure.
   *
   * @param change calls other methods; runs again if it failed as `busy` or `damaged`
   */
  async change<Result>(change: () => Result): Promise<Result> {
    return retryAfterRepair(async () => {
      const repairing = this.#repairing?.();
      // Without a repair, the change must run synchronously.
      if (repairing) await repairing;
      const { result, isDurable } = await retryWhileBusy(() => this.#changes.runChange(change));
      if (isDurable) await this.flush();
      return result;
    });
  }

  /**
   * Resolves when all durable writes survive a power failure.
   *
   * @throws {StorageError}
   */
  flush(): Promise<void> {
    return this.#database.flush();
  }

  // Creating tasks

  /**
   * Stores a task before its request is sent; durable.
   *
   * @returns undefined if the key exists already, from another click or window
   */
  create(draft: TaskDraft): Task | undefined {
    const isNew = this.#changes.writeDurably(draft.key, () => insertTask(this.#context, draft));
    return isNew ? this.get(draft.key) : undefined;
  }

  /**
   * Changes the status of a task from `intent` to `submitting`; durable.
   *
   * @returns true for exactly one caller, which may send the request
   */
  claimSubmission(key: string, requestId: string): boolean {
    return this.#changes.writeDurably(key, () => beginSubmission(this.#context, key, requestId));
  }

  /** Undoes a claim whose request was not sent. */
  releaseSubmission(key: string, requestId: string): void {
    this.#changes.write(key, () => revertSubmission(this.#context, key, requestId));
  }

  /**
   * Stores the id of a task and marks it as running; durable. Another row with this id is merged into this one. An
   * id is never dropped: if the task has another id, the new id gets its own row.
   */
  accept(key: string, taskId: string): void {
    this.#changes.writeDurably(key, () => {
      const row = this.readRow(key);
      if (row) this.#accept(row, taskId);
    });
  }

  /** Stores the gateway's own id of the request that created the task. */
  storeGatewayRequestId(key: string, gatewayRequestId: string): void {
    const sql = 'UPDATE tasks SET gatewayRequestId = ? WHERE key = ?';
    this.#changes.write(key, () => this.#database.run(sql, gatewayRequestId, key));
  }

  /** Records that the request was refused, so no task was created. */
  markRefused(key: string, problem: Problem): void {
    this.#changes.write(key, () => refuseSubmission(this.#context, key, problem));
  }

  /**
   * Records that the outcome of the request is unknown; durable.
   *
   * @param unclearReply the beginning of the reply
   */
  markUnknown(key: string, problem: Problem, unclearReply?: string): void {
    this.#changes.writeDurably(key, () => markSubmissionUnknown(this.#context, key, problem, unclearReply));
  }

  /**
   * Removes a task that was never sent.
   *
   * @returns whether the task was removed
   */
  discard(key: string): boolean {
    return this.#changes.write(key, () => {
      const sql = `DELETE FROM tasks WHERE key = ? AND status = 'intent'`;
      if (this.#database.run(sql, key) === 0) return false;
      deletePurchase(this.#database, key);
      return true;
    });
  }

  /**
   * Stores a task that was created elsewhere; durable.
   *
   * @returns the task, even if it was known already
   * @throws {TypeError} for a snapshot without an id
   */
  adopt(adoption: Adoption): Task {
    const { gateway, snapshot } = adoption;
    if (snapshot.id === undefined) throw new TypeError('A task without an id cannot be adopted.');
    const existing = this.find(gateway, snapshot.id);
    if (existing) return existing;
    const key = randomUUID();
    this.#changes.writeDurably(key, () => {
      if (insertAdopted(this.#context, key, adoption)) this.#storeSnapshot(key, snapshot);
    });
    const adopted = this.find(gateway, snapshot.id);
    if (!adopted) throw new StorageError('other', 'A task that was just adopted is gone.');
    return adopted;
  }

  /**
   * Marks the outcome of requests as unknown if their windows are dead.
   *
   * @returns the tasks that this call marked
   */
  recover(isAlive: (window: string) => boolean): readonly Task[] {
    const abandoned = this.listSubmitting()
      .filter(({ owner }) => owner !== this.#context.window && !isAlive(owner))
      .filter(({ key, owner }) =>
        this.#changes.write(key, () => abandonSubmission(this.#context, key, owner)),
      );
    return abandoned.flatMap(({ key }) => this.get(key) ?? []);
  }

  /** Stores the new name of a gateway in its tasks. */
  renameGateway(renaming: GatewayRename): void {
    this.#changes.writeAll(() => renameGateway(this.#database, renaming));
  }

  // Polling

  /**
   * Stores the changes in a snapshot. The status of an ended task does not change: a contradicting status is stored
   * only as a status change. Results are stored when the task has ended.
   *
   * @returns `ended` if this snapshot ends the task
   */
  recordSnapshot(key: string, snapshot: TaskSnapshot): 'same' | 'changed' | 'ended' {
    const row = this.readRow(key);
    if (!row || !hasChanges(this.#database, row, snapshot)) return 'same';
    // Other changes may be lost in a power failure, because the next poll reads them again. A gateway may report
    // an id, and the end of a task, only once.
    const isReportedOnce = row.taskId === null || hasEnded(snapshot.status);
    const store = () => this.#storeSnapshot(key, snapshot);
    const outcome = isReportedOnce ? this.#changes.writeDurably(key, store) : this.#changes.write(key, store);
    if (outcome === 'ended' && row.requestId !== null) this.#onEnd?.(row.requestId, snapshot);
    return outcome;
  }

  /** Stores a failed poll. Only the last 50 of each task are stored. */
  recordFailedPoll(key: string, problem: Problem): void {
    this.#changes.write(key, () => storeFailedPoll(this.#context, key, problem));
  }

  /** Records that the gateway no longer knows a running task. */
  markMissing(key: string): void {
    this.#changes.write(key, () => {
      const sql = `UPDATE tasks SET status = 'missing' WHERE key = ? AND status = 'running'`;
      if (this.#database.run(sql, key) > 0) {
        recordStatus(this.#database, key, this.#context.now(), 'missing');
      }
    });
  }

  /** Records that a task was deleted at the gateway. If it was running, its polling ends. */
  markDeleted(key: string): void {
    const sql = `UPDATE tasks SET deletedAt = ?, status = iif(status = 'running', 'missing', status) WHERE key = ?`;
    this.#changes.write(key, () => this.#database.run(sql, this.#context.now(), key));
  }

  /** Switches the polling of a task. `on` restarts its time limit. */
  setWatching(key: string, watching: Watching): void {
    const sql = `UPDATE tasks SET watching = ?1, watchedSince = iif(?1 = 'on', ?2, watchedSince) WHERE key = ?3`;
    this.#changes.write(key, () => this.#database.run(sql, watching, this.#context.now(), key));
  }

  // Results

  /** Changes a result, unless another window is downloading it. */
  updateResult(key: string, index: number, change: ResultChange): void {
    this.#changes.write(key, () => changeResult(this.#context, key, index, change));
  }

  /**
   * Claims the download of a result.
   *
   * @returns true for the only caller among all windows that may download it now
   */
  claimDownload(key: string, index: number, isAlive: (window: string) => boolean): boolean {
    return this.#changes.write(key, () => claimResult(this.#context, key, index, isAlive));
  }

  /** Whether this window still has the claim. A frozen window counts as dead and loses its claims. */
  hasDownloadClaim(key: string, index: number): boolean {
    return this.findDownloadOwner(key, index) === this.#context.window;
  }

  /** @returns true exactly once among all windows, even after restarts */
  claimNotice(key: string, notice: string): boolean {
    return this.#database.write(
      () =>
        this.#database.run(
          'INSERT OR IGNORE INTO notices VALUES (?, ?, ?)',
          key,
          notice,
          this.#context.now(),
        ) > 0,
    );
  }

  // All tasks

  /** All tasks, newest first. */
  list(): readonly Task[] {
    return this.#changes.list.read();
  }

  /** Removes a task with all its rows, unless its request is being sent. Saved files are not deleted. */
  remove(key: string): void {
    this.#changes.write(key, () => {
      const removed = this.#database.run(`DELETE FROM tasks WHERE key = ? AND status <> 'submitting'`, key);
      if (removed > 0) this.#database.run('DELETE FROM notices WHERE key = ?', key);
    });
  }

  /** Finds the tasks that other windows have changed since the last call. */
  findChangesOfOthers(): ChangedTasks {
    this.#database.reopenIfReplaced();
    return this.#changes.findChangesOfOthers();
  }

  /** Fires after a write of this window. Without a key, any task may have changed. */
  get onDidChange(): Event<string | undefined> {
    return this.#changes.onDidChange;
  }

  /** Also closes the database. */
  close(): void {
    this.#database.close();
  }

  #accept(row: TaskRow, taskId: string): void {
    if (acceptId(this.#context, row, taskId)) this.#changes.includeOtherTasks();
  }

  /** Runs within the caller's transaction. The row may have changed since it was read before the transaction. */
  #storeSnapshot(key: string, snapshot: TaskSnapshot): 'same' | 'changed' | 'ended' {
    const before = this.readRow(key);
    if (before?.taskId === null && snapshot.id !== undefined) this.#accept(before, snapshot.id);
    const row = this.readRow(key);
    if (!row || !hasChanges(this.#database, row, snapshot))
      return before?.taskId === row?.taskId ? 'same' : 'changed';
    writeSnapshot(this.#database, row, snapshot, this.#context.now());
    return hasEnded(snapshot.status) && !hasEnded(row.status) ? 'ended' : 'changed';
  }
}
