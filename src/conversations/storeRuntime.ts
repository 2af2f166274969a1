import { randomUUID } from 'node:crypto';
import { followHealth, type StorageNotice } from '../storage/followHealth.ts';
import { WindowRegistry } from '../storage/windowRegistry.ts';
import { type ConversationStore, openConversationStore } from './store/conversationStore.ts';

// This module is loaded when conversations are first needed, because it loads the database.

export interface StoreRuntimeOptions {
  /** Path of the file of conversations. */
  readonly file: string;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with what went wrong in the background, where it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** How often this window shows that it is alive, in milliseconds. */
const heartbeatMs = 4000;

/** Another window's changes are noticed within this time, in milliseconds. */
const noticeMs = 1000;

/** The open store, with what goes on in it as long as the window is open. */
export class StoreRuntime {
  readonly store: ConversationStore;
  readonly #windows: WindowRegistry;
  readonly #health: { dispose(): void };
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #onError: (error: unknown) => void;

  /** @throws {StorageError} when the store cannot be opened */
  constructor({ file, onNotice, onError }: StoreRuntimeOptions) {
    const window = randomUUID();
    this.#onError = onError;
    this.store = openConversationStore({ file, window });
    this.#windows = new WindowRegistry(this.store.database, { window });
    this.#health = followHealth(this.store.database, { onNotice, onError, onWritable: () => this.#begin() });
    this.#every(noticeMs, () => this.store.noticeOthers());
  }

  /** Lets other windows know at once that nothing arrives here any more. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#health.dispose();
    this.#guarded(() => this.#windows.leave());
    this.store.close();
  }

  #begin(): void {
    this.#guarded(() => this.#beat());
    this.#every(heartbeatMs, () => this.#beat());
  }

  /** Also stops the answers of windows that died. */
  #beat(): void {
    this.#windows.heartbeat();
    this.store.recover((window) => this.#windows.isAlive(window)).catch(this.#onError);
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(() => this.#guarded(act), ms));
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#onError(error);
    }
  }
}
