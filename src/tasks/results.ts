import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { StorageError } from '../storage/database.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Ledger } from './ledger.ts';
import { fetchResult, isInline, type ResultClient } from './results/resultFetch.ts';
import { isResultName, resultName } from './results/resultName.ts';
import type { FreeSpace } from './results/resultPart.ts';
import { explainResultFailure } from './results/resultProblem.ts';
import type { KeptResult, Task } from './task.ts';
import type { WindowRegistry } from './windowRegistry.ts';
import { WriteRetryQueue } from './writeRetryQueue.ts';

export interface ResultsOptions {
  readonly ledger: Pick<Ledger, 'get' | 'history' | 'list' | 'claimFetch' | 'holdsFetch' | 'updateResult'>;
  readonly windows: Pick<WindowRegistry, 'isAlive'>;
  /** The client of a task's gateway; undefined when that is not connected any more. */
  readonly client: (task: Task) => ResultClient | undefined;
  /** Where results are kept: an absolute path. */
  readonly folder: () => string;
  /** The largest result; 4 GiB when absent. */
  readonly maxBytes?: () => number;
  readonly clock?: Clock;
  readonly freeSpace?: FreeSpace;
}

/** How far a result has come that this window is fetching. */
export interface FetchProgress {
  readonly key: string;
  readonly index: number;
  readonly received: number;
  /** Absent when the size is not known. */
  readonly total?: number;
}

/** A result that is being fetched, or waits for its turn. */
interface Active {
  readonly stop: AbortController;
  progress: FetchProgress;
}

const MOST_BYTES = 4 * 1024 ** 3;
const MAX_FETCHES = 3;
const OLD_MS = 24 * 60 * 60 * 1000;

const CLOUD_LINK =
  "The result lies in a cloud's own storage, which opens only to your account there: fetch it with the cloud's tools.";
const STOPPED = 'Fetching was stopped; what came until then is kept.';

/**
 * Fetches what tasks made and keeps it. Among all windows each result is fetched by one, and each by itself: one
 * that fails stops no other.
 */
export class Results {
  readonly #options: ResultsOptions;
  readonly #clock: Clock;
  readonly #active = new Map<string, Active>();
  readonly #listeners = new Set<(progress: FetchProgress) => void>();
  readonly #limit = pLimit(MAX_FETCHES);

  constructor(options: ResultsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Fetches all results of a task that are not kept yet, also those that failed before. What became of each is in
   * the ledger. Those that `signal` ends, or that the ledger cannot take now, wait for another time; one that is
   * being fetched already is left to whoever does.
   *
   * @throws {StorageError} only when the ledger cannot be read
   */
  async fetchAll(key: string, signal?: AbortSignal): Promise<void> {
    const results = this.#options.ledger.get(key)?.results ?? [];
    const open = results.filter(isUnsaved);
    await Promise.all(open.map(({ index }) => this.fetch(key, index, signal)));
  }

  /** As `fetchAll`, for one result; never throws. */
  async fetch(key: string, index: number, signal?: AbortSignal): Promise<void> {
    const name = nameOf(key, index);
    if (this.#active.has(name)) return;
    const stop = new AbortController();
    this.#active.set(name, { stop, progress: { key, index, received: 0 } });
    try {
      await this.#limit(async () => {
        if (!signal?.aborted) await this.#fetchClaimed(key, index, stop.signal, signal);
      });
    } finally {
      this.#active.delete(name);
    }
  }

  /** Ends the fetching of a result in this window; it counts as failed then. */
  stop(key: string, index: number): void {
    this.#active.get(nameOf(key, index))?.stop.abort();
  }

  /** How far a result is that this window is fetching. */
  progress(key: string, index: number): FetchProgress | undefined {
    return this.#active.get(nameOf(key, index))?.progress;
  }

