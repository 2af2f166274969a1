import type { Revisions } from '../../storage/revisions.ts';
import type { Task } from '../task.ts';
import type { LedgerReader } from './ledgerReader.ts';

/**
 * The list of all tasks in memory. After a change by this window it reads one task again, after a change by
 * another window all of them.
 */
export class LedgerList {
  readonly #reader: LedgerReader;
  readonly #revisions: Revisions;
  readonly #stale = new Set<string>();
  /** Newest first; undefined when all are to be read. */
  #tasks: Map<string, Task> | undefined;
  #revision = 0;

  constructor(reader: LedgerReader, revisions: Revisions) {
    this.#reader = reader;
    this.#revisions = revisions;
  }

  /** All tasks, newest first. */
  read(): readonly Task[] {
    const revision = this.#revisions.last();
    if (revision !== this.#revision) this.#tasks = undefined;
    const tasks = this.#refreshed() ?? this.#reader.all();
    this.#tasks = tasks;
    this.#stale.clear();
    this.#revision = revision;
    return [...tasks.values()];
  }

  /** Called after a change by this window. Without a key any task may have changed. */
  outdate(key: string | undefined, revision: number): void {
    if (key === undefined || revision !== this.#revision + 1) this.#tasks = undefined;
    else this.#stale.add(key);
    this.#revision = revision;
  }

  forget(): void {
    this.#tasks = undefined;
  }

  /** @returns undefined when a task is not in the list yet: its age decides its place */
  #refreshed(): Map<string, Task> | undefined {
    for (const key of this.#tasks ? this.#stale : []) {
      const task = this.#reader.get(key);
      if (!task) this.#tasks?.delete(key);
      else if (this.#tasks?.has(key)) this.#tasks.set(key, task);
      else return undefined;
    }
    return this.#tasks;
  }
}
