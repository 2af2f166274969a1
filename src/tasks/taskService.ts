import { randomUUID } from 'node:crypto';
import { errorMessage } from '../base/errors.ts';
import type { GatewayClient } from '../client/gatewayClient.ts';
import { checkDeleted, isMissingTaskError } from '../client/missingTask.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { GatewayRename } from './ledger/ledgerIds.ts';
import { LedgerAccess } from './ledgerAccess.ts';
import { searchTask, type TaskSearchResult } from './polling/searchTask.ts';
import type { DeleteOutcome, RemoteTask, Task, TaskDraft } from './record/task.ts';
import { toProblem } from './record/taskProblem.ts';
import { type SubmitOutcome, submitTask } from './submitTask.ts';
import { readRecordModel, readRecordPrompt } from './taskGroups.ts';
import type { TaskOptions } from './taskOptions.ts';

/** A new task, without its key. */
export type TaskRequest = Omit<TaskDraft, 'key'>;

/** The id of a gateway, and the name that the user gave it. */
type TaskGateway = Pick<Task, 'gateway' | 'gatewayName'>;

/**
 * The user's actions on tasks. The ledger stores all data of tasks. Methods throw a `StorageError` if they cannot read
 * or write the ledger.
 */
export class TaskService extends LedgerAccess {
  readonly #options: TaskOptions;

  constructor(options: TaskOptions) {
    super(options);
    this.#options = options;
  }

  // Gateways

  /** Resumes tasks that wait for a new address or credential. */
  resumeGateways(): void {
    this.#options.gateways.discardClients();
    this.runtime?.resumeGateways();
  }

  /** Resumes the tasks of a gateway after the success of another request, which proves that the credential is valid. */
  resumeAccount({ gateway, gatewayName }: TaskGateway): void {
    const { gateways } = this.#options;
    const isThisGateway = (name: string) => gateways.findConfigured(gateway, name)?.name === gatewayName;
    this.runtime?.watcher.resumeAccount(gateway, isThisGateway);
  }

  /** Stores the new name of a gateway in its tasks. */
  async renameGateway(renaming: GatewayRename): Promise<void> {
    await this.#change((ledger) => ledger.renameGateway(renaming));
  }

  // Creating tasks

  /**
   * Creates `count` tasks. All are stored before the first request is sent. If the submission token was used
   * before, no tasks are created.
   *
   * @throws {StorageError} if a task cannot be stored; then no request is sent
   */
  async create(request: TaskRequest, submissionToken: string, count: number): Promise<readonly Task[]> {
    const { ledger } = await this.openRuntime();
    const tasks: Task[] = [];
    try {
      for (let nth = 1; nth <= count; nth++) {
        await ledger.change(() => {
          const task = ledger.create({ ...request, key: `${submissionToken}-${nth}` });
          if (task) tasks.push(task);
        });
      }
    } catch (error) {
      for (const { key } of tasks) await ledger.change(() => ledger.discard(key));
      throw error;
    }
    for (const { key } of tasks) void this.send(key);
    return tasks;
  }

  /**
   * Sends the request of a stored task that was never sent. Never rejects: failures are logged, and reported as a
   * notice.
   */
  async send(key: string): Promise<void> {
    const { log, onNotice } = this.#options;
    let outcome: SubmitOutcome;
    try {
      const { ledger } = await this.openRuntime();
      const task = await ledger.change(() => ledger.get(key));
      const request = await ledger.change(() => ledger.readHistory(key)?.request);
      if (!task || !request) return;
      outcome = await this.#submitTask(ledger, task, request);
      log.info('task', `${task.model ?? ''}: ${outcome.kind}`);
    } catch (error) {
      log.error('task', errorMessage(error));
      onNotice({ type: 'not-sent', error });
      return;
    }
    if (outcome.kind === 'accepted' && outcome.savedLater)
      onNotice({ type: 'id-unsaved', taskId: outcome.taskId });
    // If the reply does not contain the results, a later poll starts the download.
    await this.downloadResults(key).catch((error) => log.error('task', errorMessage(error)));
  }

