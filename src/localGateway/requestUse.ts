const minuteMs = 60_000;

/** What was used of limits: the requests under way, and those that began in the last minute. */
export class RequestUse {
  underWay = 0;
  readonly #now: () => number;
  /** When the requests of the last minute began, oldest first. */
  #begun: number[] = [];

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.underWay += 1;
    this.#begun.push(this.#now());
  }

  /** How long until fewer than `limit` requests began in the last minute, in milliseconds; 0 when so now. */
  waitMs(limit: number): number {
    const now = this.#now();
    const first = this.#begun.findIndex((at) => at > now - minuteMs);
    this.#begun = first < 0 ? [] : this.#begun.slice(first);
    const leaving = this.#begun[this.#begun.length - limit];
    return leaving === undefined ? 0 : leaving + minuteMs - now;
  }
}
