import { randomUUID } from 'node:crypto';
import type { GatewayClient } from '../client/gatewayClient.ts';
import { checkDeleted, saysMissing } from '../client/missingTask.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseUpkeep, type DatabaseUpkeepOptions } from '../storage/upkeep/databaseUpkeep.ts';
import { LongLog } from '../storage/upkeep/longLog.ts';
import { WindowRegistry } from '../storage/windowRegistry.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { GatewayAccess } from './gatewayAccess.ts';
import { Ledger, type LedgerOptions } from './ledger/ledger.ts';
import { ledgerMigrations, openLedgerDatabase } from './ledger/ledgerSchema.ts';
import type { PollOptions } from './polling/pollOptions.ts';
import { type FoundTask, reconcile, type SearchResult } from './polling/reconcile.ts';
import { problemOf } from './record/problem.ts';
import type { DeleteOutcome, Task, TaskDraft } from './record/task.ts';
import type { ResultClient } from './results/resultFetch.ts';
import { Results } from './results/results.ts';
import { type SubmitOutcome, submit } from './submit.ts';
import { modelOf, promptOf } from './taskList.ts';
import { Watcher } from './watcher.ts';
import type { LedgerWorker } from './worker/ledgerWorker.ts';

// This module is loaded when tasks are first needed, because it loads the database and the HTTP library.

export interface TaskRuntimeOptions {
  /** Path of the ledger. */
  readonly file: string;
  readonly resultsFolder: () => string;
  readonly pollOptions: () => PollOptions;
  readonly gateways: GatewayAccess;
  /** Does with the ledger's file what would keep this thread waiting. Without it this thread waits. */
  readonly worker?: Pick<LedgerWorker, 'ask'>;
}

/** What the runtime tells beside its results. */
export interface RuntimeReports {
  /** Called with what the worker could not do. */
  readonly onError: (error: unknown) => void;
}

/** More would take longer to check than a window may stand still; the worker checks them. */
const maxPagesChecked = 500;

/**
 * Opens the ledger. What would take time the worker does first.
 *
 * @param closing aborted when the window closes: then nothing is opened
 * @throws {StorageError} when the ledger cannot be opened
 */
export async function openTaskRuntime(
  options: TaskRuntimeOptions,
  closing: AbortSignal,
  told: RuntimeReports & Pick<DatabaseUpkeepOptions, 'onNotice'>,
): Promise<TaskRuntime> {
  const version = ledgerMigrations.length;
  const upkeep = new DatabaseUpkeep({ ...options, ...told, version });
  closing.addEventListener('abort', () => upkeep.close());
  return upkeep.open((neverWaits) => {
    closing.throwIfAborted();
    return new TaskRuntime({ ...options, ...told }, neverWaits, () => upkeep.repairing);
  });
}

/** A task that the user asked for with a click. */
export type TaskRequest = Omit<TaskDraft, 'key'>;

/** The open ledger with its poller, and the requests about tasks to their gateways. */
export class TaskRuntime {
  readonly database: Database;
  /** The log of the file, where a worker empties it. */
  readonly longLog: LongLog | undefined;
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  readonly watcher: Watcher;
  readonly results: Results;
  readonly #gateways: GatewayAccess;

  /**
   * @param neverWaits as in `DatabaseOptions`
   * @param repairing as in `LedgerOptions`
   * @throws {StorageError} when the ledger cannot be opened
   */
  constructor(
    { file, resultsFolder, pollOptions, gateways, worker, onError }: TaskRuntimeOptions & RuntimeReports,
    neverWaits: boolean,
    repairing: LedgerOptions['repairing'],
  ) {
    const window = randomUUID();
    this.#gateways = gateways;
    this.database = openLedgerDatabase({ path: file, ...(neverWaits && { neverWaits, maxPagesChecked }) });
    this.longLog =
      neverWaits && worker
        ? new LongLog(this.database, { emptyLog: () => worker.ask('emptyLog', undefined), onError })
        : undefined;
    this.ledger = new Ledger(this.database, { window, ...(repairing && { repairing }) });
    this.windows = new WindowRegistry(this.database, { window });
    const { ledger, windows } = this;
    this.watcher = new Watcher({
      ...{ ledger, windows },
      reach: (gateway, gatewayName) => gateways.reach(gateway, gatewayName),
      pollOptions,
    });
    this.results = new Results({
      ...{ ledger, windows },
      folder: resultsFolder,
      client: (task) => this.#resultClient(task),
    });
  }

  /**
   * Stores `count` tasks, all or none. A submission token that was used before makes none.
   *
   * @throws {StorageError} when not all can be stored
   */
  async create(request: TaskRequest, submissionToken: string, count: number): Promise<readonly Task[]> {
    const tasks: Task[] = [];
    try {
      for (let nth = 1; nth <= count; nth++) {
        await this.ledger.change(() => {
          const task = this.ledger.create({ ...request, key: `${submissionToken}-${nth}` });
          if (task) tasks.push(task);
        });
      }
    } catch (error) {
      for (const { key } of tasks) await this.ledger.change(() => this.ledger.discard(key));
      throw error;
    }
    return tasks;
  }

