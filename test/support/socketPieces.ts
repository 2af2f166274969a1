import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Determines how a socket divides and delays its bytes. The same seed gives the same pieces and delays. */
export interface PieceOptions {
  readonly seed: number;
  /** Of one piece; absent to write and read everything at once. */
  readonly maxBytes?: number | undefined;
}

/** At most this many pieces are short, so that long bodies do not take minutes. */
const maxShortPieces = 400;

/** A seeded source of pieces and delays. */
export class Pieces {
  readonly #maxBytes: number | undefined;
  #state: number;
  #count = 0;

  constructor({ seed, maxBytes }: PieceOptions) {
    this.#maxBytes = maxBytes;
    this.#state = (seed % 0x7ffffffe) + 1;
  }

  /** Returns the length of the next piece, in bytes. */
  nextLength(): number {
    if (this.#maxBytes === undefined) return Number.POSITIVE_INFINITY;
    this.#count += 1;
    return 1 + this.#next(this.#count > maxShortPieces ? 64 * 1024 : this.#maxBytes);
  }

  /** Waits at most about a millisecond, and often not at all. */
  async waitRandomly(): Promise<void> {
    if (this.#maxBytes === undefined) return;
    const chance = this.#next(64);
    if (chance === 0) await setTimeout(1);
    else if (chance < 32) await new Promise(setImmediate);
  }

  /** A whole number from 0 up to `limit`, exclusively. */
  #next(limit: number): number {
    // Multiplier and modulus of Lehmer's generator.
    this.#state = (this.#state * 48_271) % 0x7fffffff;
    return this.#state % limit;
  }
}

/** Writes bytes in pieces. Stops when the socket is closed. */
export async function writePieces(socket: Socket, bytes: Uint8Array, pieces: Pieces): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; ) {
    const end = Math.min(bytes.length, at + pieces.nextLength());
    await new Promise((resolve) => socket.write(bytes.subarray(at, end), resolve));
    at = end;
    await pieces.waitRandomly();
  }
}

/** Reads from an accepted connection, with a pause after each piece. */
function readPieces(socket: Socket, pieces: Pieces, onBytes: (bytes: Buffer) => void): void {
  socket.on('data', async (bytes) => {
    onBytes(bytes);
    socket.pause();
    await pieces.waitRandomly();
    socket.resume();
  });
}

/** Opens a connection that reads in pieces, with pauses. */
export function connectInPieces(port: number, pieces: Pieces, onBytes: (bytes: Buffer) => void): Socket {
  const continueReading = async () => {
    await pieces.waitRandomly();
    socket.resume();
  };
  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: () => Buffer.alloc(Math.min(pieces.nextLength(), 64 * 1024)),
      callback(length, buffer) {
        onBytes(Buffer.from(buffer.subarray(0, length)));
        void continueReading();
        return false;
      },
    },
  });
  return socket.on('error', () => {});
}

/** The bytes of an HTTP message that have arrived. */
export class RawMessage {
  #pieces: Buffer[] = [];

  add(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  get #bytes(): Buffer {
    const [first, ...others] = this.#pieces;
    if (first && others.length === 0) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }

  /** The head, in lower case; undefined until it is complete. */
  get head(): string | undefined {
    const end = this.#bytes.indexOf('\r\n\r\n');
    return end < 0 ? undefined : this.#bytes.subarray(0, end).toString('latin1').toLowerCase();
  }

  get status(): number {
    return Number(/^http\/1\.1 (\d{3})/.exec(this.head ?? '')?.[1] ?? 0);
  }

  /** The body so far, without its framing, and whether it is complete. */
  get body(): { readonly bytes: Buffer; readonly isComplete: boolean } {
    const { head } = this;
    if (head === undefined) return { bytes: Buffer.alloc(0), isComplete: false };
    const rest = this.#bytes.subarray(this.#bytes.indexOf('\r\n\r\n') + 4);
    if (/\r\ntransfer-encoding: chunked/.test(head)) return decodeChunks(rest);
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    return { bytes: rest, isComplete: rest.length === length };
  }
}

function decodeChunks(bytes: Buffer): { readonly bytes: Buffer; readonly isComplete: boolean } {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = end < 0 ? undefined : Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (size === undefined) return { bytes: Buffer.concat(chunks), isComplete: false };
    if (size === 0)
      return { bytes: Buffer.concat(chunks), isComplete: bytes.subarray(end).includes('\r\n\r\n') };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** Encodes a body in chunks. */
export function encodeChunks(body: Uint8Array, sizes: Pieces, trailers = ''): Buffer {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + sizes.nextLength());
    // Extensions and leading zeros are allowed.
    const size = chunks.length % 2 === 0 ? chunk.length.toString(16) : `00${chunk.length.toString(16)};a=b`;
    chunks.push(Buffer.from(`${size}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
  }
  return Buffer.concat([...chunks, Buffer.from(`0\r\n${trailers}\r\n`)]);
}

export interface RawUpstream {
  readonly port: number;
  stop(): Promise<void>;
}

/** An upstream that calls `serve` for each request on a connection. */
export async function startRawUpstream(
  createPieces: () => Pieces,
  serve: (request: RawMessage, socket: Socket) => Promise<void>,
): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, highWaterMark: 512 }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    let request = new RawMessage();
    readPieces(socket, createPieces(), (bytes) => {
      request.add(bytes);
      if (!request.body.isComplete) return;
      void serve(request, socket);
      request = new RawMessage();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
