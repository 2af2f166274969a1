import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { abortSignalOf, type Cancellation } from '../../base/cancellation.ts';
import { type HttpError, shuttingDown } from '../http/httpError.ts';
import { type BodySink, ReplyBody } from '../upstreams/replyBody.ts';
import { replyCut, streamedNothing } from '../upstreams/unreadableReply.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';

export interface RelayOptions {
  /** Aborted when the caller has gone or the gateway ends. */
  readonly signal: Cancellation;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
  /** Makes the last event of an event stream that cannot go on. */
  readonly finalEvent: (error: HttpError) => string;
  /** Told of all bytes. */
  readonly notes: Pick<ExchangeNotes, 'wrote'>;
}

/**
 * Passes the bytes of a reply on, no faster than the caller reads. When the upstream's reply is cut, so is
 * this one, which the caller must not take for complete.
 *
 * @throws {HttpError} when the reply was cut before its first byte
 * @throws when the head cannot be written
 */
export function relay(
  reply: UpstreamReply,
  res: ServerResponse,
  options: RelayOptions,
): Promise<void> | undefined {
  const { status, headers, body } = reply;
  // A connection that closes without a head is one that client libraries retry.
  if (status < 300 && body instanceof ReplyBody && body.wasCutEarly) throw replyCut(headers['x-upstream']);
  const caller = new RelayedReply(reply, res, options);
  if (!(reply.body instanceof ReplyBody)) return caller.read(reply.body);
  caller.takeFrom(reply.body);
  return undefined;
}

/** What an event stream begins behind. */
const noTail: Uint8Array = Buffer.from('\n\n');

/** The beginning of a line that is not a comment. */
const eventLine = /[\r\n][^\r\n:]/;

/** The largest reply that is cheaper to copy than to write by itself. */
const maxTextBytes = 16 * 1024;

class RelayedReply implements BodySink {
  readonly #res: ServerResponse;
  readonly #options: RelayOptions;
  readonly #isEventStream: boolean;
  readonly #upstream: string | undefined;
  #body: ReplyBody | undefined;
  /** The last bytes that were passed on, three at least once there are as many. */
  #tail = noTail;
  /** Whether a line was passed on that is not a comment. */
  #hasEvent = false;

  constructor({ status, headers }: UpstreamReply, res: ServerResponse, options: RelayOptions) {
    this.#res = res;
    this.#options = options;
    this.#isEventStream = isEventStream(headers);
    this.#upstream = headers['x-upstream'];
    res.writeHead(status, headers);
  }

  /** Passes on what a body brings as it arrives. */
  takeFrom(body: ReplyBody): void {
    const whole = body.takeWhole();
    if (whole) {
      this.#endWith(whole);
      return;
    }
    this.#body = body;
    // What has arrived with the head goes out with it.
    if (!body.hasBegun) this.#res.flushHeaders();
    body.deliverTo(this);
  }

  /** Sends a body that has arrived whole. */
  #endWith(bytes: Uint8Array): void {
    this.#options.notes.wrote(bytes);
    if (bytes.length > maxTextBytes) {
      this.#res.end(bytes);
      return;
    }
    // As text it is written together with the head, in one piece.
    this.#res.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), 'latin1');
  }

  /** Passes on what an iterable gives. */
  async read(body: UpstreamReply['body']): Promise<void> {
    const signal = abortSignalOf(this.#options.signal);
    try {
      this.#res.flushHeaders();
      for await (const piece of body) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (!this.#pass(bytes)) await once(this.#res, 'drain', { signal });
      }
      this.end();
    } catch {
      this.fail();
    }
  }

  write(bytes: Uint8Array): boolean {
    if (this.#pass(bytes)) return true;
    this.#res.once('drain', this.#resume);
    return false;
  }

  end(): void {
    // Readers that know no end mark would take a stream without a byte for a reply.
    if (this.#body && this.#isNothing)
      this.#res.end(this.#options.finalEvent(streamedNothing(this.#upstream)));
    else this.#res.end();
  }

  fail(): void {
    const { closing, finalEvent } = this.#options;
    if (this.#body && this.#isNothing) this.#res.end(finalEvent(replyCut(this.#upstream)));
    else if (closing.aborted && this.#isEventStream && endsEvent(this.#tail))
      this.#res.end(finalEvent(shuttingDown()));
    // What was written reaches the caller first: client libraries retry a request that nothing came back for.
    else setImmediate(() => this.#res.destroy());
  }

  /** Whether only comments were passed on, and an event can follow. */
  get #isNothing(): boolean {
    return this.#isEventStream && !this.#hasEvent && endsEvent(this.#tail);
  }

  readonly #resume = () => this.#body?.resume();

  #pass(bytes: Uint8Array): boolean {
    if (this.#isEventStream) {
      this.#hasEvent ||= eventLine.test(Buffer.concat([this.#tail, bytes]).toString('latin1'));
      this.#tail = bytes.length < 3 ? Buffer.concat([this.#tail, bytes]).subarray(-3) : bytes;
    }
    this.#options.notes.wrote(bytes);
    return this.#res.write(bytes);
  }
}

function isEventStream(headers: UpstreamReply['headers']): boolean {
  const isPlain = !headers['content-encoding'] && headers['content-length'] === undefined;
  return isPlain && headers['content-type']?.startsWith('text/event-stream') === true;
}

function endsEvent(tail: Uint8Array): boolean {
  const end = Buffer.from(tail.subarray(-3)).toString('latin1');
  return end.endsWith('\n\n') || end.endsWith('\n\r\n') || end.endsWith('\r\r');
}
