import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamCaller, UpstreamReply, UpstreamTasks } from '../upstreams/upstream.ts';
import type { EventLinks } from './eventLinks.ts';
import { ownEvents } from './ownEvents.ts';
import type { RemoteTask } from './remoteTask.ts';
import { readRecord } from './taskUpstream.ts';

/**
 * Asks an upstream for the events of a task, which come with this gateway's ids and addresses of results.
 *
 * @param caller whose query says from which event on
 * @param links the addresses of results for the caller
 * @returns the upstream's refusal as it came; undefined where it tells no events
 * @throws {HttpError} as `send` of an upstream
 */
export async function taskStream(
  tasks: UpstreamTasks,
  task: RemoteTask & { readonly upstreamId: string },
  caller: UpstreamCaller,
  links: EventLinks,
): Promise<UpstreamReply | undefined> {
  const headers = withoutEncodings(caller.headers);
  const reply = await tasks.read({ ...caller, headers, task: task.upstreamId });
  if (reply.status >= 300) return reply;
  if (isEventStream(reply)) return streamReply(reply, ownEvents(eventBlocks(reply.body), task, links));
  await readRecord(reply);
  return undefined;
}

export function isEventStream({ headers }: Pick<UpstreamReply, 'headers'>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** The reply with another body, whose length is not known. */
export function streamReply(
  { status, headers }: Pick<UpstreamReply, 'status' | 'headers'>,
  body: UpstreamReply['body'],
): UpstreamReply {
  const { 'content-length': _, ...others } = headers;
  return { status, headers: others, body };
}

/** The headers of a caller without those that let a reply be compressed, so that it can be read here. */
export function withoutEncodings(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...others } = headers;
  return others;
}

/** The most bytes of one event. */
const maxEventBytes = 64 * 1024 * 1024;

/** What has come of an event that is not whole yet. */
class OpenBlock {
  #pieces: Buffer[] = [];
  #size = 0;
  /** The last characters of the pieces, with which an empty line may have begun. */
  #tail = '';

  /** Takes bytes, and gives the events that they complete, each with the empty line at its end. */
  *take(bytes: Buffer): Generator<Buffer> {
    const before = this.#tail.length;
    const text = this.#tail + bytes.toString('latin1');
    let from = 0;
    for (const { index, 0: line } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
      const end = index + line.length - before;
      yield Buffer.concat([...this.#pieces, bytes.subarray(from, end)]);
      this.#pieces = [];
      this.#size = 0;
      from = end;
    }
    this.#keep(bytes.subarray(from));
    this.#tail = text.slice(from === 0 ? 0 : before + from).slice(-3);
  }

  /** What came after the last event. */
  get rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #keep(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > maxEventBytes) throw new RangeError('an event is longer than 64 MiB');
    if (bytes.length > 0) this.#pieces.push(bytes);
  }
}

/**
 * The events of a stream, byte for byte, each as soon as it is whole.
 *
 * @throws what the body throws, and when an event is too long
 */
export async function* eventBlocks(body: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  const open = new OpenBlock();
  for await (const piece of body) yield* open.take(bytesOf(piece));
  const { rest } = open;
  if (rest.length > 0) yield rest;
}

function bytesOf(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
