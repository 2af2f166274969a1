import { stat } from 'node:fs/promises';
import { isObject } from '../base/json.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';
import { BackgroundWork, type Pause } from './backgroundWork.ts';
import { ChangeBatch } from './changeBatch.ts';
import type { Deletion } from './deletion.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { Findings, FoundTask } from './reconcile.ts';
import type { FetchProgress } from './results.ts';
import type { Spending } from './spending.ts';
import { groupOf, type Task, type TaskDraft, type TaskHistory } from './task.ts';
import type { TaskLog } from './taskLog.ts';
import type { TaskRuntime, TaskRuntimeOptions } from './taskRuntime.ts';
import { TypicalRuns } from './typicalRuns.ts';

export interface TaskServiceOptions extends TaskRuntimeOptions {
  readonly log: TaskLog;
  /** Told what the user must know of the ledger itself. */
  readonly onNotice: (notice: LedgerNotice) => void;
}

/** What is to be made, by the user's own click. */
export type TaskRequest = Omit<TaskDraft, 'key'>;

/** A request that was sent before, to be filled in again. */
export interface RepeatableRequest {
  readonly route: NonNullable<Task['route']>;
  readonly model: string;
  /** The body as it was sent. */
  readonly request: Readonly<Record<string, unknown>>;
}

interface Subscription {
  dispose(): void;
}

/** Another window's first task is noticed within this time. */
const fileCheckMs = 5000;

/**
 * What a user does with tasks. Everything that is known of them is in the ledger, which is opened when it is first
 * needed, or at the start where there is one. Before it is open, no task is known. What cannot be written down or
 * read throws a `StorageError`.
 */
export class TaskService {
  readonly #options: TaskServiceOptions;
  readonly #changeListeners = new Set<(key: string | undefined) => void>();
  readonly #pauseListeners = new Set<(pause: Pause) => void>();
  readonly #changes: ChangeBatch;
  readonly #typicalRuns = new TypicalRuns((model) => this.#runtime?.ledger.typicalRunMs(model));
  readonly #closing = new AbortController();
  #opening: Promise<TaskRuntime> | undefined;
  #runtime: TaskRuntime | undefined;
  #work: BackgroundWork | undefined;
  #fileCheck: NodeJS.Timeout | undefined;

  /** Calls with the key of a task that changed, or with nothing when any may have. */
  readonly onDidChange = (listener: (key: string | undefined) => void): Subscription => {
    this.#changeListeners.add(listener);
    return { dispose: () => void this.#changeListeners.delete(listener) };
  };

  /** Calls when a gateway refused the credential: nothing there is watched until there is another. */
  readonly onDidPause = (listener: (pause: Pause) => void): Subscription => {
    this.#pauseListeners.add(listener);
    return { dispose: () => void this.#pauseListeners.delete(listener) };
  };

  constructor(options: TaskServiceOptions) {
    this.#options = options;
    this.#changes = new ChangeBatch((key) => {
      for (const listener of this.#changeListeners) listener(key);
    });
  }

  // Life

  /** Whether anything is known of tasks yet. */
  get isOpen(): boolean {
    return this.#runtime !== undefined;
  }

  /** Opens the ledger. Rejects with a `StorageError`, or plainly, when tasks cannot be kept here. */
  async open(): Promise<void> {
    await this.#opened();
  }

  /**
   * Goes on with what was left unfinished. Where no task was ever made it sends nothing and makes no file; it only
   * checks whether another window has made one meanwhile.
   */
  async start(): Promise<void> {
    await this.#openIfThere();
    this.#fileCheck = setInterval(() => {
      if (this.#opening) clearInterval(this.#fileCheck);
      else void this.#openIfThere().catch((error) => this.#options.log.error('task', String(error)));
    }, fileCheckMs);
  }

  /** Addresses or credentials changed: what waited for that goes on. */
  gatewaysChanged(): void {
    this.#options.gateways.forgetAll();
    this.#work?.gatewaysChanged();
  }

  /** A gateway answered some other request as it should: it does not refuse the credential. */
  gatewayAnswered(gateway: string): void {
    this.#runtime?.watcher.gatewayAnswered(gateway);
  }

  /** Lets another window go on at once. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    this.#changes.dispose();
    clearInterval(this.#fileCheck);
    this.#work?.dispose();
    const runtime = this.#runtime;
    this.#runtime = undefined;
    await runtime?.close();
  }

  // What is known

  /** All tasks, the newest first. */
  get all(): readonly Task[] {
    return this.#runtime?.ledger.list() ?? [];
  }

  /** How many tasks are being made or watched. */
  get running(): number {
    return this.all.filter((task) => groupOf(task, this.isInFlight(task)) === 'running').length;
  }

  get(key: string): Task | undefined {
    return this.#runtime?.ledger.get(key);
  }

  /** The task that a gateway knows by this id. */
  find(gateway: string, taskId: string): Task | undefined {
    return this.#runtime?.ledger.find(gateway, taskId);
  }

  history(key: string): TaskHistory | undefined {
    return this.#runtime?.ledger.history(key);
  }

