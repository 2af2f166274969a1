import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Wraps `connect`, so that its connections accept any number of informational replies (1xx) before a reply, up to a
 * limit of bytes.
 */
export function acceptInterimReplies<Result>(
  connect: (options: buildConnector.Options, callback: buildConnector.Callback) => Result,
): typeof connect {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) filterInterimReplies(socket);
      callback(...connected);
    });
}

const interimStart = Buffer.from('HTTP/1.1 1');
const headEnd = Buffer.from('\r\n\r\n');

/** The parser refuses longer heads. */
const maxHeadBytes = 16 * 1024;

/**
 * The limit of all informational replies before one reply, in bytes. It is enough for a server that sends one
 * every second for a day.
 */
const maxInterimBytes = 4 * 1024 * 1024;

/**
 * Removes informational replies (1xx) from the bytes that `socket` reads. A server may send any number of them
 * before its reply, but undici closes the connection on `100 Continue`, which undici never requests.
 *
 * Informational replies occur only before a reply. A whole request is written before its reply arrives, so the first
 * bytes after a write are the beginning of a reply. If the informational replies exceed their limit, the connection
 * is closed with the error for headers that are too long.
 */
function filterInterimReplies(socket: Socket): void {
  const { read, write } = socket;
  let isReplyStart = false;
  let incomplete: Buffer | undefined;
  let skippedBytes = 0;
  socket.write = function writeRequest(this: Socket, ...args: Parameters<typeof write>) {
    isReplyStart = true;
    skippedBytes = 0;
    return write.apply(this, args);
  } as typeof write;
  socket.read = function readReply(this: Socket, size?: number): Buffer | null {
    const bytes: Buffer | null = read.call(this, size);
    if (!isReplyStart || bytes === null) return bytes;
    const all = incomplete ? Buffer.concat([incomplete, bytes]) : bytes;
    const rest = dropInterimReplies(all);
    skippedBytes += all.length - rest.length;
    if (skippedBytes > maxInterimBytes) {
      socket.destroy(createTooManyRepliesError());
      return null;
    }
    const isIncomplete = mayBeInterim(rest);
    incomplete = isIncomplete ? rest : undefined;
    isReplyStart = isIncomplete;
    return isIncomplete ? null : rest;
  };
}

/** The bytes after the complete informational replies at the start of `bytes`. */
function dropInterimReplies(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length > interimStart.length + 1 && startsInterim(rest)) {
    const end = rest.indexOf(headEnd);
    if (end < 0) return rest;
    rest = rest.subarray(end + headEnd.length);
  }
  return rest;
}

function mayBeInterim(bytes: Buffer): boolean {
  return bytes.length < maxHeadBytes && startsInterim(bytes);
}

/** Excludes 101, which accepts a change of protocols and ends HTTP. */
function startsInterim(bytes: Buffer): boolean {
  // In nearly all replies, this one byte already shows that the reply is not informational.
  if (bytes.length >= interimStart.length && bytes[interimStart.length - 1] !== interimStart.at(-1))
    return false;
  const isStart = bytes.subarray(0, interimStart.length).equals(interimStart.subarray(0, bytes.length));
  return isStart && bytes.subarray(interimStart.length, interimStart.length + 2).toString('latin1') !== '01';
}

/** Has the same code as undici's error for endless headers. */
function createTooManyRepliesError(): Error {
  return Object.assign(new Error('too many informational replies'), { code: 'UND_ERR_HEADERS_OVERFLOW' });
}
