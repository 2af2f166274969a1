import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import type { KeyFilter } from './hiddenKey/formsFilter.ts';

/** Receives the pieces of a body as they arrive. */
export interface UpstreamBodySink {
  /** @returns false to pause until the body is resumed */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** The body was cut. */
  fail(error: unknown): void;
}

/** From this number of waiting bytes on, reading from the upstream pauses. */
const maxWaitingBytes = 64 * 1024;

/**
 * The body of an upstream's reply. It is read once: piece by piece as an iterable, which throws if it was cut, or
 * with less overhead by a sink. A slow reader slows the upstream.
 */
export class UpstreamReplyBody implements AsyncIterable<Uint8Array> {
  readonly #request: RequestHandle;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #filter: KeyFilter | undefined;
  #sink: UpstreamBodySink | undefined;
  /** Whether the sink is paused. */
  #isSinkFull = false;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the iterable. */
  #wake: (() => void) | undefined;
  #endListener: (() => void) | undefined;

  constructor(request: RequestHandle) {
    this.#request = request;
  }

  /** Applies a filter to all bytes, including the bytes that have arrived. Call it before any byte is read. */
  applyFilter(filter: KeyFilter): void {
    const arrivedPieces = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    for (const bytes of arrivedPieces) this.#append(filter.write(bytes));
    if (this.#isEnded || this.#failure) this.#append(filter.end());
    else this.#filter = filter;
  }

  /**
   * Calls the listener when no more of the body arrives, because it is complete, was cut or was dropped. There is
   * only one listener.
   */
  onEnd(listener: () => void): void {
    if (this.#isEnded || this.#failure) listener();
    else this.#endListener = listener;
  }

  /** Whether a part of the body or its end has arrived. */
  get hasBegun(): boolean {
    return this.#waiting.length > 0 || this.#isEnded || this.#failure !== undefined;
  }

  /** Whether the body was cut before any part of it arrived. */
  get wasCutEarly(): boolean {
    return this.#failure !== undefined && this.#waiting.length === 0;
  }

  /**
   * Waits until a part of the body has arrived.
   *
   * @returns false if it ended without a byte
   * @throws if it was cut before
   */
  async waitForBytes(): Promise<boolean> {
    if (!this.hasBegun) await this.#waitForMore();
    if (this.#waiting.length === 0 && this.#failure) throw this.#failure.error;
    return this.#waiting.length > 0;
  }

  /**
   * Waits for the end, or until the buffer is full, and returns the bytes. They can still be read afterwards.
   */
  async readBeginning(): Promise<Buffer> {
    while (!this.#isEnded && !this.#failure && this.#waitingBytes < maxWaitingBytes)
      await this.#waitForMore();
    return Buffer.concat(this.#waiting);
  }

  /**
   * Waits until the body is complete, the buffer is full, or the time is over.
   *
   * @throws if it was cut before
   */
  async waitForEnd(limitMs: number): Promise<void> {
    if (this.#isEnded) return;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake?.();
    }, limitMs);
    while (!isLate && !this.#isEnded && !this.#failure && this.#waitingBytes < maxWaitingBytes)
      await this.#waitForMore();
    clearTimeout(timer);
    if (this.#failure) throw this.#failure.error;
  }

  /** Returns the whole body if it arrived in one piece, and marks it as read. */
  takeIfComplete(): Uint8Array | undefined {
    return this.#isEnded && this.#waiting.length === 1 ? this.#take() : undefined;
  }

  /** Delivers the body to a sink, starting with the part that has already arrived. */
  deliverTo(sink: UpstreamBodySink): void {
    this.#sink = sink;
    this.resume();
  }

  /** Resumes delivery after the sink was paused. */
  resume(): void {
    this.#isSinkFull = false;
    while (!this.#isSinkFull) {
      const next = this.#take();
      if (!next) break;
      this.#deliver(next);
    }
    this.#endSink();
    if (!this.#isSinkFull) this.#request.resume();
  }

  /** Drops the rest, and closes the connection. */
  destroy(): void {
    this.#sink = undefined;
    this.#waiting.length = 0;
    if (!this.#isEnded && !this.#failure)
      this.#request.abort(new Error('the rest of the reply is not needed'));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#take();
        if (next) {
          yield next;
        } else if (this.#failure) {
          throw this.#failure.error;
        } else if (this.#isEnded) {
          return;
        } else {
          await this.#waitForMore();
        }
      }
    } finally {
      this.destroy();
    }
  }

  /** Called with each piece as it arrives. */
  receive(piece: Uint8Array): void {
    const bytes = this.#filter ? this.#filter.write(piece) : piece;
    if (bytes.byteLength === 0) return;
    if (this.#sink && !this.#isSinkFull) {
      this.#deliver(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes >= maxWaitingBytes) this.#request.pause();
    this.#wake?.();
  }

  /** Called when the body is complete. */
  finish(): void {
    this.#endFilter();
    this.#isEnded = true;
    this.#endListener?.();
    this.#endSink();
    this.#wake?.();
  }

  /** Called when the body was cut. The part that arrived before is read first. */
  cut(error: unknown): void {
    this.#endFilter();
    this.#failure = { error };
    this.#endListener?.();
    this.#endSink();
    this.#wake?.();
  }

  #endFilter(): void {
    const rest = this.#filter?.end();
    this.#filter = undefined;
    if (!rest || rest.byteLength === 0) return;
    if (this.#sink && !this.#isSinkFull) this.#deliver(rest);
    else this.#append(rest);
  }

  /** Appends bytes to the only waiting piece, so that a short reply remains one piece. */
  #append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    const [only, ...others] = this.#waiting;
    if (only && others.length === 0) this.#waiting[0] = Buffer.concat([only, bytes]);
    else this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
  }

  #deliver(bytes: Uint8Array): void {
    if (!this.#sink || this.#sink.write(bytes)) return;
    this.#isSinkFull = true;
    this.#request.pause();
  }

  /** Reports the end to the sink once it has received all bytes. */
  #endSink(): void {
    const sink = this.#sink;
    if (!sink || this.#waiting.length > 0 || !(this.#isEnded || this.#failure)) return;
    this.#sink = undefined;
    if (this.#failure) sink.fail(this.#failure.error);
    else sink.end();
  }

  #take(): Uint8Array | undefined {
    const next = this.#waiting.shift();
    if (next) this.#waitingBytes -= next.byteLength;
    return next;
  }

  #waitForMore(): Promise<void> {
    const arrival = new Promise<void>((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
    this.#request.resume();
    return arrival;
  }
}
