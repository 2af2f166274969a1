import { performance } from 'node:perf_hooks';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import type { FailureDetails } from '../wire/failures/failureOfReply.ts';
import { endedEarly, notReady, tooLarge, wrongPart } from './downloadFailure.ts';
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
  /** Settles with the target's last operation; never rejects. */
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #thrown: { readonly error: unknown } | undefined;
  #received = 0;
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
  get received(): number {
    return this.#received;
  }

  head({ status, headers }: ReplyHead): void {
    const { host, from, maxBytes } = this.#options;
    const head = readHead(status, headers, from);
    if (status !== 200 && status !== 206) this.#failure = notReady(status, host);
    else if (!head) this.#refusePart();
    else if ((head.total ?? 0) > maxBytes) this.#failure = tooLarge(maxBytes);
    else this.#begin(head);
  }

  write(bytes: Uint8Array): Progress {
    if (this.#thrown) throw this.#thrown.error;
    if (this.#failure) return 'done';
    this.#received += bytes.length;
    if (this.#received > this.#options.maxBytes) {
      this.#failure = tooLarge(this.#options.maxBytes);
      return 'done';
    }
    this.#waiting += bytes.length;
    this.#enqueue(async () => {
      await this.#target.write(bytes);
      this.#waiting -= bytes.length;
    });
    this.#reportProgress();
    return 'data';
  }

  backlog(): Promise<void> | undefined {
    return this.#waiting > maxWaitingBytes ? this.#queue : undefined;
  }

  end(cut?: FailureDetails): FailureDetails | undefined {
    if (this.#thrown) throw this.#thrown.error;
    if (this.#failure) return this.#failure;
    const total = this.#downloadHead?.total;
    return (
      cut ?? (total !== undefined && this.#received < total ? endedEarly(this.#options.host) : undefined)
    );
  }

  /**
   * Resolves when the target has received everything.
   *
   * @throws any error that the target throws
   */
  async settled(): Promise<void> {
    await this.#queue;
    if (this.#thrown) throw this.#thrown.error;
  }

  #begin(head: DownloadHead): void {
    this.#downloadHead = head;
    this.#received = head.from;
    this.#enqueue(() => this.#target.begin(head));
  }

  #refusePart(): void {
    this.isWrongPart = true;
    this.#failure = wrongPart(this.#options.host);
  }

  #enqueue(task: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#thrown) return;
      try {
        await task();
      } catch (error) {
        this.#thrown = { error };
      }
    });
  }

  #reportProgress(): void {
    const now = performance.now();
    if (now - this.#reportedAt < progressIntervalMs) return;
    this.#reportedAt = now;
    this.#options.onProgress?.(this.#received, this.#downloadHead?.total);
  }
}

/** @returns undefined if the range does not begin after the first `from` bytes */
function readHead(status: number, headers: ReplyHeaders, from: number): DownloadHead | undefined {
  const encoded = /[^\s,]/.test(text(headers['content-encoding']).replace(/identity/gi, ''));
  const mimeType = text(headers['content-type']).split(';')[0]?.trim().toLowerCase();
  const described = { ...validatorIn(headers), ...(mimeType && { mimeType }) };
  if (status !== 206) {
    const length = encoded ? undefined : wholeNumber(text(headers['content-length']));
    return { from: 0, ...(length !== undefined && { total: length }), ...described };
  }
  const [, start, size = ''] = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(text(headers['content-range'])) ?? [];
  if (start === undefined || Number(start) !== from || encoded) return undefined;
  const total = wholeNumber(size);
  return { from, ...(total !== undefined && { total }), ...described };
}

/** Returns the identifier of this exact version of a file. A weak ETag is not exact. */
function validatorIn(headers: ReplyHeaders): Pick<DownloadHead, 'validator'> {
  const etag = text(headers.etag);
  const validator = /^"[^"\r\n]*"$/.test(etag) ? etag : text(headers['last-modified']);
  return validator === '' ? {} : { validator };
}

function wholeNumber(digits: string): number | undefined {
  const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function text(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header.trim() : (header?.[0] ?? '').trim();
}
