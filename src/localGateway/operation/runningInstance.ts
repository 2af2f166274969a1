import { readFileSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, parseJson } from '../../base/json.ts';
import { createJsonLines } from '../../base/node/jsonLines.ts';
import { tryToLockFile } from '../../storage/fileLock.ts';
import type { StateFolder } from '../config/stateFolder.ts';
import { writePrivateFile } from '../config/stateFolder.ts';
import { removeSocketFolder } from './controlSocket.ts';

/** How long to wait at the start for another gateway that is starting or ending, in milliseconds. */
const maxStartMs = 10_000;
/** How long to wait for a stopped gateway to end, in milliseconds. */
const maxStopMs = 10_000;
const retryPauseMs = 50;
/** How long a gateway may take to reply to a command, in milliseconds. */
const replyTimeoutMs = 10_000;

/** Another gateway runs with the same folder. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';
}

/** The gateway that runs with a folder does not reply. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
}

/** The content of `running.json` in the gateway's folder, which describes the running gateway. */
interface RunningGatewayFile {
  readonly pid: number;
  readonly baseUrl: string;
  /** Path of the socket, or of the named pipe on Windows. */
  readonly socket: string;
}

/** The exclusive use of a folder by this process. */
export interface Instance {
  /** Writes the address of this gateway to the folder. */
  publish(running: RunningGatewayFile): void;
  release(): void;
}

/**
 * Reserves a folder for this process. The lock ends with the process, even if it crashes.
 *
 * @throws {AlreadyRunningError}
 */
export async function acquireInstance(state: StateFolder): Promise<Instance> {
  const lock = await waitForLock(state);
  const previous = readRunningGateway(state);
  if (previous) removeSocketFolder(previous.socket);
  rmSync(state.running, { force: true });
  return {
    publish: (running) => writePrivateFile(state.running, `${JSON.stringify(running)}\n`),
    release() {
      // The folder may have been removed, and another gateway may run with a new one.
      if (readRunningGateway(state)?.pid === process.pid) rmSync(state.running, { force: true });
      lock.release();
    },
  };
}

/** Reads the data that the gateway of a folder published; undefined if it published no data. */
function readRunningGateway(state: StateFolder): RunningGatewayFile | undefined {
  let text: string;
  try {
    text = readFileSync(state.running, 'utf8');
  } catch {
    return undefined;
  }
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { pid, baseUrl, socket } = value;
  const isComplete = typeof pid === 'number' && typeof baseUrl === 'string' && typeof socket === 'string';
  return isComplete ? { pid, baseUrl, socket } : undefined;
}

/**
 * Sends a command to the gateway that runs with a folder.
 *
 * @param timeoutMs the longest time without a reply, in milliseconds
 * @returns whether a gateway completed it
 * @throws {NoReplyError} if a gateway runs and does not reply in time
 */
export async function sendToRunningGateway(
  state: StateFolder,
  type: 'reload' | 'stop',
  timeoutMs = replyTimeoutMs,
): Promise<boolean> {
  const running = readRunningGateway(state);
  const socket = running && (await tryToConnect(running.socket));
  if (!socket) return false;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const lines = createJsonLines(socket, (value) => {
        if (isObject(value) && value.id === 1) resolve(value.type === 'done');
      });
      socket.once('close', () => resolve(false));
      const message = `The local gateway, process ${running.pid}, does not reply. End this process, then start the gateway again.`;
      socket.setTimeout(timeoutMs, () => reject(new NoReplyError(message)));
      lines.send({ id: 1, type });
    });
  } finally {
    socket.destroy();
  }
}

/**
 * Stops the gateway that runs with a folder, and waits for its end.
 *
 * @returns whether a gateway ran
 * @throws if it does not end within 10 seconds
 */
export async function stopRunningGateway(state: StateFolder): Promise<boolean> {
  if (!(await sendToRunningGateway(state, 'stop'))) return false;
  const deadline = performance.now() + maxStopMs;
  for (;;) {
    const lock = tryToLockFile(createLockPath(state));
    lock?.release();
    if (lock) return true;
    if (performance.now() > deadline) throw new Error('The local gateway did not end within 10 seconds.');
    await wait(retryPauseMs);
  }
}

function createLockPath({ path }: StateFolder): string {
  return join(path, 'instance.lock');
}

/** Waits until an ending gateway has released its lock, or a starting gateway has published its address. */
async function waitForLock(state: StateFolder) {
  const deadline = performance.now() + maxStartMs;
  for (;;) {
    const lock = tryToLockFile(createLockPath(state));
    if (lock) return lock;
    const running = readRunningGateway(state);
    const socket = running && (await tryToConnect(running.socket));
    socket?.destroy();
    if (running && socket)
      throw new AlreadyRunningError(
        `A local gateway already runs with the folder ${state.path}: process ${running.pid} at ${running.baseUrl}. Use it, stop it with --stop, or choose another folder with --state FOLDER.`,
      );
    if (performance.now() > deadline)
      throw new AlreadyRunningError(
        `Another process has locked the folder ${state.path} and did not report its address. Choose another folder with --state FOLDER.`,
      );
    await wait(retryPauseMs);
  }
}

function tryToConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
