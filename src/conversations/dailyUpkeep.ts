import type { Disposable } from '../base/disposable.ts';
import { type Clock, systemClock } from '../base/node/clock.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import { isFirstToday } from '../storage/onceADay.ts';
import type { ConversationWorker } from './worker/conversationWorker.ts';

export interface DailyUpkeepOptions {
  /** Path of the file of conversations. */
  readonly file: string;
  readonly worker: Pick<ConversationWorker, 'ask'>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called when something failed; the next day it is tried again. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Work that can wait leaves a window alone while it starts. */
const firstAfterMs = 2 * 60_000;
const againAfterMs = 3_600_000;

/**
 * Once a day, in one window of all, deletes for good what was deleted 30 days ago, and checks the whole file. The
 * worker does both.
 */
export class DailyUpkeep implements Disposable {
  readonly #options: DailyUpkeepOptions;
  readonly #clock: Clock;
  #callOff: (() => void) | undefined;
  #isDisposed = false;

  constructor(options: DailyUpkeepOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** To be called once the file is open. */
  start(): void {
    if (this.#callOff === undefined) this.#after(firstAfterMs);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#callOff?.();
  }

  #after(ms: number): void {
    if (this.#isDisposed) return;
    this.#callOff = this.#clock.after(ms, async () => {
      await this.#work().catch((error) => {
        if (!this.#isDisposed) this.#options.onError(error);
      });
      this.#after(againAfterMs);
    });
  }

  async #work(): Promise<void> {
    const { file, worker, onNotice } = this.#options;
    if (!(await isFirstToday(file, this.#clock.now()))) return;
    await worker.ask('purge', undefined);
    const damage = await worker.ask('check', undefined);
    if (damage) onNotice({ type: 'set-aside', ...damage });
  }
}
