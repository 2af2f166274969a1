import type { Event } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { Pause } from './backgroundWork.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Renaming } from './ledger/ledgerIds.ts';
import type { FoundTask, SearchResult } from './polling/reconcile.ts';
import type { DeleteOutcome, Task } from './record/task.ts';
import { TaskLifecycle, type TaskLifecycleOptions } from './taskLifecycle.ts';
import { TaskQueries } from './taskQueries.ts';
import type { TaskRequest, TaskRuntime } from './taskRuntime.ts';

/**
 * What a user does with tasks. The ledger holds everything known about them. It opens when it is first
 * needed, or at the start if it exists; until then no task is known.
 *
 * @throws {StorageError} from every method that cannot write or read the ledger
 */
export class TaskService extends TaskQueries {
  readonly #options: TaskLifecycleOptions;
  readonly #lifecycle: TaskLifecycle;

  constructor(options: TaskLifecycleOptions) {
    const lifecycle = new TaskLifecycle(options);
    super(lifecycle);
    this.#options = options;
    this.#lifecycle = lifecycle;
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

  /** Resumes the tasks of an account after its gateway answered another request, which proves the credential. */
  gatewayAnswered({ gateway, gatewayName }: Pick<Task, 'gateway' | 'gatewayName'>): void {
    const { gateways } = this.#options;
    const isMeant = (name: string) => gateways.configured(gateway, name)?.name === gatewayName;
    this.#runtime?.watcher.gatewayAnswered(gateway, isMeant);
  }

  /** Gives the tasks of a gateway its new name. */
  async renameGateway(renaming: Renaming): Promise<void> {
    await this.#change((ledger) => ledger.renameGateway(renaming));
  }

  /** Lets another window lead at once. */
  async dispose(): Promise<void> {
    await this.#lifecycle.dispose();
  }

  // Making tasks

  /**
   * Makes `count` tasks. All are stored before the first request is sent. A submission token that was used
   * before makes nothing.
   *
   * @throws {StorageError} when not all can be stored; then nothing is sent
   */
  async create(request: TaskRequest, submissionToken: string, count: number): Promise<readonly Task[]> {
    const tasks = await (await this.#opened()).create(request, submissionToken, count);
    for (const { key } of tasks) void this.send(key);
    return tasks;
  }

  /** Sends the request of a stored task that was never sent. Never rejects: the ledger tells the outcome. */
  async send(key: string): Promise<void> {
    const { log, onNotice } = this.#options;
    try {
      const runtime = await this.#opened();
      const { ledger } = runtime;
      const task = await ledger.change(() => ledger.get(key));
      const request = await ledger.change(() => ledger.history(key)?.request);
      if (!task || !request) return;
      const outcome = await runtime.send(task, request, this.#lifecycle.closing);
      log.info('task', `${task.model ?? ''}: ${outcome.kind}`);
      if (outcome.kind === 'accepted' && outcome.unwritten)
        onNotice({ type: 'unwritten', taskId: outcome.taskId });
      await this.fetchResults(key);
    } catch (error) {
      log.error('task', errorMessage(error));
      onNotice({ type: 'not-sent', error });
    }
  }

  /** Removes a task that was never sent. */
  async discard(key: string): Promise<void> {
    await this.#change((ledger) => ledger.discard(key));
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
  async identify(key: string, found: FoundTask): Promise<void> {
    await this.#runtime?.identify(key, found);
  }

  /**
   * Stores a task that was made elsewhere, and treats it like one of our own from then on.
   *
   * @throws {GatewayError} when the task cannot be read
   */
  async adopt(origin: Pick<Task, 'gateway' | 'gatewayName'>, taskId: string): Promise<Task> {
    return (await this.#opened()).adopt(origin, taskId);
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
    await (await this.#opened()).pollAll();
  }

  async stopWatching(key: string): Promise<void> {
    await this.#change((ledger) => ledger.watch(key, 'stopped'));
  }

  async resumeWatching(key: string): Promise<void> {
    await this.#change((ledger) => ledger.watch(key, 'on'));
  }

  /** @returns true exactly once among all windows: for the one that informs the user */
  async claimNotice(key: string, what: string): Promise<boolean> {
    return (await this.#change((ledger) => ledger.claimNotice(key, what))) === true;
  }

  // Their results

  /** The folder for results. */
  get resultsFolder(): string {
    return this.#options.resultsFolder();
  }

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
  async remove(key: string): Promise<void> {
    await this.#change((ledger) => ledger.remove(key));
  }

  async #change<Result>(change: (ledger: Ledger) => Result): Promise<Result | undefined> {
    const ledger = this.#runtime?.ledger;
    return ledger?.change(() => change(ledger));
  }

  get #runtime(): TaskRuntime | undefined {
    return this.#lifecycle.runtime;
  }

  #opened(): Promise<TaskRuntime> {
    return this.#lifecycle.opened();
  }
}
