import { type Clock, pause, systemClock } from '../base/node/clock.ts';
import { isBusy, StorageError } from './sqlite/storageError.ts';

/** How long to retry while other connections write, in milliseconds. */
const maxRetryMs = 5_000;
const writePauseMs = 5;

/**
 * Retries `act` while it fails as `busy`, without blocking this thread. `act` opens or writes a non-blocking database.
 *
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
      if (!isBusy(error) || clock.monotonic() - since >= maxRetryMs) throw error;
    }
    await pause(clock, pauseMs);
  }
}

/**
 * Runs `act`, and runs it a second time if it finds damage. `act` must begin by waiting until another thread has
 * repaired the file.
 */
export async function retryAfterRepair<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
    return act();
  }
}
