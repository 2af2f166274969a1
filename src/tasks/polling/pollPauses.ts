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

/** The pause grows by this factor after each poll without news. */
const intervalGrowth = 1.25;
/** The pauses after each search for a task, in milliseconds. There are no further searches. */
const searchPausesMs = [15_000, 60_000, 300_000, 900_000];

const weekMinutes = 7 * 24 * 60;

/**
 * How long a task is polled, in milliseconds. A setting of 0 minutes means a week, because polling always ends.
 */
export function watchTimeoutMs(minutes: number): number {
  return (minutes > 0 ? minutes : weekMinutes) * 60_000;
}

/** The pauses between the polls of one task, without the pauses that its gateway requests. */
export class PollPauses {
  #lastMs = 0;

  /** The pause before the next poll in milliseconds. */
  afterPoll(
    poll: 'same' | 'changed' | 'failed',
    { intervalMs, maxIntervalMs }: Pick<PollOptions, 'intervalMs' | 'maxIntervalMs'>,
  ): number {
    const grown = this.#lastMs * (poll === 'failed' ? 2 : intervalGrowth);
    this.#lastMs = poll === 'changed' ? intervalMs : Math.min(Math.max(grown, intervalMs), maxIntervalMs);
    return this.#lastMs;
  }
}

/**
 * The pause in milliseconds after a search for a task of unknown outcome; `Infinity` after the last search.
 *
 * @param searches the number of searches so far
 */
export function pauseAfterSearch(searches: number): number {
  return searchPausesMs[Math.max(searches - 1, 0)] ?? Number.POSITIVE_INFINITY;
}
