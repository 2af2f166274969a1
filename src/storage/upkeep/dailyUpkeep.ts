import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import type { StorageNotice } from '../followHealth.ts';
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

/**
 * Whether this is the first of all programs that asks for a file today, by the day here. An empty file beside it,
 * named after the day, tells the others.
 */
async function isFirstToday(path: string, now: number): Promise<boolean> {
  const before = `${basename(path)}.day-`;
  const today = `${before}${dayOf(now)}`;
  const folder = dirname(path);
  try {
    await (await open(join(folder, today), 'wx')).close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  const earlier = (await readdir(folder)).filter((name) => name.startsWith(before) && name !== today);
  await Promise.all(earlier.map((name) => rm(join(folder, name), { force: true })));
  return true;
}

/** Such as 2030-01-31. */
function dayOf(time: number): string {
  const date = new Date(time);
  const padded = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}
