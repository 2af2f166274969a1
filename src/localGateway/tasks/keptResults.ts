import { randomUUID } from 'node:crypto';
import { StorageError } from '../../storage/database.ts';
import { HttpError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { Upstream, UpstreamCaller, UpstreamReply } from '../upstreams/upstream.ts';
import { type FetchedResult, fetchPublicResult, resultBody, resultType } from './publicResult.ts';
import { isAtUpstream, type KeptResult, type RemoteTask, type ToldResult } from './remoteTask.ts';
import { ResultError, ResultFolder } from './resultFolder.ts';
import type { TaskFile } from './taskFile.ts';
import { isRemote } from './taskState.ts';

export interface KeptResultsOptions {
  readonly catalogue: Catalogue;
  readonly file: TaskFile;
  readonly log: (line: string) => void;
  /** Names the proxies. */
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the gateway ends. */
  readonly signal: AbortSignal;
}

/** How long fetching a result may take, in milliseconds. */
const fetchTimeoutMs = 30 * 60_000;

/** More are forgotten, and told again. */
const maxTold = 1_000;

/** The results of tasks that upstreams make: fetched once, and kept as long as their tasks. */
export class KeptResults {
  readonly #options: KeptResultsOptions;
  readonly #folder: ResultFolder;
  /** Results that are being fetched. */
  readonly #fetching = new Map<string, Promise<KeptResult>>();
  /** Lines of the log that were written already. */
  readonly #told = new Set<string>();

  constructor(options: KeptResultsOptions) {
    this.#options = options;
    this.#folder = new ResultFolder(options.file.results);
  }

  /** Keeps data of a record. */
  async keepBytes(id: string, index: number, mimeType: string, bytes: Buffer): Promise<void> {
    const kept = await this.#folder.keep(id, index, safeType(mimeType), [bytes]);
    this.#options.file.open().keep(id, { [index]: kept });
  }

  /** Keeps what is not kept yet of a completed task. Never rejects: what cannot be fetched is logged. */
  async keepAll(task: RemoteTask): Promise<void> {
    for (const [index, { expiresAt }] of task.told.results.entries()) {
      // An address that has ended gives nothing any more.
      if (expiresAt !== undefined && expiresAt < Date.now()) continue;
      try {
        await this.keep(task, index);
      } catch (error) {
        if (this.#options.signal.aborted) return;
        this.#tell(`result ${index} of ${task.id} is not kept: ${reasonOf(error)}`);
      }
    }
  }

  /**
   * A result in the folder, fetched now unless it is there.
   *
   * @throws {ResultError} when it cannot be had
   * @throws {HttpError} the upstream's failure
   */
  async keep(task: RemoteTask, index: number): Promise<KeptResult> {
    const kept = task.kept[index];
    if (kept && (await this.#folder.has(kept))) return kept;
    const result = task.told.results[index];
    if (!result) throw new ResultError('there is no such result');
    const name = `${task.id}-${index}`;
    const fetching = this.#fetching.get(name) ?? this.#fetch(task, index, result);
    this.#fetching.set(name, fetching);
    return fetching.finally(() => this.#fetching.delete(name));
  }

  read(kept: KeptResult): Promise<Buffer | undefined> {
    return this.#folder.read(kept);
  }

  /** @param last the place of the last byte */
  stream(kept: KeptResult, first: number, last: number): AsyncIterable<Uint8Array> {
    return this.#folder.stream(kept, first, last);
  }

  remove(id: string): Promise<void> {
    return this.#folder.remove(id);
  }

  /** Resolves when nothing is being fetched, which ends soon once the gateway ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#fetching.values());
  }

  /** Removes what is of no task any more. */
  async sweep(): Promise<void> {
    await this.#folder.sweep((ids) => this.#options.file.open().existing(ids));
  }

  /** It is tried again and again, and told once. */
  #tell(line: string): void {
    if (this.#told.has(line)) return;
    if (this.#told.size >= maxTold) this.#told.clear();
    this.#told.add(line);
    this.#options.log(line);
  }

  async #fetch(task: RemoteTask, index: number, result: ToldResult): Promise<KeptResult> {
    const { file } = this.#options;
    const kept = await this.#fetchFile(task, index, result).catch((error: unknown) => {
      this.#offerAddress(task, index, result);
      throw error;
    });
    const now = file.open().get(task.id);
    // A task that was deleted meanwhile leaves nothing behind.
    if (now && isRemote(now)) file.open().keep(task.id, { [index]: kept });
    else await this.#folder.remove(task.id);
    return kept;
  }

  /** Names a result's own address from now on, where that needs no key. */
  #offerAddress(task: RemoteTask, index: number, { url, isDirect }: ToldResult): void {
    const { catalogue, file, signal } = this.#options;
    if (signal.aborted || isDirect || url === undefined || !URL.canParse(url)) return;
    if (isAtUpstream(new URL(url), catalogue.upstreamOf(task.upstream)?.origins)) return;
    try {
      file.open().markDirect(task.id, index);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  async #fetchFile(task: RemoteTask, index: number, result: ToldResult): Promise<KeptResult> {
    const done = new AbortController();
    const limit = AbortSignal.timeout(fetchTimeoutMs);
    const signal = AbortSignal.any([this.#options.signal, limit, done.signal]);
    try {
      const { mimeType, body } = await this.#source(task, result, signal);
      return await this.#folder.keep(task.id, index, safeType(result.mimeType ?? mimeType), body);
    } catch (error) {
      if (error instanceof HttpError || error instanceof ResultError) throw error;
      throw new ResultError(reasonOf(error), { cause: error });
    } finally {
      // The rest of a refused reply is not read.
      done.abort();
    }
  }

  async #source(task: RemoteTask, { url }: ToldResult, signal: AbortSignal): Promise<FetchedResult> {
    const upstream = this.#options.catalogue.upstreamOf(task.upstream);
    const caller = { headers: {}, requestId: randomUUID(), signal };
    if (url === undefined) return fetched(await contentOf(task, upstream, caller));
    if (!URL.canParse(url)) throw new ResultError('its address cannot be read');
    const address = ownAddress(new URL(url), upstream);
    if (address && upstream?.readResult) return fetched(await upstream.readResult(address, caller));
    return fetchPublicResult(url, signal, this.#options.env);
  }
}

async function contentOf(
  { format, upstreamId }: RemoteTask,
  upstream: Upstream | undefined,
  caller: UpstreamCaller,
): Promise<UpstreamReply> {
  const content = upstream?.tasks[format]?.content;
  if (!content || upstreamId === undefined) throw new ResultError('its upstream has no way to give it');
  return content({ ...caller, task: upstreamId });
}

/** The address, where the upstream itself has it and its key may go. Files are asked for with their bytes. */
function ownAddress(url: URL, upstream: Upstream | undefined): URL | undefined {
  if (!isAtUpstream(url, upstream?.origins)) return undefined;
  if (!/\/files\/[^/]+$/.test(url.pathname) || url.searchParams.has('alt')) return url;
  const media = new URL(url);
  media.searchParams.set('alt', 'media');
  return media;
}

function fetched({ status, headers, body }: UpstreamReply): FetchedResult {
  const mimeType = resultType(status, headers['content-type']);
  return { mimeType, body: resultBody(body, headers['content-encoding']) };
}

/** What a browser would run as a page comes as bytes. */
export function safeType(mimeType: string): string {
  const type = mimeType.toLowerCase();
  const isMedia = /^(?:video|audio|image)\/[\w.+-]+$/.test(type) && !/^image\/.*(?:svg|xml)/.test(type);
  return isMedia ? type : 'application/octet-stream';
}

function reasonOf(error: unknown): string {
  if (error instanceof ResultError || error instanceof HttpError) return error.message;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk of this machine is full';
  const isOfDisk = typeof syscall === 'string' && !/^(?:read|connect)$/.test(syscall);
  return isOfDisk ? `its file cannot be written (${code})` : 'it was cut';
}
