import type { Disposable } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import { followHealth, type StorageNotice } from '../storage/followHealth.ts';
import { DailyUpkeep } from '../storage/upkeep/dailyUpkeep.ts';
import type { GatewayError } from '../wire/failure.ts';
import type { GatewayAccess } from './gatewayAccess.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { WatchEvent } from './polling/watchEvent.ts';
import type { Task } from './record/task.ts';
import type { TaskRuntime } from './taskRuntime.ts';
import type { LedgerWorker } from './worker/ledgerWorker.ts';

/** The user's name of the gateway that refused the credential. */
export interface Pause {
  readonly gatewayName: string;
  readonly error: GatewayError;
}

/** The log of tasks. Its implementation hides credentials. */
export interface TaskLog {
  info(topic: 'task', message: string): void;
  warn(topic: 'task', message: string): void;
  error(topic: 'task', message: string): void;
}

export interface BackgroundWorkOptions {
  readonly gateways: GatewayAccess;
  readonly log: TaskLog;
  readonly onNotice: (notice: LedgerNotice) => void;
  /** Called with what the user must know about the ledger's file. */
  readonly onHealth: (notice: StorageNotice) => void;
  /** The ledger's path. */
  readonly file: string;
  /** As in `TaskRuntimeOptions`. */
  readonly worker?: Pick<LedgerWorker, 'ask'>;
  readonly onPause: (pause: Pause) => void;
  /** Called with the key of a task that changed. Without a key any task may have changed. */
  readonly onChange: (key: string | undefined) => void;
}

/** Changes by another window show within this time, in milliseconds. */
const ledgerCheckMs = 1000;
const resultsCheckMs = 15_000;
const logCheckMs = 4_000;

/** What happens to tasks without the user: polling, downloads of results, and reports about both. */
export class BackgroundWork {
  readonly #runtime: TaskRuntime;
  readonly #closing: AbortSignal;
  readonly #options: BackgroundWorkOptions;
  readonly #subscriptions: Disposable[] = [];

  /** @param closing aborts downloads when the window closes */
  constructor(runtime: TaskRuntime, closing: AbortSignal, options: BackgroundWorkOptions) {
    this.#runtime = runtime;
    this.#closing = closing;
    this.#options = options;
  }

  /** Begins as soon as the ledger can be written. Known tasks show at once. */
  start(): void {
    const { ledger, watcher, results, database } = this.#runtime;
    const { log, onHealth, onChange } = this.#options;
    watcher.onEvent((event) => this.#onWatchEvent(event));
    results.onProgress(({ key }) => onChange(key));
    this.#subscriptions.push(ledger.onDidChange(onChange));
    this.#every(ledgerCheckMs, () => {
      const changed = ledger.changesOfOthers();
      for (const key of changed === 'any' ? [undefined] : changed) onChange(key);
    });
    const onWritable = () => {
      this.#resume();
      onChange(undefined);
    };
    this.#subscriptions.push(
      followHealth(database, {
        onNotice: onHealth,
        onWritable,
        onError: (error) => log.warn('task', errorMessage(error)),
      }),
    );
    onChange(undefined);
  }

  /** Resumes tasks that waited for a new address or a new credential. */
  gatewaysChanged(): void {
    const gateways = new Set(this.#runtime.ledger.unfinished().map(({ gateway }) => gateway));
    for (const gateway of gateways) this.#runtime.watcher.gatewayChanged(gateway);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Resumes unfinished tasks. */
  #resume(): void {
    const { watcher, results } = this.#runtime;
    watcher.start();
    this.#fetchResults();
    this.#every(resultsCheckMs, () => this.#fetchResults());
    this.#keepFile();
    results.sweep().catch((error) => this.#options.log.warn('task', errorMessage(error)));
  }

  /** Has the worker do what the window's own connection to the ledger leaves to others. */
  #keepFile(): void {
    const { file, worker, log, onHealth } = this.#options;
    const { longLog } = this.#runtime;
    if (!worker || !longLog) return;
    const onError = (error: unknown) => log.warn('task', errorMessage(error));
    const daily = new DailyUpkeep({ file, worker, onNotice: onHealth, onError });
    this.#every(logCheckMs, () => void longLog.keepShort());
    daily.start();
    this.#subscriptions.push(longLog, daily);
  }

  /** Handles the watcher's events. */
  #onWatchEvent(event: WatchEvent): void {
    const { log, gateways, onNotice, onPause } = this.#options;
    switch (event.type) {
      case 'paused':
        log.warn('task', `${event.gateway}: ${event.error.message}`);
        onPause({ gatewayName: this.#nameOf(event), error: event.error });
        return;
      case 'ended':
      case 'found':
        this.#fetchResults();
        return;
      case 'woke':
        gateways.forgetAll();
        return;
      case 'storage-failed':
        log.error('task', String(event.error));
        onNotice({ type: 'not-written', error: event.error });
        return;
      case 'rate-limited':
        log.warn('task', `${event.gateway} is asked again at ${new Date(event.until).toISOString()}`);
    }
  }

  /** Any window may ask: the ledger lets one of them download each result. */
  #fetchResults(): void {
    const { ledger, results } = this.#runtime;
    for (const { key, results: kept } of ledger.list()) {
      for (const { index, state } of kept) {
        if (state === 'waiting' || state === 'fetching') void results.fetch(key, index, this.#closing);
      }
    }
  }

  #every(ms: number, act: () => void): void {
    const timer = setInterval(() => {
      try {
        act();
      } catch (error) {
        this.#options.log.warn('task', errorMessage(error));
      }
    }, ms);
    this.#subscriptions.push({ dispose: () => clearInterval(timer) });
  }

  #nameOf({ gateway, gatewayName }: Pick<Task, 'gateway' | 'gatewayName'>): string {
    return this.#options.gateways.configured(gateway, gatewayName)?.name ?? gateway;
  }
}
