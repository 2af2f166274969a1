import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A port of this machine that never accepts a connection. */
export interface BlackHole {
  readonly port: number;
  close(): Promise<void>;
}

/** More connections than any system queues for a port with a backlog of two. */
const maxWaiting = 64;
/** On loopback a connection is accepted at once, or never. */
const waitMs = 500;

/** Listens, but accepts no connection until it is closed: its thread is blocked. */
const listener = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => socket.destroy());
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
    process.exit();
  });`;

/**
 * Starts a black hole at the level of TCP, without special rights: a port with a full backlog, so that the system
 * drops further connection attempts.
 */
export async function startBlackHole(): Promise<BlackHole> {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(listener, { eval: true, workerData: lock });
  const [port] = (await once(worker, 'message')) as [number];
  const waiting: Socket[] = [];
  let isFull = false;
  while (!isFull && waiting.length < maxWaiting) isFull = !(await isAccepted(port, waiting));
  assert.ok(isFull, 'this system takes any number of connections');
  return {
    port,
    async close() {
      for (const socket of waiting) socket.destroy();
      const ended = once(worker, 'exit');
      Atomics.store(lock, 0, 1);
      Atomics.notify(lock, 0);
      await ended;
    },
  };
}

/** Whether the queue has room for one more connection. */
async function isAccepted(port: number, waiting: Socket[]): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  waiting.push(socket);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), waitMs);
  socket.once('connect', () => resolve(true));
  const isConnected = await promise;
  clearTimeout(timer);
  return isConnected;
}
