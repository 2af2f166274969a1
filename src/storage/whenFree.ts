import { type Clock, pause, systemClock } from '../base/node/clock.ts';
import { isBusy, StorageError } from './sqlite/storageError.ts';

/** How long others may write until this one gives up, and how long it leaves them alone, in milliseconds. */
const maxMs = 5_000;
const writePauseMs = 5;

/**
 * Writes to a database that never waits, or opens it: while others have it locked, this thread goes on and tries again.
 *
 * @param act runs once more when it failed as `busy`
 * @param pauseMs the time between two attempts
 * @throws what `act` throws, `busy` after 5 s
 */
export async function whenFree<Result>(
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

/** Runs `act`, and once more after it found damage, which another thread repairs until `act` goes on. */
export async function onceRepaired<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
    return act();
  }
}
