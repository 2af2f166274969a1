import type { Task } from '../task.ts';
import type { LedgerReader } from './ledgerReader.ts';

/**
 * The list of all tasks, kept in memory: after a change made here only the task that changed is read again,
 * after one made by another window all are.
 */
export class LedgerList {
  readonly #reader: LedgerReader;
  readonly #stale = new Set<string>();
  /** The newest first; undefined when all are to be read. */
  #tasks: Map<string, Task> | undefined;
  #revision = 0;

  constructor(reader: LedgerReader) {
    this.#reader = reader;
  }

  /** All tasks, the newest first. */
  read(): readonly Task[] {
    const revision = this.#reader.revision();
    if (revision !== this.#revision) this.#tasks = undefined;
    const tasks = this.#refreshed() ?? this.#reader.all();
    this.#tasks = tasks;
    this.#stale.clear();
    this.#revision = revision;
    return [...tasks.values()];
  }

  /** A task was changed here, which made this revision. Without a key, any may have changed. */
  outdate(key: string | undefined, revision: number): void {
    if (key === undefined || revision !== this.#revision + 1) this.#tasks = undefined;
    else this.#stale.add(key);
    this.#revision = revision;
  }

  forget(): void {
    this.#tasks = undefined;
  }

  /** Undefined when it is not only tasks of the list that changed: a new one has its place by its age. */
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
