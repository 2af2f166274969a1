const minuteMs = 60_000;
/** Old times are not removed before this number is reached, because removing them for each request is slow. */
const minStoredTimes = 1_000;

/** Counts the requests under way, and the requests that began in the last minute. */
export class RequestCounts {
  activeRequests = 0;
  readonly #now: () => number;
  /** When requests began, oldest first: all requests of the last minute, and some older ones. */
  #beginTimes: number[] = [];
  #maxStoredTimes = minStoredTimes;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.activeRequests += 1;
    if (this.#beginTimes.length >= this.#maxStoredTimes) this.#forgetOld();
    this.#beginTimes.push(this.#now());
  }

  /**
   * Computes the time until fewer than `limit` requests began in the last minute, in milliseconds; 0 if there are
   * fewer now.
   */
  computeWaitMs(limit: number): number {
    const now = this.#forgetOld();
    const oldestCountedAt = this.#beginTimes[this.#beginTimes.length - limit];
    return oldestCountedAt === undefined ? 0 : oldestCountedAt + minuteMs - now;
  }

  /** Forgets old times, and returns the current time. */
  #forgetOld(): number {
    const now = this.#now();
    const first = this.#beginTimes.findIndex((time) => time > now - minuteMs);
    this.#beginTimes = first < 0 ? [] : this.#beginTimes.slice(first);
    this.#maxStoredTimes = Math.max(minStoredTimes, 2 * this.#beginTimes.length);
    return now;
  }
}
