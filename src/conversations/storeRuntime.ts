import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/emitter.ts';
import { type Clock, systemClock } from '../base/node/clock.ts';
import type { Database } from '../storage/database.ts';
import { followHealth, type StorageNotice } from '../storage/followHealth.ts';
import { retryWhileBusy } from '../storage/retryWhileBusy.ts';
import { DailyUpkeep } from '../storage/upkeep/dailyUpkeep.ts';
import { DatabaseUpkeep, LongWriteAheadLog } from '../storage/upkeep/databaseUpkeep.ts';
import type { UpkeepRequests } from '../storage/upkeep/upkeepRequests.ts';
import { WindowRegistry } from '../storage/windowRegistry.ts';
import { type ConversationStore, openConversationStore } from './store/conversationStore.ts';
import { storeMigrations } from './store/storeSchema.ts';
import type { ConversationWorker } from './worker/conversationWorker.ts';

// This module is loaded on the first use of conversations, because it loads the database.

export interface StoreRuntimeOptions {
  /** The path of the database file. */
  readonly file: string;
  /** Runs file operations that would block this thread. Without it, this thread runs them. */
  readonly worker?: Pick<ConversationWorker, 'request'>;
  /** Called with notices about the file for the user. */
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with errors of background work, which is retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the store, after the worker has run the slow preparations.
 *
 * @param isClosed returns whether the window has closed in the meantime; then the store is not opened
 * @throws {StorageError} if it cannot be opened
 */
export function openStoreRuntime(
  options: StoreRuntimeOptions,
  isClosed: () => boolean,
): Promise<StoreRuntime> {
  const upkeep = new DatabaseUpkeep({ ...options, version: storeMigrations.length });
  return upkeep.open((isNonBlocking) => {
    if (isClosed()) throw new Error('The window is closing.');
    return new StoreRuntime(options, upkeep, isNonBlocking);
  });
}

/** The open store, with its background work while the window is open. */
export class StoreRuntime {
  readonly store: ConversationStore;
  readonly #databaseUpkeep: DatabaseUpkeep;
  readonly #upkeep: StoreUpkeep;
  readonly #daily: DailyUpkeep | undefined;

  /** @throws {StorageError} if the store cannot be opened */
  constructor(
    { file, worker, onNotice, onError }: StoreRuntimeOptions,
    databaseUpkeep: DatabaseUpkeep,
    isNonBlocking: boolean,
  ) {
    const window = randomUUID();
    this.store = openConversationStore({ file, window, isNonBlocking });
    this.#databaseUpkeep = databaseUpkeep;
    this.#upkeep = new StoreUpkeep({
      store: this.store,
      window,
      onNotice,
      onError,
      ...(worker && isNonBlocking && { emptyLog: () => worker.request('emptyLog', undefined) }),
    });
    this.#upkeep.start();
    this.#daily =
      worker &&
      new DailyUpkeep({
        file,
        worker,
        onNotice,
        onError,
        purge: () => worker.request('purge', undefined),
      });
    this.#daily?.start();
  }

  get database(): Database {
    return this.store.database;
  }

  /** Resolves once detected damage is repaired. */
  async waitForRepair(): Promise<void> {
    await this.#databaseUpkeep.repairing;
  }

  /** Stops the repair of new damage, which another window repairs. */
  beginToClose(): void {
    this.#databaseUpkeep.close();
  }

  /** Notifies other windows at once that this window no longer receives replies. */
  async close(): Promise<void> {
    this.#daily?.dispose();
    await this.#upkeep.dispose();
    this.store.close();
  }
}

interface StoreUpkeepOptions {
  readonly store: ConversationStore;
  /** The window name passed to the store. */
  readonly window: string;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with an error of an operation that will be retried. */
  readonly onError: (error: unknown) => void;
  /** Checkpoints the log of the file, in another thread. Without it, the next writer checkpoints it. */
  readonly emptyLog?: () => Promise<UpkeepRequests['emptyLog']['result']>;
  readonly clock?: Clock;
}

const heartbeatMs = 4_000;

/** The interval of checks for changes by other windows. */
const detectionMs = 1_000;

/**
 * The background work of an open store: it updates the heartbeat of this window, stops the replies of windows
 * that ended, detects changes by other windows, and follows the health of the file.
 */
export class StoreUpkeep implements Disposable {
  readonly #options: StoreUpkeepOptions;
  readonly #clock: Clock;
  readonly #windows: WindowRegistry;
  readonly #running: Disposable[] = [];
  readonly #log: LongWriteAheadLog | undefined;
  #isDisposed = false;

  constructor(options: StoreUpkeepOptions) {
    const { store, window, clock = systemClock } = options;
    const { emptyLog, onNotice, onError } = options;
    this.#options = options;
    this.#log = emptyLog && new LongWriteAheadLog(store.database, { emptyLog, onNotice, onError });
    this.#clock = clock;
    this.#windows = new WindowRegistry(store.database, {
      window,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    });
  }

  /** Starts immediately; writes start as soon as the file is writable. */
  start(): void {
    const { store, onNotice, onError } = this.#options;
    this.#repeat(detectionMs, () => store.detectExternalChanges());
    const health = followHealth(store.database, {
      onNotice,
      onError,
      onWritable: () => {
        this.#heartbeat();
        this.#repeat(heartbeatMs, () => {
          this.#heartbeat();
          void this.#log?.emptyIfLong();
        });
      },
    });
    this.#running.push(health);
  }

  /**
   * Lets other windows stop the arriving replies of this window immediately. The store remains open, and the
   * promise does not reject.
   */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#log?.dispose();
    for (const each of this.#running.splice(0)) each.dispose();
    await retryWhileBusy(() => this.#windows.leave()).catch(this.#options.onError);
  }

  #heartbeat(): void {
    const { clock } = this.#options;
    const beat = () => {
      if (!this.#isDisposed) this.#windows.writeHeartbeat();
    };
    retryWhileBusy(beat, clock).catch(this.#options.onError);
    const isAlive = (window: string) => this.#windows.isAlive(window);
    this.#options.store.stopAbandonedReplies(isAlive).catch(this.#options.onError);
  }

  #repeat(ms: number, run: () => unknown): void {
    if (this.#isDisposed) return;
    let cancel: () => void;
    const schedule = () => {
      cancel = this.#clock.after(ms, () => {
        try {
          run();
        } catch (error) {
          this.#options.onError(error);
        }
        if (!this.#isDisposed) schedule();
      });
    };
    schedule();
    this.#running.push({ dispose: () => cancel() });
  }
}
