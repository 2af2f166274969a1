import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { errorCode } from '../base/errors.ts';
import { pause, systemClock } from '../base/node/clock.ts';

const maxTries = 10;
const firstPauseMs = 20;
const maxPauseMs = 500;

/** The error codes of files that another program uses. Virus scanners and indexers open new files for a moment. */
const inUseCodes: ReadonlySet<unknown> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/**
 * Renames a file. Retries for some seconds while another program uses it (F94).
 *
 * @param wait resolves after the given milliseconds
 */
export async function renameWithRetry(
  from: string,
  to: string,
  wait: (ms: number) => Promise<void> = (ms) => pause(systemClock, ms),
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await move(from, to);
      return;
    } catch (error) {
      if (tries >= maxTries || !isInUse(error)) throw error;
      await wait(pauseAfter(tries));
    }
  }
}

/** Like `renameWithRetry`, but retries only on Windows, where open files cannot be renamed. Blocks the thread. */
export function renameWithRetrySync(from: string, to: string): void {
  for (let tries = 1; ; tries++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || tries >= maxTries || !isInUse(error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseAfter(tries));
  }
}

function pauseAfter(tries: number): number {
  return Math.min(firstPauseMs * 2 ** (tries - 1), maxPauseMs);
}

function isInUse(error: unknown): boolean {
  return inUseCodes.has(errorCode(error));
}
