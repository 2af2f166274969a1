import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Cancellation, toAbortSignal } from '../../base/cancellation.ts';
import { type HttpError, shuttingDownError } from '../http/httpError.ts';
import { type UpstreamBodySink, UpstreamReplyBody } from '../upstreams/replyBody.ts';
import { emptyStreamError, replyCutError } from '../upstreams/unreadableReply.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import type { ExchangeNotes } from './exchangeNotes.ts';

interface RelayOptions {
  /** Aborted when the caller disconnects or the gateway ends. */
  readonly signal: Cancellation;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
  /** Creates the last event of an interrupted event stream. */
  readonly finalEvent: (error: HttpError) => string;
  /** Receives all bytes. */
  readonly notes: Pick<ExchangeNotes, 'addBytes'>;
}

/**
 * Passes on the bytes of a reply, not faster than the caller reads. If the upstream's reply is cut, the caller's
 * reply is also cut, so that the caller does not treat it as complete.
 *
 * @returns undefined if the body delivers itself; otherwise a promise for the end of the reply
 * @throws {HttpError} if the reply was cut before its first byte
 * @throws if the head cannot be written
 */
export function relay(
  reply: UpstreamReply,
  res: ServerResponse,
  options: RelayOptions,
): Promise<void> | undefined {
  const { status, headers, body } = reply;
  // Client libraries retry a request whose connection closes without a head.
  if (status < 300 && body instanceof UpstreamReplyBody && body.wasCutEarly)
    throw replyCutError(headers['x-upstream']);
  const relayedReply = new RelayedReply(reply, res, options);
  if (!(reply.body instanceof UpstreamReplyBody)) return relayedReply.passOnPieces(reply.body);
  relayedReply.passOn(reply.body);
  return undefined;
}

/** The initial tail, after which an event may start. */
const noTail: Uint8Array = Buffer.from('\n\n');

/** Matches the beginning of a line that is not a comment. */
const eventLine = /[\r\n][^\r\n:]/;

/** The size of the largest reply that is cheaper to copy than to write separately. */
const maxTextBytes = 16 * 1024;

class RelayedReply implements UpstreamBodySink {
  readonly #res: ServerResponse;
  readonly #options: RelayOptions;
  readonly #isEventStream: boolean;
  readonly #upstream: string | undefined;
  #body: UpstreamReplyBody | undefined;
  /** The last bytes that were passed on: at least three, unless fewer were passed on. */
  #tail = noTail;
  /** Whether a line other than a comment was passed on. */
  #hasEvent = false;

  constructor({ status, headers }: UpstreamReply, res: ServerResponse, options: RelayOptions) {
    this.#res = res;
    this.#options = options;
    this.#isEventStream = isEventStream(headers);
    this.#upstream = headers['x-upstream'];
    res.writeHead(status, headers);
  }

  /** Passes on a body as it arrives. */
  passOn(body: UpstreamReplyBody): void {
    const bytes = body.takeIfComplete();
    if (bytes) {
      this.#endWith(bytes);
      return;
    }
    this.#body = body;
    // Bytes that arrived together with the head are sent together with it.
    if (!body.hasBegun) this.#res.flushHeaders();
    body.deliverTo(this);
  }

  /** Sends a complete body. */
  #endWith(bytes: Uint8Array): void {
    this.#options.notes.addBytes(bytes);
    if (bytes.length > maxTextBytes) {
      this.#res.end(bytes);
      return;
    }
    // Node writes a text together with the head, in one piece.
    this.#res.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), 'latin1');
  }

  /** Passes on the pieces of an iterable. */
  async passOnPieces(body: UpstreamReply['body']): Promise<void> {
    const signal = toAbortSignal(this.#options.signal);
    try {
      this.#res.flushHeaders();
      for await (const piece of body) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (!this.#writePiece(bytes)) await once(this.#res, 'drain', { signal });
      }
      this.end();
    } catch {
      this.fail();
    }
  }

  write(bytes: Uint8Array): boolean {
    if (this.#writePiece(bytes)) return true;
    this.#res.once('drain', this.#resume);
    return false;
  }

  end(): void {
    // Readers that do not expect an end mark would treat a stream without an event as a complete reply.
    if (this.#body && this.#hasOnlyComments)
      this.#res.end(this.#options.finalEvent(emptyStreamError(this.#upstream)));
    else this.#res.end();
  }

  fail(): void {
    const { closing, finalEvent } = this.#options;
    if (this.#body && this.#hasOnlyComments) this.#res.end(finalEvent(replyCutError(this.#upstream)));
    else if (closing.aborted && this.#isEventStream && endsEvent(this.#tail))
      this.#res.end(finalEvent(shuttingDownError()));
    // Written bytes must reach the caller first: client libraries retry a request without a response.
    else setImmediate(() => this.#res.destroy());
  }

  /** Whether only comments were passed on, and an event can follow. */
  get #hasOnlyComments(): boolean {
    return this.#isEventStream && !this.#hasEvent && endsEvent(this.#tail);
  }

  readonly #resume = () => this.#body?.resume();

  #writePiece(bytes: Uint8Array): boolean {
    if (this.#isEventStream) {
      this.#hasEvent ||= eventLine.test(Buffer.concat([this.#tail, bytes]).toString('latin1'));
      this.#tail = bytes.length < 3 ? Buffer.concat([this.#tail, bytes]).subarray(-3) : bytes;
    }
    this.#options.notes.addBytes(bytes);
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
