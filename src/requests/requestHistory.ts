import { Emitter } from '../base/emitter.ts';
import { RecentRequests } from './recentRequests.ts';
import type { ContentLimits, RequestContent } from './requestContent.ts';
import type { RequestFigures, RequestRecord } from './requestRecord.ts';

/** A request with what is known of its headers and bodies. */
export interface OpenedRequest {
  readonly figures: RequestFigures;
  readonly content?: RequestContent;
}

/** The requests that can be looked at. */
export class RequestHistory {
  readonly #recent = new RecentRequests();
  readonly #onDidChange = new Emitter();
  readonly onDidChange = this.#onDidChange.event;

  constructor() {
    this.#recent.onDidChange(() => this.#onDidChange.fire());
  }

  /** Those of this window, newest first. */
  get recent(): readonly RequestFigures[] {
    return this.#recent.all.map(({ figures }) => figures);
  }

  find(id: string): RequestFigures | undefined {
    return this.#recent.find(id)?.figures;
  }

  add(record: RequestRecord): void {
    this.#recent.add(record);
  }

  /** @returns undefined for a request that is no longer known */
  async open(id: string, limits?: ContentLimits): Promise<OpenedRequest | undefined> {
    const record = this.#recent.find(id);
    if (!record) return undefined;
    const content = record.content(limits);
    return { figures: record.figures, ...(content && { content }) };
  }

  async clear(): Promise<void> {
    this.#recent.clear();
  }
}
