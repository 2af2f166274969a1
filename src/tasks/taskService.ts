import type { Event } from '../base/emitter.ts';
import type { TaskProgress } from '../base/taskProgress.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { Pause } from './backgroundWork.ts';
import type { DeleteOutcome } from './deleteOutcome.ts';
import type { Renaming } from './ledger/ledgerIds.ts';
import type { FoundTask, SearchResult } from './reconcile.ts';
import type { FetchProgress } from './results.ts';
import { runProgress } from './runProgress.ts';
import type { Spending } from './spending.ts';
import { groupOf, type Task, type TaskDraft, type TaskHistory } from './task.ts';
import { TaskLifecycle, type TaskLifecycleOptions } from './taskLifecycle.ts';
import { modelOf, promptOf } from './taskList.ts';
import type { TaskRuntime } from './taskRuntime.ts';
import { TypicalRuns } from './typicalRuns.ts';

/** A task that the user asked for with a click. */
export type TaskRequest = Omit<TaskDraft, 'key'>;

/** A request that was sent before, to fill in a form again. */
export interface RepeatableRequest {
  readonly route: NonNullable<Task['route']>;
  readonly model: string;
  /** The body as it was sent. */
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * What a user does with tasks. The ledger holds everything known about them. It opens when it is first
 * needed, or at the start if it exists; until then no task is known.
 *
 * @throws {StorageError} from every method that cannot write or read the ledger
 */
export class TaskService {
  readonly #options: TaskLifecycleOptions;
  readonly #lifecycle: TaskLifecycle;
  readonly #typicalRuns = new TypicalRuns((model, startedAt) =>
    this.#runtime?.ledger.typicalRunMs(model, startedAt),
  );

  constructor(options: TaskLifecycleOptions) {
    this.#options = options;
    this.#lifecycle = new TaskLifecycle(options);
  }

  /** Fires with the key of a task that changed. Without a key any task may have changed. */
  get onDidChange(): Event<string | undefined> {
    return this.#lifecycle.onDidChange;
  }

  /** Fires when a gateway refused the credential. Nothing is polled there until it has another. */
  get onDidPause(): Event<Pause> {
    return this.#lifecycle.onDidPause;
  }

  // Life

  /** Whether the ledger is open. */
  get isOpen(): boolean {
    return this.#runtime !== undefined;
  }

  /**
   * Opens the ledger.
   *
   * @throws {StorageError} or another error, when tasks cannot be stored here
   */
  async open(): Promise<void> {
    await this.#opened();
  }

  /**
   * Resumes unfinished tasks. Without a ledger it sends nothing and creates no file, and only checks whether
   * another window creates one.
   */
  async start(): Promise<void> {
    await this.#lifecycle.start();
  }

  /** Resumes tasks that waited for a new address or a new credential. */
  gatewaysChanged(): void {
    this.#lifecycle.gatewaysChanged();
  }

  /** Resumes tasks after a gateway answered another request, which proves the credential. */
  gatewayAnswered(gateway: string): void {
    this.#runtime?.watcher.gatewayAnswered(gateway);
  }

  /** Gives the tasks of a gateway its new name. */
  renameGateway(renaming: Renaming): void {
    this.#runtime?.ledger.renameGateway(renaming);
  }

  /** Lets another window lead at once. */
  async dispose(): Promise<void> {
    await this.#lifecycle.dispose();
  }

  // What is known

  /** All tasks, newest first. */
  get all(): readonly Task[] {
    return this.#runtime?.ledger.list() ?? [];
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
    return this.#runtime?.ledger.get(key);
  }

  /** The task with this id at a gateway. */
  find(gateway: string, taskId: string): Task | undefined {
    return this.#runtime?.ledger.find(gateway, taskId);
  }

  history(key: string): TaskHistory | undefined {
    return this.#runtime?.ledger.history(key);
  }

