import { randomUUID } from 'node:crypto';
import { maxRedirects } from '../../http/redirects.ts';
import { StorageError } from '../../storage/database.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { Upstream, UpstreamCaller, UpstreamReply } from '../upstreams/upstream.ts';
import { RedirectError } from '../upstreams/upstreamFailure.ts';
import { decompressResult, type FetchedResult, fetchPublicResult, readResultType } from './publicResult.ts';
import { ResultError, ResultFolder } from './resultFolder.ts';
import type { TaskFile } from './taskFile.ts';
import { isUpstreamTask } from './taskState.ts';
import { isAtUpstream, type ReportedResult, type StoredResult, type UpstreamTask } from './upstreamTask.ts';

interface ResultStoreOptions {
  readonly catalogue: Catalogue;
  readonly file: TaskFile;
  readonly log: (line: string) => void;
  /** Names the proxies. */
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the gateway ends. */
  readonly signal: AbortSignal;
}

/** The time limit for fetching a result, in milliseconds. */
const fetchTimeoutMs = 30 * 60_000;

/** The most log lines that are remembered. Above this number, all lines are forgotten and may be logged again. */
const maxLoggedLines = 1_000;

/** The results of tasks at upstreams. Each result is fetched once, and stored as long as its task. */
export class ResultStore {
  readonly folder: ResultFolder;
  readonly #options: ResultStoreOptions;
  /** Results that are being fetched. */
  readonly #fetching = new Map<string, Promise<StoredResult>>();
  /** Log lines that were already written. */
  readonly #loggedLines = new Set<string>();

  constructor(options: ResultStoreOptions) {
    this.#options = options;
    this.folder = new ResultFolder(options.file.resultsFolder);
  }

  /** Stores data that a record contains. */
  async storeBytes(id: string, index: number, mimeType: string, bytes: Buffer): Promise<void> {
    const storedResult = await this.folder.store(id, index, toSafeType(mimeType), [bytes]);
    this.#options.file.open().storeResults(id, { [index]: storedResult });
  }

