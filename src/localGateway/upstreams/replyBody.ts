import type { RequestHandle } from '../../http/dispatchedRequest.ts';
import type { KeyFilter } from './keyFilter.ts';

/** Takes the pieces of a body as they arrive. */
export interface BodySink {
  /** @returns false to get no more until the body is resumed */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** The body was cut. */
  fail(error: unknown): void;
}

/** How many bytes wait for a reader before the upstream is slowed. */
const maxWaitingBytes = 64 * 1024;

/**
 * The body of an upstream's reply. It is read once: piece by piece as an iterable, which throws when it was cut,
 * or with less work by a sink. A slow reader slows the upstream.
 */
export class ReplyBody implements AsyncIterable<Uint8Array> {
  readonly #request: RequestHandle;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #filter: KeyFilter | undefined;
  #sink: BodySink | undefined;
  /** Whether the sink has enough for now. */
  #isSinkFull = false;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the iterable. */
  #wake: (() => void) | undefined;
  #tellOver: (() => void) | undefined;

  constructor(request: RequestHandle) {
    this.#request = request;
  }

  /** Lets a filter change all bytes, before any of them are read. */
  filterBy(filter: KeyFilter): void {
    const arrived = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    for (const bytes of arrived) this.#append(filter.write(bytes));
    if (this.#isEnded || this.#failure) this.#append(filter.end());
    else this.#filter = filter;
  }

  /** Calls a listener once the upstream sends no more of it: all has arrived, or it was cut or dropped. */
  whenOver(listener: () => void): void {
    if (this.#isEnded || this.#failure) listener();
    else this.#tellOver = listener;
  }

  /** Whether something of it has arrived, or its end. */
  get hasBegun(): boolean {
    return this.#waiting.length > 0 || this.#isEnded || this.#failure !== undefined;
  }

  /** Whether it was cut before anything of it arrived. */
  get wasCutEarly(): boolean {
    return this.#failure !== undefined && this.#waiting.length === 0;
  }

  /**
   * Waits until something of it has arrived.
   *
   * @returns false when it ended without a byte
   * @throws when it was cut before
   */
  async isSomething(): Promise<boolean> {
    if (!this.hasBegun) await this.#more();
    if (this.#waiting.length === 0 && this.#failure) throw this.#failure.error;
    return this.#waiting.length > 0;
  }

  /** Waits for its end, or until it holds enough bytes, and returns them. They are still read afterwards. */
  async beginning(): Promise<Buffer> {
    while (!this.#isEnded && !this.#failure && this.#waitingBytes < maxWaitingBytes) await this.#more();
    return Buffer.concat(this.#waiting);
  }

  /**
   * Waits until all of it has arrived, or as much as is kept for a reader, or for some time.
   *
   * @throws when it was cut before
   */
  async hold(limitMs: number): Promise<void> {
    if (this.#isEnded) return;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake?.();
    }, limitMs);
    while (!isLate && !this.#isEnded && !this.#failure && this.#waitingBytes < maxWaitingBytes)
      await this.#more();
    clearTimeout(timer);
    if (this.#failure) throw this.#failure.error;
  }

  /** All of it, where it has arrived whole in one piece; it is read then. */
  takeWhole(): Uint8Array | undefined {
    return this.#isEnded && this.#waiting.length === 1 ? this.#take() : undefined;
  }

  /** Hands everything to a sink, what has arrived already at once. */
  deliverTo(sink: BodySink): void {
    this.#sink = sink;
    this.resume();
  }

  /** Goes on after the sink had enough. */
  resume(): void {
    this.#isSinkFull = false;
    while (!this.#isSinkFull) {
      const next = this.#take();
      if (!next) break;
      this.#give(next);
    }
    this.#tellEnd();
    if (!this.#isSinkFull) this.#request.resume();
  }

  /** Drops the rest, and the connection with it. */
  destroy(): void {
    this.#sink = undefined;
    this.#waiting.length = 0;
    if (!this.#isEnded && !this.#failure) this.#request.abort(new Error('the rest is not wanted'));
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
          await this.#more();
        }
      }
    } finally {
      this.destroy();
    }
  }

  /** Called with each piece as it arrives. */
  arrive(piece: Uint8Array): void {
    const bytes = this.#filter ? this.#filter.write(piece) : piece;
    if (bytes.byteLength === 0) return;
    if (this.#sink && !this.#isSinkFull) {
      this.#give(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes >= maxWaitingBytes) this.#request.pause();
    this.#wake?.();
  }

  /** Called when all of it has arrived. */
  finish(): void {
    this.#endFilter();
    this.#isEnded = true;
    this.#tellOver?.();
    this.#tellEnd();
    this.#wake?.();
  }

  /** Called when it was cut. What arrived before is read first. */
  cut(error: unknown): void {
    this.#endFilter();
    this.#failure = { error };
    this.#tellOver?.();
    this.#tellEnd();
    this.#wake?.();
  }

  #endFilter(): void {
    const rest = this.#filter?.end();
    this.#filter = undefined;
    if (!rest || rest.byteLength === 0) return;
    if (this.#sink && !this.#isSinkFull) this.#give(rest);
    else this.#append(rest);
  }

  /** Adds bytes to the only piece that waits, so that a short reply stays in one. */
  #append(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    const [only, ...others] = this.#waiting;
    if (only && others.length === 0) this.#waiting[0] = Buffer.concat([only, bytes]);
    else this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
  }

  #give(bytes: Uint8Array): void {
    if (!this.#sink || this.#sink.write(bytes)) return;
    this.#isSinkFull = true;
    this.#request.pause();
  }

  /** Tells the sink of the end, once it has everything before. */
  #tellEnd(): void {
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

  #more(): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
    this.#request.resume();
    return arrived;
  }
}
