import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Database } from '../storage/database.ts';
import { followHealth, type StorageNotice } from '../storage/followHealth.ts';
import { DailyUpkeep } from '../storage/upkeep/dailyUpkeep.ts';
import { DatabaseUpkeep, LongWriteAheadLog } from '../storage/upkeep/databaseUpkeep.ts';
import { WindowRegistry } from '../storage/windowRegistry.ts';
import { Ledger, type LedgerOptions } from './ledger/ledger.ts';
import { ledgerMigrations, openLedgerDatabase } from './ledger/ledgerSchema.ts';
import type { WatchEvent } from './polling/pollReports.ts';
import { ResultDownloads } from './results/resultDownloads.ts';
import type { Pause, TaskOptions } from './taskOptions.ts';
import { TaskWatcher } from './taskWatcher.ts';

// This module is loaded on the first use of tasks, because it loads the database and the HTTP library.

/** Callbacks for the events of an open ledger. */
interface RuntimeReports {
  readonly onPause: (pause: Pause) => void;
  /** Called with the key of a changed task. Without a key, any task may have changed. */
  readonly onChange: (key: string | undefined) => void;
}

/** Checking more pages would block this thread for too long; the worker checks them. */
const maxPagesChecked = 500;

/** The intervals of recurring work, in milliseconds. Changes by another window are detected within `ledgerCheckMs`. */
const ledgerCheckMs = 1000;
const resultsCheckMs = 15_000;
const logCheckMs = 4_000;

/**
 * Opens the ledger. The worker first does slow work on its file.
 *
 * @param closing aborted when the window closes; then the ledger is not opened
 * @throws {StorageError} if the ledger cannot be opened
 */
export async function openTaskRuntime(
  options: TaskOptions,
  closing: AbortSignal,
  reports: RuntimeReports,
): Promise<TaskRuntime> {
  const { file, worker, log, onNotice } = options;
  const onHealth = (notice: StorageNotice) => {
    if (notice.type === 'set-aside') log.warn('task', `the file of tasks was damaged: ${notice.file}`);
    onNotice(notice);
  };
  const upkeep = new DatabaseUpkeep({
    file,
    version: ledgerMigrations.length,
    ...(worker && { worker }),
    onNotice: onHealth,
    onError: (error) => log.warn('task', errorMessage(error)),
  });
  closing.addEventListener('abort', () => upkeep.close());
  return upkeep.open((isNonBlocking) => {
    // A ledger that opens after the window has closed would never be closed.
    closing.throwIfAborted();
    return new TaskRuntime(
      { ...options, ...reports, onHealth, closing },
      { isNonBlocking, repairing: () => upkeep.repairing },
    );
  });
}

interface TaskRuntimeOptions extends TaskOptions, RuntimeReports {
  readonly onHealth: (notice: StorageNotice) => void;
  /** Aborts downloads when the window closes. */
  readonly closing: AbortSignal;
}

interface LedgerOpening {
  /** See `DatabaseOptions`. */
  readonly isNonBlocking: boolean;
  readonly repairing: NonNullable<LedgerOptions['repairing']>;
}

/** The open ledger and its background work: polling, downloading results, maintaining the file. */
export class TaskRuntime {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly windows: WindowRegistry;
  readonly watcher: TaskWatcher;
  readonly results: ResultDownloads;
  readonly #options: TaskRuntimeOptions;
  /** Present if the worker empties the log of the file. */
  readonly #longLog: LongWriteAheadLog | undefined;
  readonly #subscriptions: Disposable[] = [];

