const minuteMs = 60_000;
/** The number of times that are stored before old ones are removed. */
const minBegun = 1_000;

/** The used part of limits: the requests under way, and the requests that began in the last minute. */
export class RequestCounts {
  underWay = 0;
  readonly #now: () => number;
  /** When requests began, oldest first: all of the last minute, and at most as many older ones. */
  #begun: number[] = [];
  #maxBegun = minBegun;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.underWay += 1;
    if (this.#begun.length >= this.#maxBegun) this.#forgetOld();
    this.#begun.push(this.#now());
  }

  /**
   * The time until fewer than `limit` requests began in the last minute, in milliseconds; 0 if there are fewer
   * now.
   */
  waitMs(limit: number): number {
    const now = this.#forgetOld();
    const oldestCountedAt = this.#begun[this.#begun.length - limit];
    return oldestCountedAt === undefined ? 0 : oldestCountedAt + minuteMs - now;
  }

  /** @returns the current time */
  #forgetOld(): number {
    const now = this.#now();
    const first = this.#begun.findIndex((time) => time > now - minuteMs);
    this.#begun = first < 0 ? [] : this.#begun.slice(first);
    this.#maxBegun = Math.max(minBegun, 2 * this.#begun.length);
    return now;
  }
}
