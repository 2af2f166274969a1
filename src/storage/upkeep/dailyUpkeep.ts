import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Disposable } from '../../base/emitter.ts';
import { errorCode } from '../../base/errors.ts';
import { formatLocalDate } from '../../base/localDate.ts';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import type { StorageNotice } from '../followHealth.ts';
import type { RequestWorker } from '../worker/requestWorker.ts';
import type { UpkeepRequests } from './upkeepRequests.ts';

interface DailyUpkeepOptions {
  /** Path of the database. */
  readonly file: string;
  readonly worker: Pick<RequestWorker<UpkeepRequests>, 'request'>;
  /** Deletes old data after the file is checked and repaired. */
  readonly purge?: () => Promise<unknown>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with an error of the check or of `purge`. Both are tried again the next day. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** The delay of the first check, so that it does not slow the start of a window. */
const firstDelayMs = 2 * 60_000;
const intervalMs = 3_600_000;

/** Lets the worker check the whole file once a day, in only one of the windows. */
export class DailyUpkeep implements Disposable {
  readonly #options: DailyUpkeepOptions;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | undefined;
  #isDisposed = false;

  constructor(options: DailyUpkeepOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Schedules the checks. Call it after the file is open. */
  start(): void {
    if (this.#cancelTimer === undefined) this.#schedule(firstDelayMs);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#cancelTimer?.();
  }

  #schedule(ms: number): void {
    if (this.#isDisposed) return;
    this.#cancelTimer = this.#clock.after(ms, async () => {
      await this.#checkOnceToday().catch((error) => {
        if (!this.#isDisposed) this.#options.onError(error);
      });
      this.#schedule(intervalMs);
    });
  }

  async #checkOnceToday(): Promise<void> {
    const { file, worker, purge, onNotice } = this.#options;
    if (!(await isFirstToday(file, this.#clock.now()))) return;
    const damage = await worker.request('check', undefined);
    if (damage) onNotice({ type: 'set-aside', ...damage });
    // Purge only after the repair: a damaged file may report used data as unused.
    await purge?.();
  }
}

/**
 * Whether this is the first call for a file today, in any process, by the local date. An empty file with the date in
 * its name, in the same folder, records the call for other processes.
 */
async function isFirstToday(path: string, now: number): Promise<boolean> {
  const namePrefix = `${basename(path)}.day-`;
  const today = `${namePrefix}${formatLocalDate(new Date(now))}`;
  const folder = dirname(path);
  try {
    await (await open(join(folder, today), 'wx')).close();
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  const earlier = (await readdir(folder)).filter((name) => name.startsWith(namePrefix) && name !== today);
  await Promise.all(earlier.map((name) => rm(join(folder, name), { force: true })));
  return true;
}
