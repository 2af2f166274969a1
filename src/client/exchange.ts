import { performance } from 'node:perf_hooks';
import type { Transform } from 'node:stream';
import type { ReplyHeaders } from '../base/replyHeaders.ts';
import { createContentDecoders } from '../http/contentEncoding.ts';
import type { RequestHandle } from '../http/dispatchedRequest.ts';
import { ProxyError } from '../http/proxy.ts';
import { explain, type SentenceArgs } from '../wire/explanations/explanation.ts';
import { isChallenge } from '../wire/failures/interception.ts';
import {
  createCancelledFailure,
  createMalformedReplyFailure,
  createUnsendableFailure,
  type FailureDetails,
  readReplyFailure,
} from '../wire/failures/replyFailure.ts';
import { ArrivedBytes } from './arrivedBytes.ts';
import { createNetworkFailure, createProxyFailure } from './networkFailure.ts';
import { ErrorSink, type ReplySink } from './replySink.ts';
import { createTimeoutFailure, RequestTimeouts } from './requestTimeouts.ts';
import type { Transport, TransportHandler, TransportRequest } from './transports/transport.ts';
import type { TransportChoice } from './transports/transportChoice.ts';
import type { Timeouts } from './types.ts';

/**
 * How long to wait for the end of the body after the last relevant data, in milliseconds, so that the connection can
 * be reused.
 */
const maxDrainMs = 1000;
const maxDrainBytes = 64 * 1024;

export interface ExchangePlan {
  readonly request: TransportRequest;
  readonly group: string;
  /** The name of the route, if there is one. */
  readonly route?: string;
  readonly timeouts: Timeouts;
  /** When the call began, by `performance.now()`. */
  readonly startedAt: number;
  /** Set for a later attempt: when the first attempt began to connect, by `performance.now()`. */
  readonly connectingSince?: number;
  readonly signal: AbortSignal | undefined;
  /** Receives the body of a reply with status 2xx that comes from the gateway. */
  readonly sink: ReplySink;
  /** Whether the reply is recorded for a transcript. */
  readonly isRecorded?: boolean;
}

/**
 * One request and its reply over one transport. It ends at the first of these events: the end of the reply, a network
 * error, a timeout, or cancellation by the caller. The socket is closed unless the reply was complete.
 */
export class Exchange implements TransportHandler {
  readonly #plan: ExchangePlan;
  readonly #timeouts: RequestTimeouts;
  readonly #completion = Promise.withResolvers<FailureDetails | undefined>();
  readonly #onAbort = () => this.#finish(createCancelledFailure());
  #sink: ReplySink;
  #handle: RequestHandle | undefined;
  #decoders: readonly Transform[] = [];
  #proxy: string | undefined;
  #isOver = false;
  #drainTimer: NodeJS.Timeout | undefined;
  #drainedBytes = 0;

  /** Whether the gateway may have received a part of the request. */
  wasSent = false;
  status: number | undefined;
  headers: ReplyHeaders = {};
  headersMs: number | undefined;
  bytesReceived = 0;
  /**
   * When the request was sent, and when the first and last bytes of the body arrived, from the call in
   * milliseconds.
   */
  sentMs: number | undefined;
  firstByteMs: number | undefined;
  lastByteMs: number | undefined;
  readonly arrived: ArrivedBytes | undefined;

