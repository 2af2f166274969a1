/** How tasks are polled, from the user's settings. */
export interface PollOptions {
  /** Milliseconds between two polls of a task. The pause grows while nothing changes. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** How long a task is polled, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest number of simultaneous polls of all gateways. */
  readonly pollsInFlight: number;
}

/** The pause grows by this factor after each poll without changes. */
const intervalGrowth = 1.25;
/** The pauses after each search for a task, in milliseconds. After the last pause, the task is searched once more. */
const searchPausesMs = [15_000, 60_000, 300_000, 900_000];

const weekMinutes = 7 * 24 * 60;

/** Converts a time limit of polling. A limit of 0 minutes means a week, because polling always ends. */
export function toWatchTimeoutMs(minutes: number): number {
  return (minutes > 0 ? minutes : weekMinutes) * 60_000;
}

/** The pauses between the polls of one task, without the pauses that its gateway requests. */
export class PollPauses {
  #lastMs = 0;

  /** Returns the pause before the next poll in milliseconds. Each call counts as a poll. */
  nextMs(
    outcome: 'same' | 'changed' | 'failed',
    { intervalMs, maxIntervalMs }: Pick<PollOptions, 'intervalMs' | 'maxIntervalMs'>,
  ): number {
    const grownMs = this.#lastMs * (outcome === 'failed' ? 2 : intervalGrowth);
    this.#lastMs =
      outcome === 'changed' ? intervalMs : Math.min(Math.max(grownMs, intervalMs), maxIntervalMs);
    return this.#lastMs;
  }
}

/**
 * Computes the pause in milliseconds after a search for a task of unknown outcome; `Infinity` after the last search.
 *
 * @param searches the number of searches so far
 */
export function computeSearchPauseMs(searches: number): number {
  return searchPausesMs[Math.max(searches - 1, 0)] ?? Number.POSITIVE_INFINITY;
}