  /** Told of each result at most ten times a second. Returns what ends it. */
  onProgress(listener: (progress: FetchProgress) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Removes what is more than a day old of downloads that no task wants any more. What one may still go on with stays,
   * whatever the clock says of its age.
   */
  async sweep(): Promise<void> {
    const folder = this.#options.folder();
    const wanted = new Set(
      this.#options.ledger
        .list()
        .flatMap((task) => task.results.filter(isUnsaved).map(({ index }) => resultName(task, index))),
    );
    for (const file of await readdir(folder).catch(() => [])) {
      const [, name] = /^(.*)\.part(?:\.json)?$/.exec(file) ?? [];
      if (name === undefined || !isResultName(name) || wanted.has(name)) continue;
      const path = join(folder, file);
      const stats = await stat(path).catch(() => undefined);
      if (stats && this.#clock.now() - stats.mtimeMs > OLD_MS) await rm(path, { force: true });
    }
  }

  async #fetchClaimed(
    key: string,
    index: number,
    stopped: AbortSignal,
    windowEnd: AbortSignal | undefined,
  ): Promise<void> {
    const claimed = this.#claim(key, index);
    if (!claimed) return;
    const { task, result } = claimed;
    const writes = new WriteRetryQueue(this.#clock, windowEnd);
    const update = (change: Change) => writes.write(() => this.#update(key, index, change));
    const ended = windowEnd ? AbortSignal.any([stopped, windowEnd]) : stopped;
    try {
      update(await this.#fetch(task, result, ended, update));
    } catch (error) {
      if (stopped.aborted) update({ state: 'failed', problem: STOPPED });
      else if (windowEnd?.aborted) update({ state: 'waiting' });
      else update({ state: 'failed', problem: explainResultFailure(error) });
    }
  }

  /** A window that was held up for long may have lost its claim, and has nothing to say any more. */
  #update(key: string, index: number, change: Change): void {
    const { ledger } = this.#options;
    if (resultAt(ledger.get(key), index)?.state === 'fetching') ledger.updateResult(key, index, change);
  }

  /** Undefined when it is not this window's to fetch, or the ledger cannot be asked now. */
  #claim(key: string, index: number): { readonly task: Task; readonly result: KeptResult } | undefined {
    const { ledger, windows } = this.#options;
    try {
      const task = ledger.get(key);
      const result = resultAt(task, index);
      const claimed = result && ledger.claimFetch(key, index, (window) => windows.isAlive(window));
      return task && claimed ? { task, result } : undefined;
    } catch (error) {
      if (error instanceof StorageError) return undefined;
      throw error;
    }
  }

  /** Where the ledger cannot be asked, the file itself still tells whether another has begun it anew. */
  #holds(key: string, index: number): boolean {
    try {
      return this.#options.ledger.holdsFetch(key, index);
    } catch (error) {
      if (error instanceof StorageError) return true;
      throw error;
    }
  }

  async #fetch(
    task: Task,
    result: KeptResult,
    signal: AbortSignal,
    update: (change: Change) => void,
  ): Promise<Change> {
    const { ledger, client, folder, maxBytes, freeSpace = freeSpaceIn } = this.#options;
    if (result.url.startsWith('gs://')) return { state: 'link', problem: CLOUD_LINK };
    signal.throwIfAborted();
    const kept = await fetchResult({
      task,
      result,
      request: ledger.history(task.key)?.request,
      client: client(task),
      folder: folder(),
      maxBytes: maxBytes?.() ?? MOST_BYTES,
      freeSpace,
      clock: this.#clock,
      signal,
      isOurs: () => this.#holds(task.key, result.index),
      onProgress: (received, total) => this.#tell(task.key, result.index, received, total),
      onFreshLink: update,
    });
    return { state: 'saved', ...kept, ...(isInline(result.url) && { url: 'inline' }) };
  }

  #tell(key: string, index: number, received: number, total: number | undefined): void {
    const active = this.#active.get(nameOf(key, index));
    const progress = { key, index, received, ...(total !== undefined && { total }) };
    if (active) active.progress = progress;
    for (const listener of this.#listeners) listener(progress);
  }
}

type Change = Partial<Omit<KeptResult, 'index'>>;

async function freeSpaceIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function isUnsaved({ state }: KeptResult): boolean {
  return state !== 'saved' && state !== 'link';
}

function resultAt(task: Task | undefined, index: number): KeptResult | undefined {
  return task?.results.find((result) => result.index === index);
}

function nameOf(key: string, index: number): string {
  return `${index} ${key}`;
}
