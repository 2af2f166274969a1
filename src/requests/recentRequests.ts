import { Emitter } from '../base/emitter.ts';
import type { RequestRecord } from './requestRecord.ts';

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
