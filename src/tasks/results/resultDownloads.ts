import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { Emitter } from '../../base/emitter.ts';
import { type Clock, systemClock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import type { WindowRegistry } from '../../storage/windowRegistry.ts';
import { WriteRetryQueue } from '../../storage/writeRetryQueue.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ResultChange } from '../ledger/resultRows.ts';
import type { LedgerResult, Task } from '../record/task.ts';
import { createProblem, toDownloadProblem } from '../record/taskProblem.ts';
import { buildResultName, isResultName } from './resultName.ts';
import type { FreeSpace } from './resultPart.ts';
import { downloadResult, isInline, type ResultClient } from './resumedDownload.ts';

interface ResultDownloadsOptions {
  readonly ledger: Pick<
    Ledger,
    | 'change'
    | 'flush'
    | 'get'
    | 'readHistory'
    | 'list'
    | 'claimDownload'
    | 'hasDownloadClaim'
    | 'updateResult'
  >;
  readonly windows: Pick<WindowRegistry, 'isAlive'>;
  /** The client of a task's gateway; undefined if the gateway is no longer connected. */
  readonly getClient: (task: Task) => ResultClient | undefined;
  /** The absolute path of the folder for results. */
  readonly folder: () => string;
  readonly clock?: Clock;
  readonly freeSpace?: FreeSpace;
}

/** The progress of a download in this window. */
export interface DownloadProgress {
  readonly key: string;
  readonly index: number;
  readonly received: number;
  /** Absent if the size is unknown. */
  readonly total?: number;
}

/** A result that is being downloaded, or waits for a free slot. */
interface ActiveDownload {
  readonly stop: AbortController;
  progress: DownloadProgress;
}

const maxDownloads = 3;
const maxUnneededPartAgeMs = 24 * 60 * 60 * 1000;

const inCloudProblem = createProblem(explain('result-in-cloud'));
const stoppedProblem = createProblem(explain('result-stopped'));

/**
 * Downloads and saves results. Each result is downloaded by only one window. A failure does not stop other
 * downloads.
 */
export class ResultDownloads {
  readonly #options: ResultDownloadsOptions;
  readonly #clock: Clock;
  readonly #active = new Map<string, ActiveDownload>();
  readonly #didProgress = new Emitter<DownloadProgress>();
  /** Fires at most ten times a second for each result. */
  readonly onProgress = this.#didProgress.event;
  readonly #limit = pLimit(maxDownloads);

  constructor(options: ResultDownloadsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Downloads all results of a task that are not saved yet, including failed ones. The ledger stores the outcome
   * of each. A result that `signal` interrupts, or that the ledger cannot store now, waits for the next call.
   * Running downloads are skipped.
   *
   * @throws {StorageError} only if the ledger cannot be read
   */
  async downloadAll(key: string, signal?: AbortSignal): Promise<void> {
    const results = this.#options.ledger.get(key)?.results ?? [];
    const unsaved = results.filter(isUnsaved);
    await Promise.all(unsaved.map(({ index }) => this.download(key, index, signal)));
  }

  /** Like `downloadAll` for one result. Never rejects. */
  async download(key: string, index: number, signal?: AbortSignal): Promise<void> {
    const id = downloadId(key, index);
    if (this.#active.has(id)) return;
    const stop = new AbortController();
    this.#active.set(id, { stop, progress: { key, index, received: 0 } });
    try {
      await this.#limit(async () => {
        if (!signal?.aborted) await this.#claimAndDownload(key, index, stop.signal, signal);
      });
    } finally {
      this.#active.delete(id);
    }
  }

  /** Stops the download of a result in this window. The download then counts as failed. */
  stop(key: string, index: number): void {
    this.#active.get(downloadId(key, index))?.stop.abort();
  }

  /** Returns the progress of a download in this window. */
  findProgress(key: string, index: number): DownloadProgress | undefined {
    return this.#active.get(downloadId(key, index))?.progress;
  }

  /** Deletes parts of downloads that no task needs and that are over a day old. */
  async removeUnneededParts(): Promise<void> {
    const folder = this.#options.folder();
    const neededNames = new Set(
      this.#options.ledger
        .list()
        .flatMap((task) => task.results.filter(isUnsaved).map(({ index }) => buildResultName(task, index))),
    );
    for (const file of await readdir(folder).catch(() => [])) {
      const [, name] = /^(.*)\.part(?:\.json)?$/.exec(file) ?? [];
      if (name === undefined || !isResultName(name) || neededNames.has(name)) continue;
      const path = join(folder, file);
      const stats = await stat(path).catch(() => undefined);
      if (stats && this.#clock.now() - stats.mtimeMs > maxUnneededPartAgeMs) await rm(path, { force: true });
    }
  }

  async #claimAndDownload(
    key: string,
    index: number,
    stop: AbortSignal,
    windowEnd: AbortSignal | undefined,
  ): Promise<void> {
    const writes = new WriteRetryQueue({ clock: this.#clock, windowEnd, storage: this.#options.ledger });
    const update = (change: ResultChange) => writes.write(() => this.#update(key, index, change));
    const claim = await this.#claim(key, index);
    if (claim === 'failed') {
      // A failed claim may still be stored. Then this window would never claim the result again.
      update({ state: 'waiting' });
      await writes.waitForAttempt();
    }
    if (typeof claim !== 'object') return;
    const { task, result } = claim;
    const endSignal = windowEnd ? AbortSignal.any([stop, windowEnd]) : stop;
    try {
      update(await this.#download(task, result, endSignal, update));
    } catch (error) {
      if (stop.aborted) update({ state: 'failed', problem: stoppedProblem });
      else if (windowEnd?.aborted) update({ state: 'waiting' });
      else update({ state: 'failed', problem: toDownloadProblem(error) });
    }
    await writes.waitForAttempt();
  }

  /** Stores a change. Does nothing if the window lost its claim while it was frozen. */
  #update(key: string, index: number, change: ResultChange): void {
    const { ledger } = this.#options;
    if (findResult(ledger.get(key), index)?.state === 'downloading') ledger.updateResult(key, index, change);
  }

  /** @returns undefined if another window has the result; `failed` if the ledger cannot be used now */
  async #claim(key: string, index: number): Promise<ClaimedResult | 'failed' | undefined> {
    const { ledger, windows } = this.#options;
    try {
      return await ledger.change(() => {
        const task = ledger.get(key);
        const result = findResult(task, index);
        const isClaimed = result && ledger.claimDownload(key, index, (window) => windows.isAlive(window));
        return task && isClaimed ? { task, result } : undefined;
      });
    } catch (error) {
      if (error instanceof StorageError) return 'failed';
      throw error;
    }
  }

  /**
   * Whether this window still has the claim. True if the ledger cannot be read, because `ResultPart` also checks by
   * the inode of its file whether another window has restarted the download.
   */
  #hasClaim(key: string, index: number): boolean {
    try {
      return this.#options.ledger.hasDownloadClaim(key, index);
    } catch (error) {
      if (error instanceof StorageError) return true;
      throw error;
    }
  }

  async #download(
    task: Task,
    result: LedgerResult,
    signal: AbortSignal,
    update: (change: ResultChange) => void,
  ): Promise<ResultChange> {
    const { ledger, getClient, folder, freeSpace = readFreeSpace } = this.#options;
    if (result.url.startsWith('gs://')) return { state: 'link', problem: inCloudProblem };
    signal.throwIfAborted();
    const saved = await downloadResult({
      task,
      result,
      request: ledger.readHistory(task.key)?.request,
      client: getClient(task),
      folder: folder(),
      freeSpace,
      clock: this.#clock,
      signal,
      isOwner: () => this.#hasClaim(task.key, result.index),
      onProgress: (received, total) => this.#reportProgress(task.key, result.index, received, total),
      onFreshLink: update,
    });
    return { state: 'saved', ...saved, ...(isInline(result.url) && { url: 'inline' }) };
  }

  #reportProgress(key: string, index: number, received: number, total: number | undefined): void {
    const active = this.#active.get(downloadId(key, index));
    const progress = { key, index, received, ...(total !== undefined && { total }) };
    if (active) active.progress = progress;
    this.#didProgress.fire(progress);
  }
}

interface ClaimedResult {
  readonly task: Task;
  readonly result: LedgerResult;
}

async function readFreeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function isUnsaved({ state }: LedgerResult): boolean {
  return state !== 'saved' && state !== 'link';
}

function findResult(task: Task | undefined, index: number): LedgerResult | undefined {
  return task?.results.find((result) => result.index === index);
}

function downloadId(key: string, index: number): string {
  return `${index} ${key}`;
}
