const minuteMs = 60_000;
/** How many times are kept before old ones are looked for. */
const minBegun = 1_000;

/** What was used of limits: the requests under way, and those that began in the last minute. */
export class RequestUse {
  underWay = 0;
  readonly #now: () => number;
  /** When requests began, oldest first: all of the last minute, and as many before at most. */
  #begun: number[] = [];
  #maxBegun = minBegun;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): void {
    this.underWay += 1;
    if (this.#begun.length >= this.#maxBegun) this.#forgetOld();
    this.#begun.push(this.#now());
  }

  /** How long until fewer than `limit` requests began in the last minute, in milliseconds; 0 when so now. */
  waitMs(limit: number): number {
    const now = this.#forgetOld();
    const leaving = this.#begun[this.#begun.length - limit];
    return leaving === undefined ? 0 : leaving + minuteMs - now;
  }

  /** @returns the time now */
  #forgetOld(): number {
    const now = this.#now();
    const first = this.#begun.findIndex((at) => at > now - minuteMs);
    this.#begun = first < 0 ? [] : this.#begun.slice(first);
    this.#maxBegun = Math.max(minBegun, 2 * this.#begun.length);
    return now;
  }
}
