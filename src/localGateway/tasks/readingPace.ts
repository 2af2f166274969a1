/** At most as many reads of tasks begin at one upstream in a second: the strictest known limit is twice that. */
const readsPerSecond = 10;
const secondMs = 1_000;

/** How often the tasks of each upstream may be read. */
export class ReadingPace {
  readonly #now: () => number;
  readonly #upstreams = new Map<string, { begun: readonly number[]; pausedUntil: number }>();

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why no task of an upstream may be read now; undefined where one may, which then counts as begun. */
  begin(upstream: string): 'upstream_429' | 'read_limit' | undefined {
    const now = this.#now();
    const { begun, pausedUntil } = this.#stateOf(upstream);
    if (now < pausedUntil) return 'upstream_429';
    const recent = begun.filter((at) => at > now - secondMs);
    if (recent.length >= readsPerSecond) return 'read_limit';
    this.#upstreams.set(upstream, { begun: [...recent, now], pausedUntil });
    return undefined;
  }

  /** An upstream wants to be asked less: none of its tasks is read for so many milliseconds. */
  pause(upstream: string, ms: number): void {
    this.#upstreams.set(upstream, { ...this.#stateOf(upstream), pausedUntil: this.#now() + ms });
  }

  #stateOf(upstream: string) {
    return this.#upstreams.get(upstream) ?? { begun: [], pausedUntil: Number.NEGATIVE_INFINITY };
  }
}