  /** Fetches the missing results of a completed task. Never rejects: results that cannot be fetched are logged. */
  async fetchMissing(task: UpstreamTask): Promise<void> {
    for (const [index, { expiresAt }] of task.report.results.entries()) {
      // An expired address no longer has the result.
      if (expiresAt !== undefined && expiresAt < Date.now()) continue;
      try {
        await this.ensureStored(task, index);
      } catch (error) {
        if (this.#options.signal.aborted) return;
        this.#logOnce(`result ${index} of ${task.id} was not stored: ${describeReason(error)}`);
      }
    }
  }

  /**
   * Returns a result in the folder, and fetches it first if it is missing.
   *
   * @throws {ResultError} if it cannot be fetched
   * @throws {HttpError} the upstream's failure
   */
  async ensureStored(task: UpstreamTask, index: number): Promise<StoredResult> {
    const storedResult = task.storedResults[index];
    if (storedResult && (await this.folder.has(storedResult))) return storedResult;
    const result = task.report.results[index];
    if (!result) throw new ResultError('there is no such result');
    const name = `${task.id}-${index}`;
    const fetching = this.#fetching.get(name) ?? this.#fetch(task, index, result);
    this.#fetching.set(name, fetching);
    return fetching.finally(() => this.#fetching.delete(name));
  }

  /** Resolves when nothing is being fetched, which is soon after the gateway ends. */
  async waitUntilSettled(): Promise<void> {
    await Promise.allSettled(this.#fetching.values());
  }

  /** See `ResultFolder.sweep`. */
  async sweep(): Promise<void> {
    await this.folder.sweep((ids) => this.#options.file.open().findExistingIds(ids));
  }

  /** Fetches are retried many times, but each problem is logged once. */
  #logOnce(line: string): void {
    if (this.#loggedLines.has(line)) return;
    if (this.#loggedLines.size >= maxLoggedLines) this.#loggedLines.clear();
    this.#loggedLines.add(line);
    this.#options.log(line);
  }

  async #fetch(task: UpstreamTask, index: number, result: ReportedResult): Promise<StoredResult> {
    const { file } = this.#options;
    const storedResult = await this.#fetchFile(task, index, result).catch((error: unknown) => {
      this.#offerAddress(task, index, result);
      throw error;
    });
    const current = file.open().get(task.id);
    // If the task was deleted in the meantime, its result is removed.
    if (current && isUpstreamTask(current)) file.open().storeResults(task.id, { [index]: storedResult });
    else await this.folder.remove(task.id);
    return storedResult;
  }

  /** Marks a result whose own address callers get from now on, if the address does not need a key. */
  #offerAddress(task: UpstreamTask, index: number, { url, isDirect }: ReportedResult): void {
    const { catalogue, file, signal } = this.#options;
    if (signal.aborted || isDirect || url === undefined || !URL.canParse(url)) return;
    if (isAtUpstream(new URL(url), catalogue.findUpstream(task.upstream)?.origins)) return;
    try {
      file.open().markDirect(task.id, index);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  async #fetchFile(task: UpstreamTask, index: number, result: ReportedResult): Promise<StoredResult> {
    const dropController = new AbortController();
    const limit = AbortSignal.timeout(fetchTimeoutMs);
    const signal = AbortSignal.any([this.#options.signal, limit, dropController.signal]);
    try {
      const { mimeType, body } = await this.#openSource(task, result, signal);
      return await this.folder.store(task.id, index, toSafeType(result.mimeType ?? mimeType), body);
    } catch (error) {
      if (error instanceof HttpError || error instanceof ResultError) throw error;
      throw new ResultError(describeReason(error), { cause: error });
    } finally {
      // The rest of a refused reply is not read.
      dropController.abort();
    }
  }

  async #openSource(
    task: UpstreamTask,
    { url }: ReportedResult,
    signal: AbortSignal,
  ): Promise<FetchedResult> {
    const upstream = this.#options.catalogue.findUpstream(task.upstream);
    const caller = { headers: {}, requestId: randomUUID(), signal, keyName: task.keyName };
    if (url === undefined) return createFetchedResult(await readContent(task, upstream, caller));
    if (!URL.canParse(url)) throw new ResultError('its address cannot be read');
    let address = new URL(url);
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const ownAddress = findOwnAddress(address, upstream);
      if (!ownAddress || !upstream?.readResult)
        return fetchPublicResult(address.href, signal, this.#options.env);
      const replyOrTarget = await upstream.readResult(ownAddress, caller).catch(readRedirectTarget);
      if (!(replyOrTarget instanceof URL)) return createFetchedResult(replyOrTarget);
      address = replyOrTarget;
    }
    throw new ResultError('its address redirects too often');
  }
}

/** Reads the target of a redirect. Providers redirect from their API to the address of a file. */
function readRedirectTarget(error: unknown): URL {
  if (error instanceof RedirectError && error.target) return error.target;
  throw error;
}

async function readContent(
  { format, upstreamId }: UpstreamTask,
  upstream: Upstream | undefined,
  caller: UpstreamCaller,
): Promise<UpstreamReply> {
  const content = upstream?.tasks[format]?.readContent;
  if (!content || upstreamId === undefined) throw new ResultError('its upstream does not offer it');
  return content({ ...caller, task: upstreamId });
}

/**
 * Returns the address if it is at the upstream itself, so that the key may be sent to it. The address of a file
 * returns metadata, and with `alt=media` the bytes.
 */
function findOwnAddress(url: URL, upstream: Upstream | undefined): URL | undefined {
  if (!isAtUpstream(url, upstream?.origins)) return undefined;
  if (!/\/files\/[^/]+$/.test(url.pathname) || url.searchParams.has('alt')) return url;
  const media = new URL(url);
  media.searchParams.set('alt', 'media');
  return media;
}

function createFetchedResult({ status, headers, body }: UpstreamReply): FetchedResult {
  const mimeType = readResultType(status, headers['content-type']);
  return { mimeType, body: decompressResult(body, headers['content-encoding']) };
}

/** Replaces types that a browser could run as a page by the type of plain bytes. */
export function toSafeType(mimeType: string): string {
  const type = mimeType.toLowerCase();
  const isMedia = /^(?:video|audio|image)\/[\w.+-]+$/.test(type) && !/^image\/.*(?:svg|xml)/.test(type);
  return isMedia ? type : 'application/octet-stream';
}

function describeReason(error: unknown): string {
  if (error instanceof ResultError || error instanceof HttpError) return error.message;
  if (error instanceof StorageError) return error.message;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of this machine is full';
  const isDiskError = typeof syscall === 'string' && !/^(?:read|connect)$/.test(syscall);
  return isDiskError ? `its file cannot be written (${code})` : 'it was cut off';
}