  /** @throws {StorageError} if the ledger cannot be opened */
  constructor(options: TaskRuntimeOptions, { isNonBlocking, repairing }: LedgerOpening) {
    const { file, resultsFolder, pollOptions, gateways, worker } = options;
    const window = randomUUID();
    this.#options = options;
    this.database = openLedgerDatabase({
      path: file,
      ...(isNonBlocking && { isNonBlocking, maxPagesChecked }),
    });
    if (isNonBlocking && worker) {
      const emptyLog = () => worker.request('emptyLog', undefined);
      this.#longLog = new LongWriteAheadLog(this.database, {
        emptyLog,
        onNotice: options.onHealth,
        onError: (error) => this.#warn(error),
      });
    }
    try {
      this.ledger = new Ledger(this.database, { window, repairing, onEnd: options.onEnd });
    } catch (error) {
      this.database.close();
      throw error;
    }
    this.windows = new WindowRegistry(this.database, { window });
    const { ledger, windows } = this;
    const getClient = (gateway: string, gatewayName: string) => gateways.getClient(gateway, gatewayName);
    this.watcher = new TaskWatcher({ ledger, windows, getClient, pollOptions });
    this.results = new ResultDownloads({
      ledger,
      windows,
      folder: resultsFolder,
      getClient: ({ gateway, gatewayName }) => ({
        download: async (address, ...rest) =>
          (await getClient(gateway, gatewayName)).download(
            await gateways.resolveAddress(gateway, address),
            ...rest,
          ),
        readTask: async (...args) => (await getClient(gateway, gatewayName)).readTask(...args),
      }),
    });
  }

  /** Reports known tasks at once, and starts the background work as soon as the ledger can be written. */
  start(): void {
    const { onHealth, onChange } = this.#options;
    this.watcher.onEvent((event) => this.#handleWatchEvent(event));
    this.results.onProgress(({ key }) => onChange(key));
    this.#subscriptions.push(this.ledger.onDidChange(onChange));
    this.#runEvery(ledgerCheckMs, () => {
      const changed = this.ledger.findChangesOfOthers();
      for (const key of changed === 'any' ? [undefined] : changed) onChange(key);
    });
    const onWritable = () => {
      this.#resume();
      onChange(undefined);
    };
    this.#subscriptions.push(
      followHealth(this.database, {
        onNotice: onHealth,
        onWritable,
        onError: (error) => this.#warn(error),
      }),
    );
    onChange(undefined);
  }

  /** Resumes tasks that wait for a new address or credential. */
  resumeGateways(): void {
    const gateways = new Set(this.ledger.listUnfinished().map(({ gateway }) => gateway));
    for (const gateway of gateways) this.watcher.resumeGateway(gateway);
  }

  /** Ends the work, so that another window can lead. Resolves within about a second. */
  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    await this.watcher.stop();
    this.ledger.close();
  }

  /** Resumes unfinished tasks. */
  #resume(): void {
    this.watcher.start();
    this.#downloadResults();
    this.#runEvery(resultsCheckMs, () => this.#downloadResults());
    this.#maintainFile();
    this.results.removeUnneededParts().catch((error) => this.#warn(error));
  }

  /** Starts the maintenance of the file by the worker. */
  #maintainFile(): void {
    const { file, worker, onHealth } = this.#options;
    const longLog = this.#longLog;
    if (!worker || !longLog) return;
    const onError = (error: unknown) => this.#warn(error);
    const daily = new DailyUpkeep({ file, worker, onNotice: onHealth, onError });
    this.#runEvery(logCheckMs, () => void longLog.emptyIfLong());
    daily.start();
    this.#subscriptions.push(longLog, daily);
  }

  #handleWatchEvent(event: WatchEvent): void {
    const { log, gateways, onNotice, onPause } = this.#options;
    switch (event.type) {
      case 'paused':
        log.warn('task', `${event.gateway}: ${event.error.message}`);
        onPause({
          gatewayName: gateways.findConfigured(event.gateway, event.gatewayName)?.name ?? event.gateway,
          error: event.error,
        });
        return;
      case 'ended':
      case 'found':
        this.#downloadResults();
        return;
      case 'woke':
        gateways.discardClients();
        return;
      case 'storage-failed':
        log.error('task', String(event.error));
        onNotice({ type: 'not-written', error: event.error });
        return;
      case 'rate-limited':
        log.warn('task', `${event.gateway} is polled again at ${new Date(event.until).toISOString()}`);
    }
  }

  /**
   * Runs in every window. The ledger lets only one window download each result. If the ledger cannot be read, the
   * next call tries again.
   */
  #downloadResults(): void {
    try {
      for (const { key, results } of this.ledger.list()) {
        for (const { index, state } of results) {
          if (state === 'waiting' || state === 'downloading')
            void this.results.download(key, index, this.#options.closing);
        }
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  #runEvery(ms: number, act: () => void): void {
    const timer = setInterval(() => {
      try {
        act();
      } catch (error) {
        this.#warn(error);
      }
    }, ms);
    this.#subscriptions.push({ dispose: () => clearInterval(timer) });
  }

  #warn(error: unknown): void {
    this.#options.log.warn('task', errorMessage(error));
  }
}
