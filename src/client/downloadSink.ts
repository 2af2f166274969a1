import { performance } from 'node:perf_hooks';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';
import {
  createCutFileFailure,
  createNotReadyFailure,
  createTooLargeFileFailure,
  createWrongPartFailure,
} from './downloadFailure.ts';
import type { Progress, ReplyHead, ReplySink } from './replySink.ts';
import type { DownloadHead, DownloadTarget } from './types.ts';

/** Reading pauses while more bytes than this wait for the target. */
const maxWaitingBytes = 256 * 1024;

const progressIntervalMs = 100;

interface SinkOptions {
  readonly host: string;
  /** The number of stored bytes of the file; the reply may begin after them. */
  readonly from: number;
  readonly maxBytes: number;
  readonly onProgress: ((received: number, total: number | undefined) => void) | undefined;
}

/** Writes a body to its target, one write at a time, and pauses reading while the target is busy. */
export class DownloadSink implements ReplySink {
  readonly #target: DownloadTarget;
  readonly #options: SinkOptions;
  #downloadHead: DownloadHead | undefined;
  #failure: FailureDetails | undefined;
  /** Resolves after the target's last operation; never rejects. */
  #queue: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #targetError: { readonly error: unknown } | undefined;
  #receivedBytes = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(target: DownloadTarget, options: SinkOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** The facts about the file from the reply; undefined if the reply does not contain a file. */
  get downloadHead(): DownloadHead | undefined {
    return this.#downloadHead;
  }

  /** Whether the reply contains another range than the requested one. Such a reply is not passed to the target. */
  isWrongPart = false;

  /** Bytes of the file so far, including earlier downloads. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  begin({ status, headers }: ReplyHead): void {
    const { host, from, maxBytes } = this.#options;
    const head = readHead(status, headers, from);
    if (status !== 200 && status !== 206) this.#failure = createNotReadyFailure(status, host);
    else if (!head) this.#refusePart();
    else if ((head.total ?? 0) > maxBytes) this.#failure = createTooLargeFileFailure(maxBytes);
    else this.#start(head);
  }

  write(bytes: Uint8Array): Progress {
    if (this.#targetError) throw this.#targetError.error;
    if (this.#failure) return 'done';
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes > this.#options.maxBytes) {
      this.#failure = createTooLargeFileFailure(this.#options.maxBytes);
      return 'done';
    }
    this.#waitingBytes += bytes.length;
    this.#enqueue(async () => {
      await this.#target.write(bytes);
      this.#waitingBytes -= bytes.length;
    });
    this.#reportProgress();
    return 'data';
  }

  backlog(): Promise<void> | undefined {
    return this.#waitingBytes > maxWaitingBytes ? this.#queue : undefined;
  }

  end(cut?: FailureDetails): FailureDetails | undefined {
    if (this.#targetError) throw this.#targetError.error;
    if (this.#failure) return this.#failure;
    const total = this.#downloadHead?.total;
    return (
      cut ??
      (total !== undefined && this.#receivedBytes < total
        ? createCutFileFailure(this.#options.host)
        : undefined)
    );
  }

  /**
   * Resolves when the target has received everything.
   *
   * @throws any error that the target throws
   */
  async flush(): Promise<void> {
    await this.#queue;
    if (this.#targetError) throw this.#targetError.error;
  }

  #start(head: DownloadHead): void {
    this.#downloadHead = head;
    this.#receivedBytes = head.from;
    this.#enqueue(() => this.#target.begin(head));
  }

  #refusePart(): void {
    this.isWrongPart = true;
    this.#failure = createWrongPartFailure(this.#options.host);
  }

  #enqueue(task: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#targetError) return;
      try {
        await task();
      } catch (error) {
        this.#targetError = { error };
      }
    });
  }

  #reportProgress(): void {
    const now = performance.now();
    if (now - this.#reportedAt < progressIntervalMs) return;
    this.#reportedAt = now;
    this.#options.onProgress?.(this.#receivedBytes, this.#downloadHead?.total);
  }
}

/** @returns undefined if the range does not begin after the first `from` bytes */
function readHead(status: number, headers: ReplyHeaders, from: number): DownloadHead | undefined {
  const isEncoded = /[^\s,]/.test(readHeader(headers['content-encoding']).replace(/identity/gi, ''));
  const mimeType = readHeader(headers['content-type']).split(';')[0]?.trim().toLowerCase();
  const file = { ...readValidator(headers), ...(mimeType && { mimeType }) };
  if (status !== 206) {
    const length = isEncoded ? undefined : parseWholeNumber(readHeader(headers['content-length']));
    return { from: 0, ...(length !== undefined && { total: length }), ...file };
  }
  const [, start, size = ''] =
    /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(readHeader(headers['content-range'])) ?? [];
  if (start === undefined || Number(start) !== from || isEncoded) return undefined;
  const total = parseWholeNumber(size);
  return { from, ...(total !== undefined && { total }), ...file };
}

/** Reads the identifier of this exact version of a file. A weak ETag is not exact. */
function readValidator(headers: ReplyHeaders): Pick<DownloadHead, 'validator'> {
  const etag = readHeader(headers.etag);
  const validator = /^"[^"\r\n]*"$/.test(etag) ? etag : readHeader(headers['last-modified']);
  return validator === '' ? {} : { validator };
}

function parseWholeNumber(digits: string): number | undefined {
  const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function readHeader(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header.trim() : (header?.[0] ?? '').trim();
}
