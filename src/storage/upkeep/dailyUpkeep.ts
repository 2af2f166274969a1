import type { Disposable } from '../../base/disposable.ts';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import type { StorageNotice } from '../followHealth.ts';
import { isFirstToday } from '../onceADay.ts';
import type { RequestWorker } from '../worker/requestWorker.ts';
import type { UpkeepRequests } from './upkeepRequests.ts';

export interface DailyUpkeepOptions {
  /** Path of the database. */
  readonly file: string;
  readonly worker: Pick<RequestWorker<UpkeepRequests>, 'ask'>;
  /** Deletes what is old, once the file is checked and repaired. */
  readonly purge?: () => Promise<unknown>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called when something failed; the next day it is tried again. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Work that can wait leaves a window alone while it starts. */
const firstAfterMs = 2 * 60_000;
const againAfterMs = 3_600_000;

/**
 * Once a day, in one window of all, has the worker check the whole file.
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
    const { file, worker, purge, onNotice } = this.#options;
    if (!(await isFirstToday(file, this.#clock.now()))) return;
    const damage = await worker.ask('check', undefined);
    if (damage) onNotice({ type: 'set-aside', ...damage });
    // What a damaged file says is not in use must not be deleted.
    await purge?.();
  }
}
