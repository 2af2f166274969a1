import type { TaskProgress } from '../base/taskProgress.ts';
import { StorageError } from '../storage/sqlite/storageError.ts';
import type { Spending, TaskUsage } from './record/spending.ts';
import { groupOf, type Task, type TaskHistory } from './record/task.ts';
import type { FetchProgress } from './results/results.ts';
import { runProgress } from './runProgress.ts';
import type { TaskRuntime } from './taskRuntime.ts';
import { TypicalRuns } from './typicalRuns.ts';

/** A request that was sent before, to fill in a form again. */
export interface RepeatableRequest {
  readonly route: NonNullable<Task['route']>;
  readonly model: string;
  /** The body as it was sent. */
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * What is known of tasks: the half of the service that changes nothing. Until the ledger is open no task is known, and
 * while a damaged one is repaired none but those that were listed last.
 */
export class TaskQueries {
  readonly #lifecycle: { readonly runtime: TaskRuntime | undefined };
  readonly #typicalRuns = new TypicalRuns((model, startedAt) =>
    this.#read(({ ledger }) => ledger.typicalRunMs(model, startedAt)),
  );
  #listed: readonly Task[] = [];

  constructor(lifecycle: { readonly runtime: TaskRuntime | undefined }) {
    this.#lifecycle = lifecycle;
  }

  /** All tasks, newest first. */
  get all(): readonly Task[] {
    if (this.#runtime === undefined) return [];
    this.#listed = this.#read(({ ledger }) => ledger.list()) ?? this.#listed;
    return this.#listed;
  }

  /** How many tasks are being made or polled. */
  get running(): number {
    return this.all.filter((task) => this.#isRunning(task)).length;
  }

  /** How many of them are at one gateway. */
  runningAt(gateway: string): number {
    return this.all.filter((task) => task.gateway === gateway && this.#isRunning(task)).length;
  }

  get(key: string): Task | undefined {
    return this.#read(({ ledger }) => ledger.get(key));
  }

  /** The task with this id at a gateway. */
  find(gateway: string, taskId: string): Task | undefined {
    return this.#read(({ ledger }) => ledger.find(gateway, taskId));
  }

  history(key: string): TaskHistory | undefined {
    return this.#read(({ ledger }) => ledger.history(key));
  }

  /** Whether any window is sending the request of this task right now. */
  isInFlight({ key, status }: Task): boolean {
    if (status !== 'intent' && status !== 'submitting') return false;
    const isAlive = this.#read(({ ledger, windows }) => {
      const owner = ledger.owner(key);
      return owner !== undefined && windows.isAlive(owner);
    });
    return isAlive === true;
  }

  /** How far a running task is. Undefined while nobody knows, and in the queue. */
  runProgress(task: Task): TaskProgress | undefined {
    return runProgress(task, this.#typicalRuns);
  }

  /** The requests of all windows that may cost money. The ledger must be open. */
  spending(): Spending {
    if (this.#runtime === undefined)
      throw new TypeError('What was spent is not known before the ledger is open.');
    return this.#runtime.ledger.spending();
  }

  /** What was submitted and what it cost, also of tasks that were removed from the list. */
  usage(): readonly TaskUsage[] {
    return this.#read(({ ledger }) => ledger.usage()) ?? [];
  }

  /** The progress of a download in this window. */
  progress(key: string, index: number): FetchProgress | undefined {
    return this.#runtime?.results.progress(key, index);
  }

  /** The request of a task, to fill in a form again; undefined when this machine did not make it. */
  repeatable(key: string): RepeatableRequest | undefined {
    const task = this.get(key);
    const request = this.history(key)?.request as RepeatableRequest['request'] | undefined;
    return task?.route && request && { route: task.route, model: task.model ?? '', request };
  }

  get #runtime(): TaskRuntime | undefined {
    return this.#lifecycle.runtime;
  }

  /** Once the file is repaired, any task counts as changed, and is read again. */
  #read<Result>(read: (runtime: TaskRuntime) => Result): Result | undefined {
    try {
      return this.#runtime && read(this.#runtime);
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'damaged') return undefined;
      throw error;
    }
  }

  #isRunning(task: Task): boolean {
    return groupOf(task, this.isInFlight(task)) === 'running';
  }
}
