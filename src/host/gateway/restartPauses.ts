/** After so many in a series it is left to the user. */
export const maxRestarts = 7;

/** One that ran this long has ended a series, in milliseconds. */
export const stableMs = 60_000;

const firstMs = 1_000;
const longestMs = 60_000;

/**
 * How long to wait before starting it again, in milliseconds: twice as long each time.
 *
 * @param restart from 1 on
 */
export function pauseBefore(restart: number): number {
  return Math.min(longestMs, firstMs * 2 ** (restart - 1));
}