  /** Sends a request once. If its gateway is no longer configured, the task counts as refused. */
  async #submitTask(ledger: Ledger, task: Task, request: object): Promise<SubmitOutcome> {
    let client: GatewayClient;
    try {
      client = await this.#getClient(task);
    } catch (error) {
      return ledger.change(() => {
        if (!ledger.claimSubmission(task.key, randomUUID())) return { kind: 'taken' };
        ledger.markRefused(task.key, toProblem(error));
        return { kind: 'ended' };
      });
    }
    return submitTask(task, request, { ledger, client, windowEnd: this.closing });
  }

  /** Removes a task that was never sent. */
  async discard(key: string): Promise<void> {
    await this.#change((ledger) => ledger.discard(key));
  }

  /**
   * Searches for the task of a request whose outcome is unknown. Does not repeat the request.
   *
   * @throws {GatewayError} if a request to the gateway failed
   */
  async search(task: Task): Promise<TaskSearchResult> {
    const { ledger } = await this.openRuntime();
    return searchTask(task, { ledger, client: await this.#getClient(task) });
  }

  /** Links a task of unknown outcome to a found task of the gateway. */
  async linkFoundTask(key: string, found: RemoteTask): Promise<void> {
    await this.#change((ledger) => {
      ledger.accept(key, found.id);
      ledger.recordSnapshot(key, found);
    });
  }

  /**
   * Stores a task that was created elsewhere. From then on it is treated like a local task.
   *
   * @throws {GatewayError} if the task cannot be read
   */
  async adopt(origin: TaskGateway, taskId: string): Promise<Task> {
    const { ledger } = await this.openRuntime();
    const client = await this.#getClient(origin);
    const snapshot = await client.readTask(taskId);
    const model = readRecordModel(snapshot);
    return ledger.change(() =>
      ledger.adopt({
        ...origin,
        snapshot: { ...snapshot, id: taskId },
        ...(model !== undefined && { model }),
        prompt: readRecordPrompt(snapshot),
      }),
    );
  }

  // Polling

  /**
   * Polls a task at once, regardless of its schedule.
   *
   * @throws {GatewayError} if a request to the gateway failed
   */
  async poll(key: string): Promise<void> {
    await (await this.openRuntime()).watcher.pollNow(key);
  }

  /** Polls all running tasks. Failures are stored, not thrown. */
  async pollAll(): Promise<void> {
    const { ledger, watcher } = await this.openRuntime();
    const unfinished = await ledger.change(() => ledger.listUnfinished());
    const running = unfinished.filter(({ status }) => status === 'running');
    await Promise.all(running.map(({ key }) => watcher.pollNow(key).catch(() => undefined)));
  }

  async stopWatching(key: string): Promise<void> {
    await this.#change((ledger) => ledger.setWatching(key, 'stopped'));
  }

  async resumeWatching(key: string): Promise<void> {
    await this.#change((ledger) => ledger.setWatching(key, 'on'));
  }

  /** @returns true exactly once among all windows: for the window that informs the user */
  async claimNotice(key: string, notice: string): Promise<boolean> {
    return (await this.#change((ledger) => ledger.claimNotice(key, notice))) === true;
  }

  // Results

  /** The folder for results. */
  get resultsFolder(): string {
    return this.#options.resultsFolder();
  }

  /** Downloads the results of a task that are not saved yet. Downloads in another window continue there. */
  async downloadResults(key: string, signal?: AbortSignal): Promise<void> {
    const signals = [this.closing, ...(signal ? [signal] : [])];
    await this.runtime?.results.downloadAll(key, AbortSignal.any(signals));
  }

  /** Stops the download of a result in this window. The download then counts as failed. */
  stopDownload(key: string, index: number): void {
    this.runtime?.results.stop(key, index);
  }

  // Ending tasks

  /**
   * Cancels a task at its gateway. Then polls it, even if the gateway refused.
   *
   * @returns the record, if the reply contains one
   * @throws {GatewayError}
   */
  async cancel(task: Task): Promise<TaskSnapshot | undefined> {
    const { key, taskId = '' } = task;
    const { ledger, watcher } = await this.openRuntime();
    const client = await this.#getClient(task);
    try {
      const snapshot = await client.cancelTask(taskId);
      if (snapshot) await ledger.change(() => ledger.recordSnapshot(key, snapshot));
      return snapshot;
    } finally {
      await watcher.pollNow(key).catch(() => undefined);
    }
  }

  /**
   * Deletes a task at its gateway, then reads it to check the deletion. The task remains in the local list.
   *
   * @throws {GatewayError}
   */
  async deleteAtGateway(task: Task): Promise<DeleteOutcome> {
    const { key, taskId = '' } = task;
    const { ledger, watcher } = await this.openRuntime();
    const client = await this.#getClient(task);
    let snapshot: TaskSnapshot | undefined;
    let outcome: 'deleted' | 'not-deleted' | 'unclear';
    try {
      snapshot = await client.deleteTask(taskId);
      outcome = await checkDeleted(client, taskId);
    } catch (error) {
      // Another program may have deleted it already.
      if (!isMissingTaskError(error) || (await checkDeleted(client, taskId)) !== 'deleted') {
        await watcher.pollNow(key).catch(() => undefined);
        throw error;
      }
      outcome = 'deleted';
    }
    if (outcome === 'deleted') {
      await ledger.change(() => ledger.markDeleted(key));
      return outcome;
    }
    const record = snapshot;
    if (record) await ledger.change(() => ledger.recordSnapshot(key, record));
    await watcher.pollNow(key).catch(() => undefined);
    return record ?? outcome;
  }

  /** Removes a task from the local list. The task at the gateway and saved files are not deleted. */
  async remove(key: string): Promise<void> {
    await this.#change((ledger) => ledger.remove(key));
  }

  /** Does nothing if the ledger is not open. */
  async #change<Result>(change: (ledger: Ledger) => Result): Promise<Result | undefined> {
    const ledger = this.runtime?.ledger;
    return ledger?.change(() => change(ledger));
  }

  #getClient({ gateway, gatewayName }: TaskGateway): Promise<GatewayClient> {
    return this.#options.gateways.getClient(gateway, gatewayName);
  }
}
