import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Makes connections of `connect` accept any number of informational replies (1xx) before the reply (F14). */
export function acceptInterimReplies<Result>(
  connect: (options: buildConnector.Options, callback: buildConnector.Callback) => Result,
): typeof connect {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) skipInterimReplies(socket);
      callback(...connected);
    });
}

const interimStart = Buffer.from('HTTP/1.1 1');
const headEnd = Buffer.from('\r\n\r\n');

/** The parser refuses longer heads. */
const maxHeadBytes = 16 * 1024;

/** All before one answer. A server that says every second for a day that it is at work needs no more. */
const maxInterimBytes = 4 * 1024 * 1024;

/**
 * Removes informational replies (1xx) from the bytes that `socket` reads. A server may send any number of them
 * before its reply, but undici closes the connection at `100 Continue`, which it never asks for.
 *
 * They occur only at the beginning of a reply. A request is written at once and before its reply, so the
 * first bytes after a write are such a beginning. Where they never end, the connection does, as for headers that
 * are too long.
 */
function skipInterimReplies(socket: Socket): void {
  const { read, write } = socket;
  let expecting = false;
  let held: Buffer | undefined;
  let skipped = 0;
  socket.write = function expect(this: Socket, ...args: Parameters<typeof write>) {
    expecting = true;
    skipped = 0;
    return write.apply(this, args);
  } as typeof write;
  socket.read = function filtered(this: Socket, size?: number): Buffer | null {
    const bytes: Buffer | null = read.call(this, size);
    if (!expecting || bytes === null) return bytes;
    const all = held ? Buffer.concat([held, bytes]) : bytes;
    const rest = afterInterim(all);
    skipped += all.length - rest.length;
    if (skipped > maxInterimBytes) {
      socket.destroy(endless());
      return null;
    }
    const undecided = mayBeInterim(rest);
    held = undecided ? rest : undefined;
    expecting = undecided;
    return undecided ? null : rest;
  };
}

/** The bytes behind the complete informational replies at the start of `bytes`. */
function afterInterim(bytes: Buffer): Buffer {
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

/** 101 answers a request to change protocols, and ends HTTP. */
function startsInterim(bytes: Buffer): boolean {
  // Nearly all replies are none, which one byte tells.
  if (bytes.length >= interimStart.length && bytes[interimStart.length - 1] !== interimStart.at(-1))
    return false;
  const isStart = bytes.subarray(0, interimStart.length).equals(interimStart.subarray(0, bytes.length));
  return isStart && bytes.subarray(interimStart.length, interimStart.length + 2).toString('latin1') !== '01';
}

/** As undici calls headers without end. */
function endless(): Error {
  return Object.assign(new Error('informational replies without end'), { code: 'UND_ERR_HEADERS_OVERFLOW' });
}
