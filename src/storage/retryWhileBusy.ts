import { type Clock, pause, systemClock } from '../base/node/clock.ts';
import { isBusy, StorageError } from './sqlite/storageError.ts';

/** How long to retry while others write, and the pause between two attempts, in milliseconds. */
const maxMs = 5_000;
const writePauseMs = 5;

/**
 * Writes to a database that never waits, or opens it. If others have locked it, retries without blocking this
 * thread.
 *
 * @param act runs again if it failed as `busy`
 * @param pauseMs the time between two attempts
 * @throws errors of `act`; `busy` only after 5 s
 */
export async function retryWhileBusy<Result>(
  act: () => Result | Promise<Result>,
  clock: Clock = systemClock,
  pauseMs = writePauseMs,
): Promise<Result> {
  const since = clock.monotonic();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() - since >= maxMs) throw error;
    }
    await pause(clock, pauseMs);
  }
}

/** Runs `act`, and again if it found damage. Another thread repairs the damage before `act` continues. */
export async function retryAfterRepair<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
    return act();
  }
}
