import { Emitter } from '../../base/emitter.ts';
import { type RevisedResult, Revisions } from '../../storage/revisions.ts';
import type { Database } from '../../storage/sharedDatabase.ts';
import type { Task } from '../record/task.ts';
import { type ChangedTasks, type LedgerReader, maxStoredChanges } from './ledgerReader.ts';

/** Runs all changes of the ledger as transactions. Listeners are called after the commit. */
export class LedgerChanges {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #revisions: Revisions;
  readonly list: LedgerList;
  readonly #emitter = new Emitter<string | undefined>();
  /** Fires after a write of this window. Without a key, any task may have changed. */
  readonly onDidChange = this.#emitter.event;
  #includesOtherTasks = false;
  #hasWrittenDurably = false;

  constructor(database: Database, reader: LedgerReader) {
    this.#database = database;
    this.#reader = reader;
    this.#revisions = new Revisions(database);
    this.list = new LedgerList(reader, this.#revisions);
  }

  /** Changes one task in one transaction. */
  write<Result>(key: string, change: () => Result): Result {
    return this.#publish(key, this.#revisions.write(this.#resetScope(change), this.#createStamp(key)));
  }

  /** Changes any tasks in one transaction. */
  writeAll(change: () => void): void {
    this.#publish(undefined, this.#revisions.write(this.#resetScope(change), this.#createStamp(undefined)));
  }

  /** Like `write`, and the change survives a power failure. */
  writeDurably<Result>(key: string, change: () => Result): Result {
    this.#hasWrittenDurably = true;
    return this.#publish(key, this.#revisions.writeDurably(this.#resetScope(change), this.#createStamp(key)));
  }

  /** Runs `change` and returns its result, and whether it contained durable writes. */
  runChange<Result>(change: () => Result): { readonly result: Result; readonly isDurable: boolean } {
    this.#hasWrittenDurably = false;
    const result = change();
    return { result, isDurable: this.#hasWrittenDurably };
  }

  /** Marks that the current change also concerns other tasks. */
  includeOtherTasks(): void {
    this.#includesOtherTasks = true;
  }

  /**
   * Finds the tasks that other windows have changed since the last call. May include tasks that this window changed
   * at the same time.
   */
  findChangesOfOthers(): ChangedTasks {
    const since = this.#revisions.findChangesOfOthers();
    return since === undefined ? [] : this.#reader.listChangedSince(since);
  }

  /** Called when another file has replaced the database. */
  reset(): void {
    this.list.forget();
    this.#revisions.reset();
    this.#emitter.fire(undefined);
  }

  /** Wraps a change, so that calls of `includeOtherTasks` by earlier changes do not count. */
  #resetScope<Result>(change: () => Result): () => Result {
    return () => {
      this.#includesOtherTasks = false;
      return change();
    };
  }

  /** Returns a function that stores which task a revision changed, and forgets the oldest revision. */
  #createStamp(changedKey: string | undefined): (revision: number) => void {
    return (revision) => {
      const key = this.#includesOtherTasks ? null : (changedKey ?? null);
      this.#database.run('INSERT OR REPLACE INTO changes VALUES (?, ?)', revision, key);
      this.#database.run('DELETE FROM changes WHERE revision <= ?', revision - maxStoredChanges);
    };
  }

  #publish<Result>(changedKey: string | undefined, { result, revision }: RevisedResult<Result>): Result {
    if (revision === undefined) return result;
    const key = this.#includesOtherTasks ? undefined : changedKey;
    this.list.markStale(key, revision);
    this.#emitter.fire(key);
    return result;
  }
}

/** The list of all tasks in memory. It reloads tasks that changed in any window. */
class LedgerList {
  readonly #reader: LedgerReader;
  readonly #revisions: Revisions;
  readonly #stale = new Set<string>();
  /** Newest first; undefined if all tasks must be read. */
  #tasks: readonly Task[] | undefined;
  #revision = 0;

  constructor(reader: LedgerReader, revisions: Revisions) {
    this.#reader = reader;
    this.#revisions = revisions;
  }

  /** All tasks, newest first. */
  read(): readonly Task[] {
    const revision = this.#revisions.readLast();
    if (this.#tasks && revision !== this.#revision)
      this.#addStale(this.#reader.listChangedSince(this.#revision));
    const tasks = this.#tasks ? this.#refresh(this.#tasks) : this.#reader.readAll();
    this.#tasks = tasks;
    this.#stale.clear();
    this.#revision = revision;
    return tasks;
  }

  /** Called after a change by this window. Without a key, any task may have changed. */
  markStale(key: string | undefined, revision: number): void {
    this.#addStale(key === undefined ? 'any' : [key]);
    // A gap means that another window wrote in between. `read` will detect this.
    if (revision === this.#revision + 1) this.#revision = revision;
  }

  forget(): void {
    this.#tasks = undefined;
  }

  #addStale(changed: readonly string[] | 'any'): void {
    if (changed === 'any') this.#tasks = undefined;
    else for (const key of changed) this.#stale.add(key);
  }

  #refresh(tasks: readonly Task[]): readonly Task[] {
    if (this.#stale.size === 0) return tasks;
    const all = [...tasks];
    // Oldest first, so that of two tasks with the same time the newer is inserted before the older.
    for (const task of this.#reader.readByKeys([...this.#stale]).toReversed()) {
      this.#stale.delete(task.key);
      const index = findTaskIndex(all, task);
      all.splice(index, all[index]?.key === task.key ? 1 : 0, task);
    }
    return this.#stale.size > 0 ? all.filter(({ key }) => !this.#stale.has(key)) : all;
  }
}

/** The index of a task in a list, newest first, or the index where to insert it. */
function findTaskIndex(tasks: readonly Task[], { key, intendedAt }: Task): number {
  let [low, high] = [0, tasks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tasks[middle]?.intendedAt ?? 0) > intendedAt) low = middle + 1;
    else high = middle;
  }
  let index = low;
  while (tasks[index]?.intendedAt === intendedAt && tasks[index]?.key !== key) index++;
  return tasks[index]?.key === key ? index : low;
}