  /** Whether some window is sending the request of this task right now. */
  isInFlight({ key, stage }: Task): boolean {
    if (this.#runtime === undefined || (stage !== 'intent' && stage !== 'submitting')) return false;
    const owner = this.#runtime.ledger.owner(key);
    return owner !== undefined && this.#runtime.windows.isAlive(owner);
  }

  /** How long tasks like this one usually run, in milliseconds, by the user's own earlier ones. */
  typicalRunMs(task: Task): number | undefined {
    return this.#typicalRuns.of(task);
  }

  /** The requests of all windows that may be billed. The ledger must be open. */
  spending(): Spending {
    if (this.#runtime === undefined)
      throw new TypeError('What was spent is not known before the ledger is open.');
    return this.#runtime.ledger.spending();
  }

  /** Where results are kept. */
  get resultsFolder(): string {
    return this.#options.resultsFolder();
  }

  /** How far a result is that this window is fetching. */
  progress(key: string, index: number): FetchProgress | undefined {
    return this.#runtime?.results.progress(key, index);
  }

  // Making tasks

  /**
   * Makes something, `count` times. All are kept before the first request leaves, or none is and nothing is sent:
   * then it rejects. The same submission token makes nothing a second time.
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

  /** Sends the request of a task that was kept and never sent. Never rejects: the ledger tells how it went. */
  async send(key: string): Promise<void> {
    const { log, onNotice } = this.#options;
    try {
      const runtime = await this.#opened();
      const task = runtime.ledger.get(key);
      const request = runtime.ledger.history(key)?.request;
      if (!task || !request) return;
      const outcome = await runtime.send(task, request, this.#closing.signal);
      log.info('task', `${task.model ?? ''}: ${outcome.kind}`);
      if (outcome.kind === 'accepted' && outcome.unwritten)
        onNotice({ type: 'unwritten', taskId: outcome.taskId });
      await this.fetchResults(key);
    } catch (error) {
      log.error('task', String(error));
      onNotice({ type: 'not-sent', error });
    }
  }

  /** Forgets a request that was never sent. */
  discard(key: string): void {
    this.#runtime?.ledger.discard(key);
  }

  /** What it takes to fill in the request of a task again; undefined where none of ours made it. */
  repeatable(key: string): RepeatableRequest | undefined {
    const task = this.get(key);
    const request = this.history(key)?.request as RepeatableRequest['request'] | undefined;
    return task?.route && request && { route: task.route, model: task.model ?? '', request };
  }

  /** Looks for the task that a request of unknown outcome may have made. Sends nothing again. @throws {GatewayError} */
  async search(task: Task): Promise<Findings> {
    return (await this.#opened()).search(task);
  }

  /** Gives a task of unknown outcome the one that was found. */
  identify(key: string, found: FoundTask): void {
    this.#runtime?.identify(key, found);
  }

  /** Keeps a task that was made elsewhere, from now on like one of our own. */
  async adopt(origin: Pick<Task, 'gateway' | 'gatewayName'>, taskId: string): Promise<Task> {
    const { ledger } = await this.#opened();
    const client = await this.#options.gateways.reach(origin.gateway, origin.gatewayName);
    const snapshot = await client.readTask(taskId);
    const { model, prompt } = isObject(snapshot.raw) ? snapshot.raw : {};
    return ledger.adopt({
      ...origin,
      snapshot: { ...snapshot, id: taskId },
      ...(typeof model === 'string' && { model }),
      ...(typeof prompt === 'string' && { prompt }),
    });
  }

  // Watching them

  /** Asks the gateway how a task is doing, whether it is watched or not. @throws {GatewayError} */
  async poll(key: string): Promise<void> {
    await (await this.#opened()).watcher.watchNow(key);
  }

  /** Asks how all running tasks are doing; a gateway that cannot be asked is left for another time. */
  async pollAll(): Promise<void> {
    const { ledger } = await this.#opened();
    const running = ledger.unfinished().filter(({ stage }) => stage === 'running');
    await Promise.all(running.map(({ key }) => this.poll(key).catch(() => undefined)));
  }

  stopWatching(key: string): void {
    this.#runtime?.ledger.watch(key, 'stopped');
  }

  resumeWatching(key: string): void {
    this.#runtime?.ledger.watch(key, 'on');
  }

  /** True exactly once among all windows: for the one that tells the user of it. */
  claimNotice(key: string, what: string): boolean {
    return this.#runtime?.ledger.claimNotice(key, what) === true;
  }

  // Their results

  /** Fetches what a task made and is not saved yet; another window's downloads are left to it. */
  async fetchResults(key: string, signal?: AbortSignal): Promise<void> {
    const signals = [this.#closing.signal, ...(signal ? [signal] : [])];
    await this.#runtime?.results.fetchAll(key, AbortSignal.any(signals));
  }

  /** Ends the fetching of a result in this window; it counts as failed then. */
  stopFetching(key: string, index: number): void {
    this.#runtime?.results.stop(key, index);
  }

  // Ending them

  /** Cancels a task at its gateway. @returns the record the gateway answered with @throws {GatewayError} */
  async cancel(task: Task): Promise<TaskSnapshot | undefined> {
    return (await this.#opened()).cancel(task);
  }

  /** Deletes a task at its gateway; it stays in the list here. @throws {GatewayError} */
  async deleteAtGateway(task: Task): Promise<Deletion> {
    return (await this.#opened()).delete(task);
  }

  /** Forgets a task here. The gateway is not told, and files stay. */
  remove(key: string): void {
    this.#runtime?.ledger.remove(key);
  }

  #opened(): Promise<TaskRuntime> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<TaskRuntime> {
    const { TaskRuntime } = await import('./taskRuntime.ts');
    const runtime = new TaskRuntime(this.#options);
    this.#runtime = runtime;
    this.#work = new BackgroundWork(runtime, this.#closing.signal, {
      ...this.#options,
      onChange: (key) => this.#changes.add(key),
      onPause: (pause) => this.#tellPause(pause),
    });
    this.#work.start();
    return runtime;
  }

  async #openIfThere(): Promise<void> {
    const there = await stat(this.#options.file).catch(() => undefined);
    if (there) await this.open();
  }

  #tellPause(pause: Pause): void {
    for (const listener of this.#pauseListeners) listener(pause);
  }
}