  /** Whether any window is sending the request of this task right now. */
  isInFlight({ key, status }: Task): boolean {
    if (this.#runtime === undefined || (status !== 'intent' && status !== 'submitting')) return false;
    const owner = this.#runtime.ledger.owner(key);
    return owner !== undefined && this.#runtime.windows.isAlive(owner);
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

  /** The folder for results. */
  get resultsFolder(): string {
    return this.#options.resultsFolder();
  }

  /** The progress of a download in this window. */
  progress(key: string, index: number): FetchProgress | undefined {
    return this.#runtime?.results.progress(key, index);
  }

  // Making tasks

  /**
   * Makes `count` tasks. All are stored before the first request is sent. A submission token that was used
   * before makes nothing.
   *
   * @throws {StorageError} when not all can be stored; then nothing is sent
   */
  async create(request: TaskRequest, submissionToken: string, count: number): Promise<readonly Task[]> {
    const { ledger } = await this.#opened();
    const tasks: Task[] = [];
    try {
      for (let nth = 1; nth <= count; nth++) {
        const task = ledger.create({ ...request, key: `${submissionToken}-${nth}` });
        if (task) tasks.push(task);
      }
    } catch (error) {
      for (const { key } of tasks) ledger.discard(key);
      throw error;
    }
    for (const { key } of tasks) void this.send(key);
    return tasks;
  }

  /** Sends the request of a stored task that was never sent. Never rejects: the ledger tells the outcome. */
  async send(key: string): Promise<void> {
    const { log, onNotice } = this.#options;
    try {
      const runtime = await this.#opened();
      const task = runtime.ledger.get(key);
      const request = runtime.ledger.history(key)?.request;
      if (!task || !request) return;
      const outcome = await runtime.send(task, request, this.#lifecycle.closing);
      log.info('task', `${task.model ?? ''}: ${outcome.kind}`);
      if (outcome.kind === 'accepted' && outcome.unwritten)
        onNotice({ type: 'unwritten', taskId: outcome.taskId });
      await this.fetchResults(key);
    } catch (error) {
      log.error('task', String(error));
      onNotice({ type: 'not-sent', error });
    }
  }

  /** Removes a task that was never sent. */
  discard(key: string): void {
    this.#runtime?.ledger.discard(key);
  }

  /** The request of a task, to fill in a form again; undefined when this machine did not make it. */
  repeatable(key: string): RepeatableRequest | undefined {
    const task = this.get(key);
    const request = this.history(key)?.request as RepeatableRequest['request'] | undefined;
    return task?.route && request && { route: task.route, model: task.model ?? '', request };
  }

  /**
   * Searches for the task that a request of unknown outcome may have made. Sends nothing again.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  async search(task: Task): Promise<SearchResult> {
    return (await this.#opened()).search(task);
  }

  /** Identifies a task of unknown outcome with one that was found. */
  identify(key: string, found: FoundTask): void {
    this.#runtime?.identify(key, found);
  }

  /**
   * Stores a task that was made elsewhere, and treats it like one of our own from then on.
   *
   * @throws {GatewayError} when the task cannot be read
   */
  async adopt(origin: Pick<Task, 'gateway' | 'gatewayName'>, taskId: string): Promise<Task> {
    const { ledger } = await this.#opened();
    const client = await this.#options.gateways.reach(origin.gateway, origin.gatewayName);
    const snapshot = await client.readTask(taskId);
    const model = modelOf(snapshot);
    return ledger.adopt({
      ...origin,
      snapshot: { ...snapshot, id: taskId },
      ...(model !== undefined && { model }),
      prompt: promptOf(snapshot),
    });
  }

  // Polling them

  /**
   * Polls a task at once, whatever its schedule.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  async poll(key: string): Promise<void> {
    await (await this.#opened()).watcher.pollNow(key);
  }

  /** Polls all running tasks. Failures are stored and not thrown. */
  async pollAll(): Promise<void> {
    const { ledger } = await this.#opened();
    const running = ledger.unfinished().filter(({ status }) => status === 'running');
    await Promise.all(running.map(({ key }) => this.poll(key).catch(() => undefined)));
  }

  stopWatching(key: string): void {
    this.#runtime?.ledger.watch(key, 'stopped');
  }

  resumeWatching(key: string): void {
    this.#runtime?.ledger.watch(key, 'on');
  }

  /** @returns true exactly once among all windows: for the one that informs the user */
  claimNotice(key: string, what: string): boolean {
    return this.#runtime?.ledger.claimNotice(key, what) === true;
  }

  // Their results

  /** Downloads the results of a task that are not saved yet. Downloads of another window continue there. */
  async fetchResults(key: string, signal?: AbortSignal): Promise<void> {
    const signals = [this.#lifecycle.closing, ...(signal ? [signal] : [])];
    await this.#runtime?.results.fetchAll(key, AbortSignal.any(signals));
  }

  /** Stops the download of a result in this window, which then counts as failed. */
  stopFetching(key: string, index: number): void {
    this.#runtime?.results.stop(key, index);
  }

  // Ending them

  /**
   * Cancels a task at its gateway.
   *
   * @returns the record, if the answer holds one
   * @throws {GatewayError}
   */
  async cancel(task: Task): Promise<TaskSnapshot | undefined> {
    return (await this.#opened()).cancel(task);
  }

  /**
   * Deletes a task at its gateway. It stays in the list here.
   *
   * @throws {GatewayError}
   */
  async deleteAtGateway(task: Task): Promise<DeleteOutcome> {
    return (await this.#opened()).delete(task);
  }

  /** Removes a task from the list here. It stays at the gateway, and saved files stay. */
  remove(key: string): void {
    this.#runtime?.ledger.remove(key);
  }
  get #runtime(): TaskRuntime | undefined {
    return this.#lifecycle.runtime;
  }

  #opened(): Promise<TaskRuntime> {
    return this.#lifecycle.opened();
  }

  #isRunning(task: Task): boolean {
    return groupOf(task, this.isInFlight(task)) === 'running';
  }
}
