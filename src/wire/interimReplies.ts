import type { Socket } from 'node:net';

const START = Buffer.from('HTTP/1.1 1');
const END = Buffer.from('\r\n\r\n');

/** A head that is longer is left to the parser, which refuses it. */
const maxHeadBytes = 16 * 1024;

/**
 * Leaves the informational replies (100 to 199) out of what `socket` reads. A server may send any number of
 * them before its answer, and undici gives a connection up at `100 Continue`, which it never asks for.
 *
 * They can only begin a reply. A request is written at once and before its reply, so whatever comes first
 * after a write is the beginning of one.
 */
export function skipInterimReplies(socket: Socket): void {
  const { read, write } = socket;
  let expecting = false;
  let held: Buffer | undefined;
  socket.write = function expect(this: Socket, ...args: Parameters<typeof write>) {
    expecting = true;
    return write.apply(this, args);
  } as typeof write;
  socket.read = function filtered(this: Socket, size?: number): Buffer | null {
    const bytes: Buffer | null = read.call(this, size);
    if (!expecting || bytes === null) return bytes;
    const rest = afterInterim(held ? Buffer.concat([held, bytes]) : bytes);
    const undecided = mayBeInterim(rest);
    held = undecided ? rest : undefined;
    expecting = undecided;
    return undecided ? null : rest;
  };
}

/** What follows the informational replies that `bytes` begins with, as far as they are whole. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length > START.length + 1 && startsInterim(rest)) {
    const end = rest.indexOf(END);
    if (end < 0) return rest;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}

function mayBeInterim(bytes: Buffer): boolean {
  return bytes.length < maxHeadBytes && startsInterim(bytes);
}

/** 101 is the answer to a wish to change protocols, and ends HTTP. */
function startsInterim(bytes: Buffer): boolean {
  const isStart = bytes.subarray(0, START.length).equals(START.subarray(0, bytes.length));
  return isStart && bytes.subarray(START.length, START.length + 2).toString('latin1') !== '01';
}
