import { randomUUID } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import { DatabaseUpkeep } from '../storage/upkeep/databaseUpkeep.ts';
import { type ConversationStore, openConversationStore } from './store/conversationStore.ts';
import { storeMigrations } from './store/storeSchema.ts';
import { StoreUpkeep } from './store/storeUpkeep.ts';
import type { ConversationWorker } from './worker/conversationWorker.ts';

// This module is loaded when conversations are first needed, because it loads the database.

export interface StoreRuntimeOptions {
  /** Path of the file of conversations. */
  readonly file: string;
  /** Does with the file what would keep this thread waiting. Without it this thread waits. */
  readonly worker?: Pick<ConversationWorker, 'ask'>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with what went wrong in the background, where it is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens the store. What would take time the worker does first.
 *
 * @param isClosed whether the window closed meanwhile, after which nothing is opened
 * @throws {StorageError} when it cannot be opened
 */
export function openStoreRuntime(
  options: StoreRuntimeOptions,
  isClosed: () => boolean,
): Promise<StoreRuntime> {
  const upkeep = new DatabaseUpkeep({ ...options, version: storeMigrations.length });
  return upkeep.open((neverWaits) => {
    if (isClosed()) throw new Error('The window closes.');
    return new StoreRuntime(options, upkeep, neverWaits);
  });
}

/** The open store, with what goes on in it as long as the window is open. */
export class StoreRuntime {
  readonly store: ConversationStore;
  readonly #databaseUpkeep: DatabaseUpkeep;
  readonly #upkeep: StoreUpkeep;

  /** @throws {StorageError} when the store cannot be opened */
  constructor(
    { file, worker, onNotice, onError }: StoreRuntimeOptions,
    databaseUpkeep: DatabaseUpkeep,
    neverWaits: boolean,
  ) {
    const window = randomUUID();
    this.store = openConversationStore({ file, window, neverWaits });
    this.#databaseUpkeep = databaseUpkeep;
    this.#upkeep = new StoreUpkeep({
      ...{ store: this.store, window, onNotice, onError },
      ...(worker && neverWaits && { emptyLog: () => worker.ask('emptyLog', undefined) }),
    });
    this.#upkeep.start();
  }

  get database(): Database {
    return this.store.database;
  }

  /** Resolves once damage that was found is repaired. */
  async repaired(): Promise<void> {
    await this.#databaseUpkeep.repairing;
  }

  /** What is damaged from now on another window repairs. */
  beginToClose(): void {
    this.#databaseUpkeep.close();
  }

  /** Lets other windows know at once that nothing arrives here any more. */
  async close(): Promise<void> {
    await this.#upkeep.dispose();
    this.store.close();
  }
}
