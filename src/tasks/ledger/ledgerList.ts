import type { Revisions } from '../../storage/revisions.ts';
import type { Task } from '../record/task.ts';
import type { LedgerReader } from './ledgerReader.ts';

/** The list of all tasks in memory. It reads again what changed in any window. */
export class LedgerList {
  readonly #reader: LedgerReader;
  readonly #revisions: Revisions;
  readonly #stale = new Set<string>();
  /** Newest first; undefined when all are to be read. */
  #tasks: readonly Task[] | undefined;
  #revision = 0;

  constructor(reader: LedgerReader, revisions: Revisions) {
    this.#reader = reader;
    this.#revisions = revisions;
  }

  /** All tasks, newest first. */
  read(): readonly Task[] {
    const revision = this.#revisions.last();
    if (this.#tasks && revision !== this.#revision) this.#addStale(this.#reader.changedSince(this.#revision));
    const tasks = this.#tasks ? this.#refreshed(this.#tasks) : this.#reader.all();
    this.#tasks = tasks;
    this.#stale.clear();
    this.#revision = revision;
    return tasks;
  }

  /** Called after a change by this window. Without a key any task may have changed. */
  outdate(key: string | undefined, revision: number): void {
    this.#addStale(key === undefined ? 'any' : [key]);
    // A gap means that another window wrote meanwhile, which `read` has yet to find.
    if (revision === this.#revision + 1) this.#revision = revision;
  }

  forget(): void {
    this.#tasks = undefined;
  }

  #addStale(changed: readonly string[] | 'any'): void {
    if (changed === 'any') this.#tasks = undefined;
    else for (const key of changed) this.#stale.add(key);
  }

  #refreshed(tasks: readonly Task[]): readonly Task[] {
    if (this.#stale.size === 0) return tasks;
    const all = [...tasks];
    // The oldest first: of tasks of the same time the newer is inserted before the older.
    for (const task of this.#reader.some([...this.#stale]).toReversed()) {
      this.#stale.delete(task.key);
      const place = placeOf(all, task);
      all.splice(place, all[place]?.key === task.key ? 1 : 0, task);
    }
    return this.#stale.size > 0 ? all.filter(({ key }) => !this.#stale.has(key)) : all;
  }
}

/** The index of a task in a list, newest first, or where to insert a task that is not in it. */
function placeOf(tasks: readonly Task[], { key, intendedAt }: Task): number {
  let [low, high] = [0, tasks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tasks[middle]?.intendedAt ?? 0) > intendedAt) low = middle + 1;
    else high = middle;
  }
  let place = low;
  while (tasks[place]?.intendedAt === intendedAt && tasks[place]?.key !== key) place++;
  return tasks[place]?.key === key ? place : low;
}
