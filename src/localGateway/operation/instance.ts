import { readFileSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, parseJson } from '../../base/json.ts';
import { jsonLines } from '../../base/node/jsonLines.ts';
import type { RunningGatewayFile } from '../../protocol/gatewayControl.ts';
import { holdFileLock } from '../../storage/fileLock.ts';
import { writePrivateFile } from '../config/privateFile.ts';
import type { StateFolder } from '../config/stateFolder.ts';
import { removeSocketFolder } from './controlSocket.ts';

/** How long to wait for a gateway that is just starting or ending, in milliseconds. */
const startingMs = 10_000;
const stoppingMs = 10_000;
const lookAgainMs = 50;

/** Another gateway runs with the same folder. */
export class RunsAlready extends Error {
  override readonly name = 'RunsAlready';
}

/** The one gateway that runs with a folder. */
export interface Instance {
  /** Says where it is reached. */
  announce(running: RunningGatewayFile): void;
  release(): void;
}

/**
 * Makes this process the one that runs with a folder. The lock ends with the process, however it ends.
 *
 * @throws {RunsAlready}
 */
export async function takeInstance(state: StateFolder): Promise<Instance> {
  const lock = await takeLock(state);
  const left = readRunning(state);
  if (left) removeSocketFolder(left.socket);
  rmSync(state.running, { force: true });
  return {
    announce: (running) => writePrivateFile(state.running, `${JSON.stringify(running)}\n`),
    release() {
      // Somebody may have removed the folder, and another gateway may run with a new one.
      if (readRunning(state)?.pid === process.pid) rmSync(state.running, { force: true });
      lock.release();
    },
  };
}

/** What the gateway that runs with a folder says of itself; undefined when none did. */
export function readRunning(state: StateFolder): RunningGatewayFile | undefined {
  let text: string;
  try {
    text = readFileSync(state.running, 'utf8');
  } catch {
    return undefined;
  }
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { pid, baseUrl, socket } = value;
  const isWhole = typeof pid === 'number' && typeof baseUrl === 'string' && typeof socket === 'string';
  return isWhole ? { pid, baseUrl, socket } : undefined;
}

/**
 * Asks the gateway that runs with a folder for something that needs no answer but its end.
 *
 * @returns whether there is one that did it
 */
export async function tellRunning(state: StateFolder, type: 'reload' | 'stop'): Promise<boolean> {
  const running = readRunning(state);
  const socket = running && (await connect(running.socket));
  if (!socket) return false;
  const isDone = await new Promise<boolean>((resolve) => {
    const lines = jsonLines(socket, (value) => {
      if (isObject(value) && value.id === 1) resolve(value.type === 'done');
    });
    socket.once('close', () => resolve(false));
    lines.send({ id: 1, type });
  });
  socket.destroy();
  return isDone;
}

/**
 * Stops the gateway that runs with a folder, and waits for its end.
 *
 * @returns whether one ran
 */
export async function stopRunning(state: StateFolder): Promise<boolean> {
  if (!(await tellRunning(state, 'stop'))) return false;
  const until = performance.now() + stoppingMs;
  for (;;) {
    const lock = holdFileLock(lockOf(state));
    lock?.release();
    if (lock) return true;
    if (performance.now() > until) throw new Error('It did not end within 10 seconds.');
    await pause(lookAgainMs);
  }
}

function lockOf({ path }: StateFolder): string {
  return join(path, 'instance.lock');
}

/** Waits for one that is just ending, and for one that is just starting to say where it is. */
async function takeLock(state: StateFolder) {
  const until = performance.now() + startingMs;
  for (;;) {
    const lock = holdFileLock(lockOf(state));
    if (lock) return lock;
    const running = readRunning(state);
    const socket = running && (await connect(running.socket));
    socket?.destroy();
    if (running && socket) throw new RunsAlready(whereRunning(state, running));
    if (performance.now() > until) throw new RunsAlready(heldWords(state));
    await pause(lookAgainMs);
  }
}

function whereRunning({ path }: StateFolder, { pid, baseUrl }: RunningGatewayFile): string {
  return `A local gateway runs already with the folder ${path}: process ${pid} at ${baseUrl}. Use it, stop it by --stop, or give this one a folder of its own by --state FOLDER.`;
}

function heldWords({ path }: StateFolder): string {
  return `Another process holds the folder ${path} and does not say where it is. Give this one a folder of its own by --state FOLDER.`;
}

function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
