/** After this many restarts in a series, only the user can start the gateway again. */
export const maxRestarts = 7;

/** A gateway that runs this long ends a series of restarts. In milliseconds. */
export const stableMs = 60_000;

const firstMs = 1_000;
const longestMs = 60_000;

/**
 * The pause before a restart, in milliseconds. It doubles with each restart of a series, up to a minute.
 *
 * @param restart from 1 on
 */
export function pauseBefore(restart: number): number {
  return Math.min(longestMs, firstMs * 2 ** (restart - 1));
}
