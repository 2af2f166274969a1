import { randomUUID } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import { DatabaseUpkeep } from '../storage/upkeep/databaseUpkeep.ts';
import { type ConversationStore, openConversationStore } from './store/conversationStore.ts';
import { storeMigrations } from './store/storeSchema.ts';
import { StoreUpkeep } from './store/storeUpkeep.ts';
import type { ConversationWorker } from './worker/conversationWorker.ts';

// This module is loaded on the first use of conversations, because it loads the database.

export interface StoreRuntimeOptions {
  /** The path of the database file. */
  readonly file: string;
  /** Does file operations that would block this thread; without it, this thread does them. */
  readonly worker?: Pick<ConversationWorker, 'request'>;
  /** Called with notices about the file for the user. */
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with errors of background work, which is retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the store. The worker does slow preparations first.
 *
 * @param isClosed whether the window has closed in the meantime; then the store is not opened
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
      ...{ store: this.store, window, onNotice, onError },
      ...(worker && isNonBlocking && { emptyLog: () => worker.request('emptyLog', undefined) }),
    });
    this.#upkeep.start();
  }

  get database(): Database {
    return this.store.database;
  }

  /** Resolves once detected damage is repaired. */
  async waitForRepair(): Promise<void> {
    await this.#databaseUpkeep.repairing;
  }

  /** From now on, another window repairs new damage. */
  beginToClose(): void {
    this.#databaseUpkeep.close();
  }

  /** Notifies other windows at once that this window no longer receives replies. */
  async close(): Promise<void> {
    await this.#upkeep.dispose();
    this.store.close();
  }
}
