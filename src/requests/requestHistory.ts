import { Emitter } from '../base/emitter.ts';
import type { FailureWorker } from './failureWorker.ts';
import { type ContentLimits, noLimits, type RequestContent } from './requestContent.ts';
import type { OpenedRequest, RequestFigures, RequestRecord } from './requestRecord.ts';

/** The maximum number of requests of other programs, so that they do not displace the requests of this window. */
const maxServed = 200;

/** The requests of this window, and the stored failures of all windows. */
export class RequestHistory {
  readonly #recent = new RecentRequests();
  readonly #failures: FailureWorker;
  readonly #onDidChange = new Emitter();
  readonly onDidChange = this.#onDidChange.event;
  #earlierFailures: readonly RequestFigures[] = [];
  /** The requests that the local gateway handled, newest first. */
  #served: readonly RequestFigures[] = [];

  constructor(failures: FailureWorker) {
    this.#failures = failures;
    this.#recent.onDidChange(() => this.#onDidChange.fire());
  }

  /**
   * The requests of this window, and requests of other programs that the gateway handled in the meantime, newest
   * first.
   */
  get recent(): readonly RequestFigures[] {
    const own = this.#recent.all.map(({ figures }) => figures);
    if (this.#served.length === 0) return own;
    // The local gateway also reports the requests of this window.
    const ownIds = new Set(own.map(({ requestId }) => requestId));
    const others = this.#served.filter(({ requestId }) => !ownIds.has(requestId));
    return [...own, ...others].sort((one, other) => other.requestedAt - one.requestedAt);
  }

  /** The failures of earlier sessions and other windows that were last read, newest first. */
  get earlierFailures(): readonly RequestFigures[] {
    return this.#earlierFailures.filter(({ id }) => !this.#recent.find(id));
  }

  find(id: string): RequestFigures | undefined {
    const others = [...this.#served, ...this.#earlierFailures];
    return this.#recent.find(id)?.figures ?? others.find((figures) => figures.id === id);
  }

  /** The latest request that was sent with this X-Request-Id. */
  findSent(requestId: string): RequestFigures | undefined {
    return [...this.recent, ...this.#earlierFailures].find((figures) => figures.requestId === requestId);
  }

  /** Adds a request that the local gateway handled. Its headers and bodies are unknown. */
  addServed(figures: RequestFigures): void {
    this.#served = [figures, ...this.#served].slice(0, maxServed);
    this.#onDidChange.fire();
  }

  add(record: RequestRecord): void {
    this.#recent.add(record);
    this.#failures.store(record);
  }

  /**
   * Reads the stored failures.
   *
   * @throws {StorageError}
   */
  async readEarlierFailures(): Promise<void> {
    this.#earlierFailures = await this.#failures.list();
    this.#onDidChange.fire();
  }

  /**
   * Reads the content of a request.
   *
   * @returns undefined for a request that is no longer known
   * @throws {StorageError} if a failure cannot be read
   */
  async open(id: string, limits = noLimits): Promise<OpenedRequest | undefined> {
    const record = this.#recent.find(id);
    const content = record && (await this.#readContent(record, limits));
    if (record && content) return { figures: record.figures, content };
    const served = this.#served.find((figures) => figures.id === id);
    if (served) return { figures: served };
    const stored = await this.#failures.get(id);
    return stored ?? (record && { figures: record.figures });
  }

  /** Hides credentials in the worker, or here if the worker fails. */
  async #readContent(record: RequestRecord, limits: ContentLimits): Promise<RequestContent | undefined> {
    const raw = record.raw(limits.maxBodyBytes);
    if (!raw) return undefined;
    const { hidesAll } = limits;
    return this.#failures.hide({ raw, hidesAll }).catch(() => record.content(limits));
  }

  /**
   * Drops all requests, and erases the stored failures of all windows from the disk.
   *
   * @throws {StorageError}
   */
  async clear(): Promise<void> {
    this.#served = [];
    this.#recent.clear();
    await this.clearStoredFailures();
  }

  /**
   * Erases the stored failures of all windows from the disk.
   *
   * @throws {StorageError}
   */
  async clearStoredFailures(): Promise<void> {
    await this.#failures.clear();
    this.#earlierFailures = [];
    this.#onDidChange.fire();
  }
}

const maxRequests = 500;
/** The limit for the contents of all requests. The contents of older requests are dropped. */
const maxContentBytes = 64 * 1024 * 1024;

/** The requests of this window since it was opened. The memory for them is limited. */
export class RecentRequests {
  readonly #onDidChange = new Emitter();
  readonly onDidChange = this.#onDidChange.event;
  /** Newest first. */
  #records: readonly RequestRecord[] = [];

  get all(): readonly RequestRecord[] {
    return this.#records;
  }

  find(id: string): RequestRecord | undefined {
    return this.#records.find(({ figures }) => figures.id === id);
  }

  add(record: RequestRecord): void {
    this.#records = limitContents([record, ...this.#records].slice(0, maxRequests));
    this.#onDidChange.fire();
  }

  clear(): void {
    this.#records = [];
    this.#onDidChange.fire();
  }
}

function limitContents(records: readonly RequestRecord[]): readonly RequestRecord[] {
  let bytes = 0;
  return records.map((record) => {
    bytes += record.contentBytes;
    return bytes <= maxContentBytes || record.contentBytes === 0 ? record : dropContent(record);
  });
}

function dropContent({ figures }: RequestRecord): RequestRecord {
  return { figures, content: () => undefined, raw: () => undefined, contentBytes: 0 };
}
