import { Emitter } from '../base/emitter.ts';
import type { KeptFailures } from './keptFailures.ts';
import { type ContentLimits, everything, type RequestContent } from './requestContent.ts';
import type { RequestFigures, RequestRecord } from './requestRecord.ts';

/** A request with what is known of its headers and bodies. */
export interface OpenedRequest {
  readonly figures: RequestFigures;
  readonly content?: RequestContent | undefined;
}

/** A busy program leaves room for the requests of this window. */
const maxServed = 200;

/** The requests that can be looked at: those of this window, and failures that are kept of all windows. */
export class RequestHistory {
  readonly #recent = new RecentRequests();
  readonly #failures: KeptFailures;
  readonly #onDidChange = new Emitter();
  readonly onDidChange = this.#onDidChange.event;
  #kept: readonly RequestFigures[] = [];
  /** Newest first. */
  #served: readonly RequestFigures[] = [];

  constructor(failures: KeptFailures) {
    this.#failures = failures;
    this.#recent.onDidChange(() => this.#onDidChange.fire());
  }

  /** Those of this window, and those of other programs that were served meanwhile, newest first. */
  get recent(): readonly RequestFigures[] {
    const own = this.#recent.all.map(({ figures }) => figures);
    if (this.#served.length === 0) return own;
    // The local gateway tells of the requests of this window, too.
    const known = new Set(own.map(({ requestId }) => requestId));
    const others = this.#served.filter(({ requestId }) => !known.has(requestId));
    return [...own, ...others].sort((one, other) => other.requestedAt - one.requestedAt);
  }

  /** Failures of earlier sessions and other windows, newest first, as they were last read. */
  get kept(): readonly RequestFigures[] {
    return this.#kept.filter(({ id }) => !this.#recent.find(id));
  }

  find(id: string): RequestFigures | undefined {
    const others = [...this.#served, ...this.#kept];
    return this.#recent.find(id)?.figures ?? others.find((figures) => figures.id === id);
  }

  /** The latest request that was sent with this X-Request-Id. */
  findSent(requestId: string): RequestFigures | undefined {
    return [...this.recent, ...this.#kept].find((figures) => figures.requestId === requestId);
  }

  /** Adds a request that the local gateway answered. Its headers and bodies are known to nobody here. */
  addServed(figures: RequestFigures): void {
    this.#served = [figures, ...this.#served].slice(0, maxServed);
    this.#onDidChange.fire();
  }

  add(record: RequestRecord): void {
    this.#recent.add(record);
    this.#failures.keep(record);
  }

  /**
   * Reads the failures that are kept.
   *
   * @throws {StorageError}
   */
  async readKept(): Promise<void> {
    this.#kept = await this.#failures.list();
    this.#onDidChange.fire();
  }

  /**
   * @returns undefined for a request that is no longer known
   * @throws {StorageError} of a failure that cannot be read
   */
  async open(id: string, limits = everything): Promise<OpenedRequest | undefined> {
    const record = this.#recent.find(id);
    const content = record && (await this.#contentOf(record, limits));
    if (record && content) return { figures: record.figures, content };
    const served = this.#served.find((figures) => figures.id === id);
    if (served) return { figures: served };
    const kept = await this.#failures.get(id);
    return kept ?? (record && { figures: record.figures });
  }

  /** Hides credentials where nobody waits for it, or here where there is no such place. */
  async #contentOf(record: RequestRecord, limits: ContentLimits): Promise<RequestContent | undefined> {
    const raw = record.raw(limits.maxBodyBytes);
    if (!raw) return undefined;
    const { hidesAll } = limits;
    return this.#failures.hide({ raw, hidesAll }).catch(() => record.content(limits));
  }

  /**
   * Forgets all requests, and erases from the disk those of all windows.
   *
   * @throws {StorageError}
   */
  async clear(): Promise<void> {
    this.#served = [];
    this.#recent.clear();
    await this.clearKept();
  }

  /** Erases from the disk the failures of all windows. @throws {StorageError} */
  async clearKept(): Promise<void> {
    await this.#failures.clear();
    this.#kept = [];
    this.#onDidChange.fire();
  }
}

const maxRequests = 500;
/** Contents of older requests are dropped beyond this. */
const maxContentBytes = 64 * 1024 * 1024;

/** The requests of this window since it was opened, in memory of a bounded size. */
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
    this.#records = withinMemory([record, ...this.#records].slice(0, maxRequests));
    this.#onDidChange.fire();
  }

  clear(): void {
    this.#records = [];
    this.#onDidChange.fire();
  }
}

function withinMemory(records: readonly RequestRecord[]): readonly RequestRecord[] {
  let bytes = 0;
  return records.map((record) => {
    bytes += record.contentBytes;
    return bytes <= maxContentBytes || record.contentBytes === 0 ? record : withoutContent(record);
  });
}

function withoutContent({ figures }: RequestRecord): RequestRecord {
  return { figures, content: () => undefined, raw: () => undefined, contentBytes: 0 };
}
