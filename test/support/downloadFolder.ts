import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/node/clock.ts';
import type { Downloaded, DownloadOptions, DownloadTarget } from '../../src/client/types.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import type { LedgerResult, Task, TaskDraft } from '../../src/tasks/record/task.ts';
import { ResultDownloads } from '../../src/tasks/results/resultDownloads.ts';
import type { ResultClient } from '../../src/tasks/results/resumedDownload.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';
import { explain } from '../../src/wire/explanations/explanation.ts';
import { GatewayError, type GatewayErrorInit } from '../../src/wire/failures/gatewayError.ts';
import { TestClock, waitByClock } from './testClock.ts';

type ResultDownloadsOptions = ConstructorParameters<typeof ResultDownloads>[0];

/** The address of a result, with a secret signature. */
export const resultLink = 'https://media.example/v/clip.mp4?Signature=canary';

export type ScriptedDownload = (
  target: DownloadTarget,
  options: DownloadOptions,
  address: string,
) => Promise<Downloaded>;

/** A gateway client that follows one script for each download; the last one for all further ones. */
export class ScriptedClient implements ResultClient {
  readonly addresses: string[] = [];
  readonly requests: DownloadOptions[] = [];
  reads = 0;
  readonly #scripts: ScriptedDownload[];
  readonly #read: () => TaskSnapshot;

  constructor(
    scripts: ScriptedDownload | readonly ScriptedDownload[],
    read: () => TaskSnapshot = throwUnreadable,
  ) {
    this.#scripts = typeof scripts === 'function' ? [scripts] : [...scripts];
    this.#read = read;
  }

  async download(
    address: string,
    target: DownloadTarget,
    options: DownloadOptions = {},
  ): Promise<Downloaded> {
    this.addresses.push(address);
    this.requests.push(options);
    const script = this.#scripts.length > 1 ? this.#scripts.shift() : this.#scripts[0];
    if (!script) throw new Error('there is no script for this download');
    return script(target, options, address);
  }

  async readTask(): Promise<TaskSnapshot> {
    this.reads += 1;
    return this.#read();
  }
}

function throwUnreadable(): TaskSnapshot {
  throw createError({ kind: 'server', status: 500 });
}

export interface SendOptions {
  readonly mimeType?: string;
  /** The announced size; the size of the file if absent, not announced if null. */
  readonly total?: number | null;
  readonly validator?: string;
  /** The download breaks off at this byte of the file. */
  readonly cutAt?: number;
}

/** Creates a download that sends a file in pieces, or the rest of it if a range is requested. */
export function createDownload(file: Uint8Array, options: SendOptions = {}): ScriptedDownload {
  const { mimeType = 'video/mp4', total = file.length, validator = '"v1"', cutAt } = options;
  return async (target, { from, onProgress }, address) => {
    const start = from?.validator === validator ? from.bytes : 0;
    const head = { from: start, mimeType, ...(total !== null && { total }), ...(validator && { validator }) };
    await target.begin(head);
    const end = cutAt ?? file.length;
    for (let at = start; at < end; at += 4096) {
      await target.write(file.subarray(at, Math.min(at + 4096, end)));
      onProgress?.(Math.min(at + 4096, end), head.total);
    }
    if (cutAt !== undefined) throw createError({ kind: 'unreachable', reason: 'cut' });
    return { ...head, bytes: file.length, source: address.replace(/\?.*/, '') };
  };
}

export function createFailedDownload(
  facts: Pick<GatewayErrorInit, 'kind'> & Partial<GatewayErrorInit>,
): ScriptedDownload {
  return () => Promise.reject(createError(facts));
}

function createError(facts: Pick<GatewayErrorInit, 'kind'> & Partial<GatewayErrorInit>): GatewayError {
  return new GatewayError({
    explanation: explain('not-sent', { cause: `failed: ${facts.reason ?? facts.status ?? facts.kind}` }),
    requestedAt: new Date(),
    requestId: 'r',
    ...facts,
  });
}

export interface WindowOptions extends Partial<Omit<ResultDownloadsOptions, 'ledger'>> {
  readonly clock?: Clock;
}

/** A folder for results and a ledger, removed after the test. */
export class DownloadFolder {
  readonly path: string;
  readonly folder: string;
  readonly #ledgers: Ledger[] = [];

  constructor(parent = tmpdir()) {
    this.path = mkdtempSync(join(parent, 'results-'));
    this.folder = join(this.path, 'kept');
  }

  /** A window with its own ledger on the shared file. */
  openWindow(
    name: string,
    client: ResultClient,
    options: WindowOptions = {},
  ): { ledger: Ledger; results: ResultDownloads } {
    const database = openDatabase({ path: join(this.path, 'tasks.db'), migrations: ledgerMigrations });
    const ledger = new Ledger(database, { window: name });
    this.#ledgers.push(ledger);
    const results = new ResultDownloads({
      ledger,
      windows: { isAlive: () => true },
      getClient: () => client,
      folder: () => this.folder,
      ...options,
    });
    return { ledger, results };
  }

  /** Fetches the results at `urls` in its own window and waits for the end, through pauses of any length. */
  async downloadAll(client: ScriptedClient, urls: readonly string[] = [resultLink], clock = new TestClock()) {
    const { ledger, results } = this.openWindow('w', client, { clock });
    const { key } = addCompletedTask(ledger, urls);
    await waitByClock(clock, results.downloadAll(key));
    return { ledger, results, key, task: readTask(ledger, key) };
  }

  /** The existing files, by name. */
  listFiles(): readonly string[] {
    try {
      return readdirSync(this.folder).sort();
    } catch {
      return [];
    }
  }

  readFile(name: string): Buffer {
    return readFileSync(join(this.folder, name));
  }

  remove(): void {
    for (const ledger of this.#ledgers) ledger.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Adds a task that has completed with results at these addresses. */
export function addCompletedTask(
  ledger: Ledger,
  urls: readonly string[],
  { expiresAt, ...facts }: Partial<TaskDraft> & { readonly expiresAt?: Date } = {},
): Task {
  const key = facts.key ?? 'key-1';
  ledger.create({
    key,
    gateway: 'https://gateway.example',
    gatewayName: 'work',
    route: 'videoSynthesis',
    model: 'video-1',
    prompt: 'a lake at dawn',
    request: { model: 'video-1', input: { prompt: 'a lake' } },
    ...facts,
  });
  ledger.claimSubmission(key, `request-${key}`);
  ledger.accept(key, `task-${key}`);
  ledger.recordSnapshot(key, createSnapshot(urls, expiresAt));
  return readTask(ledger, key);
}

/** Creates the gateway's snapshot of a completed task. */
export function createSnapshot(urls: readonly string[], expiresAt?: Date): TaskSnapshot {
  return {
    status: 'completed',
    results: urls.map((url) => ({ url, ...(expiresAt && { expiresAt }) })),
    raw: { status: 'completed' },
  };
}

export function readTask(ledger: Ledger, key = 'key-1'): Task {
  const task = ledger.get(key);
  if (!task) throw new Error(`no task ${key}`);
  return task;
}

export function readResult(ledger: Ledger, index = 0, key = 'key-1'): LedgerResult {
  const result = readTask(ledger, key).results[index];
  if (!result) throw new Error(`no result ${index}`);
  return result;
}