  constructor(plan: ExchangePlan) {
    this.#plan = plan;
    this.#sink = plan.sink;
    this.arrived = plan.isRecorded ? new ArrivedBytes() : undefined;
    this.#timeouts = new RequestTimeouts(plan, (exceeded) =>
      this.#conclude(createTimeoutFailure(exceeded, plan.timeouts, this.#peer)),
    );
  }

  /**
   * Sends the request. Aborting the signal of the plan closes the socket.
   *
   * @returns the failure, if any
   * @throws only errors that the sink throws
   */
  run(transport: Transport): Promise<FailureDetails | undefined> {
    const { signal, request } = this.#plan;
    if (signal?.aborted) this.#onAbort();
    else this.#dispatch(transport, request);
    return this.#completion.promise;
  }

  onProxy(proxy: string): void {
    this.#proxy = proxy;
  }

  onProxyLogin(isPending: boolean): void {
    if (!this.#isOver) this.#timeouts.onProxyLogin(isPending);
  }

  onSent(): void {
    this.wasSent = true;
    this.sentMs = performance.now() - this.#plan.startedAt;
    if (!this.#isOver) this.#timeouts.onSent();
  }

  onHead(status: number, headers: ReplyHeaders): void {
    if (this.#isOver) return;
    const { request, startedAt } = this.#plan;
    this.status = status;
    this.headers = headers;
    this.headersMs = performance.now() - startedAt;
    this.#timeouts.onHead();
    if (status >= 300 || isChallenge(headers)) {
      this.#sink = new ErrorSink((body) =>
        readReplyFailure({ ...this.#plan, status, headers, body, url: request.url, now: new Date() }),
      );
    }
    this.#sink.begin?.({ status, headers });
    const { 'content-encoding': encoding } = headers;
    if (encoding !== undefined) this.#openDecoders(String(encoding));
  }

  onData(bytes: Uint8Array): void {
    this.bytesReceived += bytes.byteLength;
    if (this.#isOver) {
      this.#drain(bytes);
      return;
    }
    const now = performance.now();
    this.#timeouts.onBytes(now);
    const [decoder] = this.#decoders;
    if (!decoder) this.#passToSink(bytes, now);
    else if (!decoder.write(bytes)) this.#pauseUntilDrained(decoder);
  }

  onEnd(): void {
    this.#releaseHandle();
    const [decoder] = this.#decoders;
    if (decoder) decoder.end();
    else this.#conclude();
  }

  onError(error: Error): void {
    this.#releaseHandle();
    this.#fail(error);
  }

  #dispatch(transport: Transport, request: TransportRequest): void {
    this.#plan.signal?.addEventListener('abort', this.#onAbort);
    try {
      this.#handle = transport.dispatch(request, this);
    } catch (error) {
      this.#finish(createUnsendableFailure(error));
    }
    // A transport may report the end before it returns the handle.
    if (this.#isOver) this.#handle?.abort();
  }

  #openDecoders(contentEncoding: string): void {
    const decoders = createContentDecoders(contentEncoding);
    if (!decoders) {
      this.#conclude(createMalformedReplyFailure(explain('content-encoding-unknown')));
      return;
    }
    this.#decoders = decoders;
    for (const [position, decoder] of decoders.entries()) {
      const next = decoders[position + 1];
      decoder.on('error', (error) => this.#fail(error));
      if (next) decoder.pipe(next);
      else decoder.on('data', (bytes: Buffer) => this.#passToSink(bytes)).on('end', () => this.#conclude());
    }
  }

  /** Called when the transport has reported the end of the request. */
  #releaseHandle(): void {
    this.#handle = undefined;
    clearTimeout(this.#drainTimer);
  }

  #fail(error: Error): void {
    const phase = !this.wasSent ? 'connecting' : this.status === undefined ? 'waiting' : 'reading';
    const { host } = this.#plan.request.url;
    this.#conclude(
      error instanceof ProxyError
        ? createProxyFailure(error, host)
        : createNetworkFailure(error, this.#peer, phase),
    );
  }

  /** The host, and its proxy if there is one, for an explanation. */
  get #peer(): SentenceArgs['host'] {
    const { host } = this.#plan.request.url;
    return this.#proxy === undefined ? host : { host, proxy: this.#proxy };
  }

  #pauseUntilDrained(decoder: Transform): void {
    this.#handle?.pause();
    decoder.once('drain', () => this.#handle?.resume());
  }

  #passToSink(bytes: Uint8Array, now = performance.now()): void {
    if (this.#isOver) return;
    if (this.arrived) this.#record(this.arrived, bytes, now);
    try {
      const progress = this.#sink.write(bytes);
      if (progress === 'data') this.#timeouts.onData();
      else if (progress === 'done') this.#conclude();
      const backlog = this.#isOver ? undefined : this.#sink.backlog?.();
      if (backlog) this.#pauseUntil(backlog);
    } catch (error) {
      this.#reject(error);
    }
  }

  #record(arrived: ArrivedBytes, bytes: Uint8Array, now: number): void {
    this.lastByteMs = now - this.#plan.startedAt;
    this.firstByteMs ??= this.lastByteMs;
    arrived.add(bytes, this.lastByteMs);
  }

  #pauseUntil(backlog: Promise<void>): void {
    const source = this.#decoders.at(-1) ?? this.#handle;
    source?.pause();
    void backlog.then(() => {
      // The sink caused the pause, so it does not count towards timeouts.
      this.#timeouts.onBytes();
      this.#timeouts.onData();
      source?.resume();
    });
  }

  /**
   * Ends the exchange. If the reply has begun, the sink decides whether it failed.
   *
   * @param cut why the reply is incomplete, if it is
   */
  #conclude(cut?: FailureDetails): void {
    if (this.#isOver) return;
    try {
      this.#finish(this.status === undefined ? cut : this.#sink.end(cut));
    } catch (error) {
      this.#reject(error);
    }
  }

  #finish(failure: FailureDetails | undefined): void {
    if (!this.#stop()) return;
    if (failure) this.#hangUp();
    else if (this.#handle) this.#drainTimer = setTimeout(() => this.#hangUp(), maxDrainMs).unref();
    this.#completion.resolve(
      failure && { ...(this.status !== undefined && { status: this.status }), ...failure },
    );
  }

  #reject(error: unknown): void {
    if (!this.#stop()) return;
    this.#hangUp();
    this.#completion.reject(error);
  }

  #stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#timeouts.stop();
    this.#plan.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #drain(bytes: Uint8Array): void {
    this.#drainedBytes += bytes.byteLength;
    if (this.#drainedBytes > maxDrainBytes) this.#hangUp();
  }

  #hangUp(): void {
    this.#handle?.abort();
    for (const decoder of this.#decoders) decoder.destroy();
  }
}

