import { stat } from 'node:fs/promises';
import { Emitter } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { TaskProgress } from '../base/taskProgress.ts';
import { Throttle } from '../base/throttle.ts';
import { StorageError } from '../storage/sqlite/storageError.ts';
import { findTaskGroup, type Task, type TaskHistory } from './record/task.ts';
import type { Spending, TaskUsage } from './record/taskSpending.ts';
import type { DownloadProgress } from './results/resultDownloads.ts';
import { computeProgress, TypicalRuns } from './runProgress.ts';
import type { Pause, TaskOptions } from './taskOptions.ts';
import type { TaskRuntime } from './taskRuntime.ts';

/** An earlier request, for filling in a form again. */
interface RepeatableRequest {
  readonly route: NonNullable<Task['route']>;
  readonly model: string;
  /** The body as it was sent. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** The interval of checks whether another window has created the ledger, in milliseconds. */
const fileCheckMs = 5000;

/** Changes are reported at most this often, in milliseconds. */
const batchMs = 100;

/**
 * Reads the ledger. Opens it on its first use, or at the start if the file exists. Before it is open, the list of
 * tasks is empty. During the repair of a damaged ledger, the list shows the last known tasks.
 */
export class LedgerAccess {
  readonly #options: TaskOptions;
  readonly #didChange = new Emitter<string | undefined>();
  readonly #didPause = new Emitter<Pause>();
  readonly #closing = new AbortController();
  readonly #typicalRuns = new TypicalRuns((model, startedAt) =>
    this.#read(({ ledger }) => ledger.measureTypicalRun(model, startedAt)),
  );
  /** Collects changes to report them together, because a thousand tasks change several times a second. */
  readonly #changedKeys = new Set<string | undefined>();
  readonly #report = new Throttle(() => this.#reportChanges(), batchMs);
  #opening: Promise<TaskRuntime> | undefined;
  #runtime: TaskRuntime | undefined;
  #fileCheck: NodeJS.Timeout | undefined;
  #lastList: readonly Task[] = [];

  /** Fires with the key of a changed task. Without a key, any task may have changed. */
  readonly onDidChange = this.#didChange.event;
  /** Fires if a gateway refused the credential. Its tasks are not polled until the credential changes. */
  readonly onDidPause = this.#didPause.event;

  constructor(options: TaskOptions) {
    this.#options = options;
  }

  // Opening the ledger

  get isOpen(): boolean {
    return this.#runtime !== undefined;
  }

  /**
   * Opens the ledger. Does nothing if it is open.
   *
   * @throws {StorageError} or another error, when tasks cannot be stored here
   */
  async open(): Promise<void> {
    await this.openRuntime();
  }

  /**
   * Resumes unfinished tasks. If there is no ledger, it does not create one or send requests. It only checks
   * whether another window creates one.
   */
  async start(): Promise<void> {
    await this.#openIfExists();
    if (this.#closing.signal.aborted) return;
    this.#fileCheck = setInterval(() => {
      if (this.#opening) clearInterval(this.#fileCheck);
      else void this.#openIfExists().catch((error) => this.#options.log.error('task', errorMessage(error)));
    }, fileCheckMs);
  }

  /** Closes the ledger, so that another window can lead at once. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    this.#report.dispose();
    clearInterval(this.#fileCheck);
    const runtime = this.#runtime;
    this.#runtime = undefined;
    await runtime?.close();
  }

  /** The open ledger; undefined before it is open, and after the window has closed. */
  protected get runtime(): TaskRuntime | undefined {
    return this.#runtime;
  }

