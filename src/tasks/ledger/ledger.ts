import { randomUUID } from 'node:crypto';
import type { Event } from '../../base/emitter.ts';
import { type Database, StorageError } from '../../storage/database.ts';
import { Revisions } from '../../storage/revisions.ts';
import { onceRepaired, whenFree } from '../../storage/whenFree.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import type { Problem, Task, TaskDraft, Watching } from '../record/task.ts';
import { LedgerChanges } from './ledgerChanges.ts';
import type { LedgerContext } from './ledgerContext.ts';
import { type Renaming, renameGateway } from './ledgerIds.ts';
import { LedgerList } from './ledgerList.ts';
import { LedgerQueries } from './ledgerQueries.ts';
import { type ChangedTasks, LedgerReader } from './ledgerReader.ts';
import type { TaskRow } from './ledgerRows.ts';
import { deletePurchase } from './purchaseRows.ts';
import { changeResult, claimResult, type ResultChange } from './resultRows.ts';
import { type Adoption, acceptId, insertAdopted, storeFailedPoll, storeSnapshot } from './snapshotRows.ts';
import { hasEnded, hasNews, recordStatus } from './statusChanges.ts';
import {
  abandonSubmission,
  beginSubmission,
  insertTask,
  markSubmissionUnknown,
  refuseSubmission,
  takeBackSubmission,
} from './submissionRows.ts';

export interface LedgerOptions {
  /** A random name of this window, new at each start. */
  readonly window: string;
  /** Present while a damaged file is repaired. */
  readonly repairing?: () => Promise<void> | undefined;
  readonly now?: () => number;
}

/**
 * Owns what is known about tasks. Several windows use the same file at once, and guarded writes claim what
 * only one of them may do. A write that is called durable survives a power failure once the call returns, or once
 * `change` resolves where the database never waits: there a call fails as `busy` while others write. Calls about an
 * unknown task, or about one in another status, change nothing.
 *
 * @throws {StorageError} from every method, after which nothing has changed
 */
export class Ledger extends LedgerQueries {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #changes: LedgerChanges;
  readonly #context: LedgerContext;
  readonly #repairing: LedgerOptions['repairing'];

