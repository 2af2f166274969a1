import type { Disposable } from '../../base/disposable.ts';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import { followHealth, type StorageNotice } from '../../storage/followHealth.ts';
import { LongLog } from '../../storage/upkeep/longLog.ts';
import { whenFree } from '../../storage/whenFree.ts';
import { WindowRegistry } from '../../storage/windowRegistry.ts';
import type { ConversationStore } from './conversationStore.ts';

export interface StoreUpkeepOptions {
  readonly store: ConversationStore;
  /** The name by which the store was opened. */
  readonly window: string;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called when something failed that is tried again. */
  readonly onError: (error: unknown) => void;
  /** Empties the log of the file, in another thread. Without it the log is emptied by whoever writes. */
  readonly emptyLog?: () => Promise<unknown>;
  readonly clock?: Clock;
}

const heartbeatMs = 4_000;
/** Changes by another window show within this time. */
const noticeMs = 1_000;

/**
 * What an open store needs all the time: it tells other windows that this one lives, ends the answers of those
 * that died, notices what others change, and follows the health of the file.
 */
export class StoreUpkeep implements Disposable {
  readonly #options: StoreUpkeepOptions;
  readonly #clock: Clock;
  readonly #windows: WindowRegistry;
  readonly #running: Disposable[] = [];
  readonly #log: LongLog | undefined;
  #isDisposed = false;

  constructor(options: StoreUpkeepOptions) {
    const { store, window, clock = systemClock } = options;
    const { emptyLog, onError } = options;
    this.#options = options;
    this.#log = emptyLog && new LongLog(store.database, { emptyLog, onError });
    this.#clock = clock;
    this.#windows = new WindowRegistry(store.database, {
      window,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    });
  }

  /** Begins at once; what writes, as soon as the file can be written. */
  start(): void {
    const { store, onNotice, onError } = this.#options;
    this.#every(noticeMs, () => store.noticeOthers());
    const health = followHealth(store.database, {
      ...{ onNotice, onError },
      onWritable: () => {
        this.#beat();
        this.#every(heartbeatMs, () => {
          this.#beat();
          void this.#log?.keepShort();
        });
      },
    });
    this.#running.push(health);
  }

  /** Lets other windows end at once what still arrives in this one. The store stays open. Never rejects. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#log?.dispose();
    for (const each of this.#running.splice(0)) each.dispose();
    await whenFree(() => this.#windows.leave()).catch(this.#options.onError);
  }

  #beat(): void {
    const { clock } = this.#options;
    const beat = () => {
      if (!this.#isDisposed) this.#windows.heartbeat();
    };
    whenFree(beat, clock).catch(this.#options.onError);
    const isAlive = (window: string) => this.#windows.isAlive(window);
    this.#options.store.recover(isAlive).catch(this.#options.onError);
  }

  #every(ms: number, act: () => unknown): void {
    if (this.#isDisposed) return;
    let callOff: () => void;
    const again = () => {
      callOff = this.#clock.after(ms, () => {
        this.#attempt(act);
        if (!this.#isDisposed) again();
      });
    };
    again();
    this.#running.push({ dispose: () => callOff() });
  }

  #attempt(act: () => unknown): void {
    try {
      act();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
