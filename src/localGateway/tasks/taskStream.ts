import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamReply } from '../upstreams/upstream.ts';

export function isEventStreamReply({ headers }: Pick<UpstreamReply, 'headers'>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** Replaces the body of a reply by one of unknown length. */
export function replaceBody(
  { status, headers }: Pick<UpstreamReply, 'status' | 'headers'>,
  body: UpstreamReply['body'],
): UpstreamReply {
  const { 'content-length': _, ...others } = headers;
  return { status, headers: others, body };
}

/** Removes the headers that allow compression, so that the gateway can read the reply. */
export function removeEncodings(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...others } = headers;
  return others;
}

/** The most bytes of one event. */
const maxEventBytes = 64 * 1024 * 1024;

/** Splits the bytes of a stream into events. */
class EventSplitter {
  #pieces: Buffer[] = [];
  #size = 0;
  /** The last characters of the incomplete event. An empty line may begin with them. */
  #tail = '';

  /** Returns the events that these bytes complete, each with the empty line at its end. */
  *split(bytes: Buffer): Generator<Buffer> {
    const before = this.#tail.length;
    const text = this.#tail + bytes.toString('latin1');
    let start = 0;
    for (const { index, 0: line } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
      const end = index + line.length - before;
      yield Buffer.concat([...this.#pieces, bytes.subarray(start, end)]);
      this.#pieces = [];
      this.#size = 0;
      start = end;
    }
    this.#append(bytes.subarray(start));
    this.#tail = text.slice(start === 0 ? 0 : before + start).slice(-3);
  }

  /** The bytes after the last complete event. */
  get rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #append(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > maxEventBytes) throw new RangeError('an event is longer than 64 MiB');
    if (bytes.length > 0) this.#pieces.push(bytes);
  }
}

/**
 * Splits a stream into its events, byte for byte, each as soon as it is complete.
 *
 * @throws the errors of the body, and an error if an event is too long
 */
export async function* splitEvents(body: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  const incomplete = new EventSplitter();
  for await (const piece of body) yield* incomplete.split(toBuffer(piece));
  const { rest } = incomplete;
  if (rest.length > 0) yield rest;
}

function toBuffer(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
