/** After this many restarts in a series, only the user can start it. */
export const maxRestarts = 7;

/** A gateway that runs this long ends a series of restarts, in milliseconds. */
export const stableMs = 60_000;

const firstMs = 1_000;
const longestMs = 60_000;

/**
 * The pause before a restart, in milliseconds: twice as long each time.
 *
 * @param restart from 1 on
 */
export function pauseBefore(restart: number): number {
  return Math.min(longestMs, firstMs * 2 ** (restart - 1));
}
