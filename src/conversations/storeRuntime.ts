import { randomUUID } from 'node:crypto';
import type { StorageNotice } from '../storage/followHealth.ts';
import { headerVersion } from '../storage/headerVersion.ts';
import { isLogToCheck } from '../storage/log.ts';
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

/** Whether it takes time until a file can be used: it is to be migrated, or its log to be checked. */
export async function takesTime(file: string): Promise<boolean> {
  const version = await headerVersion(file);
  return (version > 0 && version < storeMigrations.length) || isLogToCheck(file);
}

/** The open store, with what goes on in it as long as the window is open. */
export class StoreRuntime {
  readonly store: ConversationStore;
  readonly #upkeep: StoreUpkeep;

  /** @throws {StorageError} when the store cannot be opened */
  constructor({ file, worker, onNotice, onError }: StoreRuntimeOptions) {
    const window = randomUUID();
    this.store = openConversationStore({ file, window, neverWaits: worker !== undefined });
    this.#upkeep = new StoreUpkeep({
      ...{ store: this.store, window, onNotice, onError },
      ...(worker && { emptyLog: () => worker.ask('emptyLog', undefined) }),
    });
    this.#upkeep.start();
  }

  /** Lets other windows know at once that nothing arrives here any more. */
  async close(): Promise<void> {
    await this.#upkeep.dispose();
    this.store.close();
  }
}