  /** The signal that is aborted when the window closes. */
  protected get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Opens the ledger, unless it is open. After a failure, the next call tries again.
   *
   * @throws {StorageError} or another error, if tasks cannot be stored here or the window closes
   */
  protected openRuntime(): Promise<TaskRuntime> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<TaskRuntime> {
    const { openTaskRuntime } = await import('./taskRuntime.ts');
    const runtime = await openTaskRuntime(this.#options, this.#closing.signal, {
      onPause: (pause) => this.#didPause.fire(pause),
      onChange: (key) => {
        this.#changedKeys.add(key);
        this.#report.schedule();
      },
    });
    this.#runtime = runtime;
    runtime.start();
    return runtime;
  }

  async #openIfExists(): Promise<void> {
    const exists = await stat(this.#options.file).catch(() => undefined);
    if (exists) await this.openRuntime();
  }

  #reportChanges(): void {
    const [first, ...others] = this.#changedKeys;
    this.#changedKeys.clear();
    this.#didChange.fire(others.length === 0 ? first : undefined);
  }

  // Reading

  /** All tasks, newest first. */
  get all(): readonly Task[] {
    if (this.#runtime === undefined) return [];
    this.#lastList = this.#read(({ ledger }) => ledger.list()) ?? this.#lastList;
    return this.#lastList;
  }

  /** The number of tasks that are being created or polled. */
  get runningCount(): number {
    return this.all.filter((task) => this.#isRunning(task)).length;
  }

  /** Counts the tasks of one gateway that are being created or polled. */
  countRunningAt(gateway: string): number {
    return this.all.filter((task) => task.gateway === gateway && this.#isRunning(task)).length;
  }

  get(key: string): Task | undefined {
    return this.#read(({ ledger }) => ledger.get(key));
  }

  /** The task with this id at a gateway. */
  find(gateway: string, taskId: string): Task | undefined {
    return this.#read(({ ledger }) => ledger.find(gateway, taskId));
  }

  readHistory(key: string): TaskHistory | undefined {
    return this.#read(({ ledger }) => ledger.readHistory(key));
  }

  /** Whether any window is currently sending the request of this task. */
  isInFlight({ key, status }: Task): boolean {
    if (status !== 'intent' && status !== 'submitting') return false;
    const isAlive = this.#read(({ ledger, windows }) => {
      const owner = ledger.findOwner(key);
      return owner !== undefined && windows.isAlive(owner);
    });
    return isAlive === true;
  }

  /** Returns the progress of a running task; undefined if it is unknown or the task is queued. */
  findProgress(task: Task): TaskProgress | undefined {
    return computeProgress(task, this.#typicalRuns);
  }

  /**
   * Counts the requests of all windows that may cost money.
   *
   * @throws {TypeError} if the ledger is not open
   */
  readSpending(): Spending {
    if (this.#runtime === undefined) throw new TypeError('Spending is unknown before the ledger is open.');
    return this.#runtime.ledger.readSpending();
  }

  /** Sums up the submitted requests and their cost, including tasks that were removed from the list. */
  readUsage(): readonly TaskUsage[] {
    return this.#read(({ ledger }) => ledger.readUsage()) ?? [];
  }

  /** Returns the progress of a download in this window. */
  findDownloadProgress(key: string, index: number): DownloadProgress | undefined {
    return this.#runtime?.results.findProgress(key, index);
  }

  /** Reads the request of a task, to fill in a form again; undefined if this machine did not create the task. */
  readRepeatableRequest(key: string): RepeatableRequest | undefined {
    const task = this.get(key);
    const request = this.readHistory(key)?.request as RepeatableRequest['request'] | undefined;
    return task?.route && request && { route: task.route, model: task.model ?? '', request };
  }

  /** Reads the open ledger; undefined while a damaged file is repaired. The end of the repair fires a change. */
  #read<Result>(read: (runtime: TaskRuntime) => Result): Result | undefined {
    try {
      return this.#runtime && read(this.#runtime);
    } catch (error) {
      if (error instanceof StorageError && error.kind === 'damaged') return undefined;
      throw error;
    }
  }

  #isRunning(task: Task): boolean {
    return findTaskGroup(task, this.isInFlight(task)) === 'running';
  }
}
