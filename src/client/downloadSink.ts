import { performance } from 'node:perf_hooks';
import type { FailureDetails } from '../wire/errorMapping.ts';
import type { ReplyHeaders } from '../wire/retryHint.ts';
import { endedEarly, notReady, tooLarge, wrongPart } from './downloadFailure.ts';
import type { Progress, ReplyHead, ReplySink } from './replySink.ts';
import type { DownloadHead, DownloadTarget } from './types.ts';

/** How many bytes may wait for the target before reading pauses. */
const maxWaitingBytes = 256 * 1024;

const progressIntervalMs = 100;

export interface SinkOptions {
  readonly host: string;
  /** How many bytes of the file exist already; the reply may begin behind them. */
  readonly from: number;
  readonly maxBytes: number;
  readonly onProgress: ((received: number, total: number | undefined) => void) | undefined;
}

/** Passes a body on to its target, one write at a time, and pauses reading while the target is busy. */
export class DownloadSink implements ReplySink {
  readonly #target: DownloadTarget;
  readonly #options: SinkOptions;
  #begun: DownloadHead | undefined;
  #failure: FailureDetails | undefined;
  /** Settles with the target's last operation; never rejects. */
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #thrown: { readonly error: unknown } | undefined;
  #received = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(target: DownloadTarget, options: SinkOptions) {
    this.#target = target;
    this.#options = options;
  }

  /** What the reply says about the file; undefined when it brings none. */
  get begun(): DownloadHead | undefined {
    return this.#begun;
  }

  /** Whether the reply holds another range than the one asked for. The target gets nothing of it. */
  wrongPart = false;

  /** Bytes of the file so far, those of earlier downloads included. */
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
    this.#tell();
    return 'data';
  }

  backlog(): Promise<void> | undefined {
    return this.#waiting > maxWaitingBytes ? this.#queue : undefined;
  }

  end(cut?: FailureDetails): FailureDetails | undefined {
    if (this.#thrown) throw this.#thrown.error;
    if (this.#failure) return this.#failure;
    const total = this.#begun?.total;
    return (
      cut ?? (total !== undefined && this.#received < total ? endedEarly(this.#options.host) : undefined)
    );
  }

  /**
   * Resolves once the target has taken everything.
   *
   * @throws what the target throws
   */
  async settled(): Promise<void> {
    await this.#queue;
    if (this.#thrown) throw this.#thrown.error;
  }

  #begin(head: DownloadHead): void {
    this.#begun = head;
    this.#received = head.from;
    this.#enqueue(() => this.#target.begin(head));
  }

  #refusePart(): void {
    this.wrongPart = true;
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

  #tell(): void {
    const now = performance.now();
    if (now - this.#toldAt < progressIntervalMs) return;
    this.#toldAt = now;
    this.#options.onProgress?.(this.#received, this.#begun?.total);
  }
}

/** @returns undefined for another range than the one behind the first `from` bytes */
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

/** Finds what identifies the version of a file byte for byte, which a weak ETag does not. */
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