  /**
   * Stores a task that was made elsewhere.
   *
   * @throws {GatewayError} when the task cannot be read
   */
  async adopt(origin: Pick<Task, 'gateway' | 'gatewayName'>, taskId: string): Promise<Task> {
    const client = await this.#reach(origin);
    const snapshot = await client.readTask(taskId);
    const model = modelOf(snapshot);
    return this.ledger.change(() =>
      this.ledger.adopt({
        ...origin,
        snapshot: { ...snapshot, id: taskId },
        ...(model !== undefined && { model }),
        prompt: promptOf(snapshot),
      }),
    );
  }

  /** Polls all running tasks. Failures are stored and not thrown. */
  async pollAll(): Promise<void> {
    const unfinished = await this.ledger.change(() => this.ledger.unfinished());
    const running = unfinished.filter(({ status }) => status === 'running');
    await Promise.all(running.map(({ key }) => this.watcher.pollNow(key).catch(() => undefined)));
  }

  /**
   * Sends the request of a task, once. When its gateway could not be asked, the task counts as refused.
   *
   * @param closing ends attempts to repeat a failed write
   * @throws {StorageError} when the ledger cannot store the claim; then nothing was sent
   */
  async send(task: Task, request: object, closing: AbortSignal): Promise<SubmitOutcome> {
    let client: GatewayClient;
    try {
      client = await this.#reach(task);
    } catch (error) {
      return this.#refuseUnsent(task, error);
    }
    return submit(task, request, { ledger: this.ledger, client, windowEnd: closing });
  }

  /**
   * Cancels a task at its gateway, and reads it again whatever the gateway answers.
   *
   * @returns the record, if the answer holds one
   * @throws {GatewayError}
   */
  async cancel(task: Task): Promise<TaskSnapshot | undefined> {
    const client = await this.#reach(task);
    return this.#thenPoll(task, () => client.cancelTask(task.taskId ?? ''));
  }

  /**
   * Deletes a task at its gateway, and reads it there to learn whether it is gone. The task stays in the ledger.
   *
   * @throws {GatewayError}
   */
  async delete(task: Task): Promise<DeleteOutcome> {
    const { key, taskId = '' } = task;
    const client = await this.#reach(task);
    let answer: TaskSnapshot | undefined;
    let outcome: 'deleted' | 'kept' | 'unclear';
    try {
      answer = await client.deleteTask(taskId);
      outcome = await checkDeleted(client, taskId);
    } catch (error) {
      // Somebody else may have deleted it before.
      if (!saysMissing(error) || (await checkDeleted(client, taskId)) !== 'deleted') {
        await this.watcher.pollNow(key).catch(() => undefined);
        throw error;
      }
      outcome = 'deleted';
    }
    if (outcome === 'deleted') {
      await this.ledger.change(() => this.ledger.markDeleted(key));
      return outcome;
    }
    const record = answer;
    if (record) await this.ledger.change(() => this.ledger.recordSnapshot(key, record));
    await this.watcher.pollNow(key).catch(() => undefined);
    return record ?? outcome;
  }

  /**
   * Searches for the task that a request of unknown outcome may have made.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  async search(task: Task): Promise<SearchResult> {
    return reconcile(task, { ledger: this.ledger, client: await this.#reach(task) });
  }

  /** Identifies a task of unknown outcome with one that was found. */
  identify(key: string, found: FoundTask): Promise<void> {
    return this.ledger.change(() => {
      this.ledger.accept(key, found.id);
      this.ledger.recordSnapshot(key, found);
    });
  }

  /** Stops polling and lets another window lead. Resolves within a second or so. */
  async close(): Promise<void> {
    await this.watcher.stop();
    this.ledger.close();
  }

  #reach({ gateway, gatewayName }: Pick<Task, 'gateway' | 'gatewayName'>): Promise<GatewayClient> {
    return this.#gateways.reach(gateway, gatewayName);
  }

  /** Whatever the gateway answers, only reading the task tells what became of it. */
  async #thenPoll(
    { key }: Task,
    ask: () => Promise<TaskSnapshot | undefined>,
  ): Promise<TaskSnapshot | undefined> {
    try {
      const answer = await ask();
      if (answer) await this.ledger.change(() => this.ledger.recordSnapshot(key, answer));
      return answer;
    } finally {
      await this.watcher.pollNow(key).catch(() => undefined);
    }
  }

  /** Nothing was made, since the gateway could not be asked. The user learns why. */
  #refuseUnsent(task: Task, error: unknown): Promise<SubmitOutcome> {
    return this.ledger.change(() => {
      if (!this.ledger.claimSubmit(task.key, randomUUID())) return { kind: 'taken' };
      this.ledger.refuse(task.key, problemOf(error));
      return { kind: 'ended' };
    });
  }

  /** Downloads with the client of the task's gateway, which is made when needed. */
  #resultClient(task: Task): ResultClient {
    return {
      download: async (address, ...rest) =>
        (await this.#reach(task)).download(await this.#gateways.locate(task.gateway, address), ...rest),
      readTask: async (...args) => (await this.#reach(task)).readTask(...args),
    };
  }
}