/** One attempt at a request: its transport, and its failure, if any. */
export interface Attempt {
  readonly transport: Transport['name'];
  readonly exchange: Exchange;
  readonly failure: FailureDetails | undefined;
}

/**
 * Sends a request over the preferred transport. If that cannot connect, the other transport is tried. A GET is
 * retried once if the connection broke before the reply. Other requests are never sent twice.
 *
 * @throws only errors that the sink of the plan throws
 */
export async function sendWithRetry(plan: ExchangePlan, transports: TransportChoice): Promise<Attempt> {
  const [first, second] = transports.order(plan.request.url);
  const connectingSince = performance.now();
  let latest = await tryOnce(second ? halveConnectTimeout(plan) : plan, transports, first);
  if (second && canTryOtherTransport(latest)) {
    latest = await tryOnce({ ...plan, connectingSince }, transports, second);
  }
  if (plan.request.method === 'GET' && wasResetBeforeReply(latest)) {
    latest = await tryOnce(plan, transports, latest.transport);
  }
  return latest;
}

async function tryOnce(
  plan: ExchangePlan,
  transports: TransportChoice,
  name: Transport['name'],
): Promise<Attempt> {
  const transport = await transports.get(name);
  const exchange = new Exchange(plan);
  const failure = await exchange.run(transport);
  if (exchange.wasSent) transports.remember(plan.request.url, name);
  return { transport: name, exchange, failure };
}

/** Halves the connect timeout, because both transports share it. */
function halveConnectTimeout(plan: ExchangePlan): ExchangePlan {
  return { ...plan, timeouts: { ...plan.timeouts, connect: plan.timeouts.connect / 2 } };
}

/** Whether another transport may connect. A rejected certificate ends the request: no transport may bypass it. */
function canTryOtherTransport({ exchange, failure }: Attempt): boolean {
  return !exchange.wasSent && failure?.kind === 'unreachable' && !failure.reason?.startsWith('tls-');
}

function wasResetBeforeReply({ exchange, failure }: Attempt): boolean {
  return exchange.wasSent && exchange.status === undefined && failure?.reason === 'reset';
}