  constructor(database: Database, { window, now = Date.now, repairing }: LedgerOptions) {
    const reader = new LedgerReader(database);
    const revisions = new Revisions(database);
    const list = new LedgerList(reader, revisions);
    const context = { database, window, now };
    super(context, reader, list);
    this.#database = database;
    this.#reader = reader;
    this.#changes = new LedgerChanges(database, reader, revisions, list);
    this.#context = context;
    this.#repairing = repairing;
    database.onDidReplace(() => this.#changes.reset());
  }

  /**
   * Reads or writes at once, or as soon as no other window writes and no repair is under way. Resolves when what it
   * wrote durably survives a power failure.
   *
   * @param change calls other methods; runs once more where it failed as `busy` or `damaged`
   */
  async change<Result>(change: () => Result): Promise<Result> {
    return onceRepaired(async () => {
      const repairing = this.#repairing?.();
      // Nothing comes between the caller and a change that can be made at once.
      if (repairing) await repairing;
      const { result, isDurable } = await whenFree(() => this.#changes.watched(change));
      if (isDurable) await this.flush();
      return result;
    });
  }

  /**
   * Resolves once all that was written durably survives a power failure.
   *
   * @throws {StorageError}
   */
  flush(): Promise<void> {
    return this.#database.flush();
  }

  // Making a task

  /**
   * Stores a task before its request is sent; durable.
   *
   * @returns undefined when the key is taken, by another click or window
   */
  create(draft: TaskDraft): Task | undefined {
    const isNew = this.#changes.writeDurably(draft.key, () => insertTask(this.#context, draft));
    return isNew ? this.get(draft.key) : undefined;
  }

  /**
   * Moves a task from `intent` to `submitting`; durable.
   *
   * @returns true for exactly one caller ever, which may send the request
   */
  claimSubmit(key: string, requestId: string): boolean {
    return this.#changes.writeDurably(key, () => beginSubmission(this.#context, key, requestId));
  }

  /** Takes back a claim whose request was not sent. */
  releaseSubmit(key: string, requestId: string): void {
    this.#changes.write(key, () => takeBackSubmission(this.#context, key, requestId));
  }

  /**
   * Stores the id of a task and marks it as running; durable. Another row with this id is merged into this
   * one. An id is never dropped: when the task has another one, the new id gets its own row.
   */
  accept(key: string, taskId: string): void {
    this.#changes.writeDurably(key, () => {
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
   * @returns whether it was such a task
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
   * Stores a task that was made elsewhere; durable.
   *
   * @returns the task, also when it was known already
   * @throws {TypeError} for a snapshot without an id
   */
  adopt(adoption: Adoption): Task {
    const { gateway, snapshot } = adoption;
    if (snapshot.id === undefined) throw new TypeError('A task without an id cannot be adopted.');
    const known = this.find(gateway, snapshot.id);
    if (known) return known;
    const key = randomUUID();
    this.#changes.writeDurably(key, () => {
      if (insertAdopted(this.#context, key, adoption)) this.#storeSnapshot(key, snapshot);
    });
    const adopted = this.find(gateway, snapshot.id);
    if (!adopted) throw new StorageError('other', 'A task that was just adopted is gone.');
    return adopted;
  }

  /**
   * Marks requests whose window died as of unknown outcome.
   *
   * @returns the tasks that this call marked
   */
  recover(isAlive: (window: string) => boolean): readonly Task[] {
    const abandoned = this.#reader
      .submitting()
      .filter(({ owner }) => owner !== this.#context.window && !isAlive(owner))
      .filter(({ key, owner }) =>
        this.#changes.write(key, () => abandonSubmission(this.#context, key, owner)),
      );
    return abandoned.flatMap(({ key }) => this.get(key) ?? []);
  }

  /** Gives the tasks of a gateway its new name. */
  renameGateway(renaming: Renaming): void {
    this.#changes.writeAll(() => renameGateway(this.#database, renaming));
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
    if (!row || !hasNews(this.#database, row, snapshot)) return 'same';
    // A power failure may undo what another poll can tell again. An id, and how a task ended, may be told
    // only once.
    const once = row.taskId === null || hasEnded(snapshot.status);
    const keep = () => this.#storeSnapshot(key, snapshot);
    return once ? this.#changes.writeDurably(key, keep) : this.#changes.write(key, keep);
  }

  /** Stores a failed poll; the last 50 for each task. */
  pollFailed(key: string, problem: Problem): void {
    this.#changes.write(key, () => storeFailedPoll(this.#context, key, problem));
  }

  /** Records that the gateway does not know a running task any more. */
  markMissing(key: string): void {
    this.#changes.write(key, () => {
      const sql = `UPDATE tasks SET status = 'missing' WHERE key = ? AND status = 'running'`;
      if (this.#database.run(sql, key) > 0) {
        recordStatus(this.#database, key, this.#context.now(), 'missing');
      }
    });
  }

  /** Records that a task was deleted at the gateway. One that was running is not polled any more. */
  markDeleted(key: string): void {
    const sql = `UPDATE tasks SET deletedAt = ?, status = iif(status = 'running', 'missing', status) WHERE key = ?`;
    this.#changes.write(key, () => this.#database.run(sql, this.#context.now(), key));
  }

  /** Switches the polling of a task. `on` starts its time limit anew. */
  watch(key: string, watching: Watching): void {
    const sql = `UPDATE tasks SET watching = ?1, watchedSince = iif(?1 = 'on', ?2, watchedSince) WHERE key = ?3`;
    this.#changes.write(key, () => this.#database.run(sql, watching, this.#context.now(), key));
  }

  // Its results

  /** Changes a result, unless another window is downloading it. */
  updateResult(key: string, index: number, change: ResultChange): void {
    this.#changes.write(key, () => changeResult(this.#context, key, index, change));
  }

  /**
   * Claims the download of a result.
   *
   * @returns true for the one caller among all windows that may download it now
   */
  claimFetch(key: string, index: number, isAlive: (window: string) => boolean): boolean {
    return this.#changes.write(key, () => claimResult(this.#context, key, index, isAlive));
  }

  /**
   * Whether this window still has the claim. A window that was frozen counts as dead and loses its claims.
   */
  holdsFetch(key: string, index: number): boolean {
    return this.#reader.fetchOwner(key, index) === this.#context.window;
  }

  /** @returns true exactly once among all windows, for ever */
  claimNotice(key: string, what: string): boolean {
    return this.#database.write(
      () =>
        this.#database.run('INSERT OR IGNORE INTO notices VALUES (?, ?, ?)', key, what, this.#context.now()) >
        0,
    );
  }

  // All of it

  /** Removes a task with all its rows, unless its request is being sent. Saved files stay. */
  remove(key: string): void {
    this.#changes.write(key, () => {
      const removed = this.#database.run(`DELETE FROM tasks WHERE key = ? AND status <> 'submitting'`, key);
      if (removed > 0) this.#database.run('DELETE FROM notices WHERE key = ?', key);
    });
  }

  /** The tasks that other windows have changed since the last call. */
  changesOfOthers(): ChangedTasks {
    this.#database.followReplaced();
    return this.#changes.changesOfOthers();
  }

  /** Fires after this window wrote. Without a key any task may have changed. */
  get onDidChange(): Event<string | undefined> {
    return this.#changes.onDidChange;
  }

  /** Closes the database as well. */
  close(): void {
    this.#database.close();
  }

  #accept(row: TaskRow, taskId: string): void {
    if (acceptId(this.#context, row, taskId)) this.#changes.includeOtherTasks();
  }

  #storeSnapshot(key: string, snapshot: TaskSnapshot): 'same' | 'changed' | 'ended' {
    return storeSnapshot(this.#context, this.#reader, key, snapshot, (row, id) => this.#accept(row, id));
  }
}
