/** Something to ask a gateway once its time has come. Times are by a clock that never goes back. */
export interface Due {
  dueAt: number;
}

/**
 * At least this much between two questions to one gateway. Some vendors allow 20 a second for a whole account, and
 * each costs this machine a millisecond or two; 200 tasks are still asked about every 30 s.
 */
const GAP_MS = 150;
const WIDEST_GAP_MS = 5_000;

export interface Pace {
  /** The first pause after a failure, and the longest. */
  readonly intervalMs: number;
  readonly longestIntervalMs: number;
}

/** What is to be asked of one gateway, and when it may be asked at all. */
export class Lane<Item extends Due> {
  /** By time. */
  readonly #items: Item[] = [];
  #inFlight = 0;
  #paused = false;
  #refusals = 0;
  #failures = 0;
  #gapMs = GAP_MS;
  #failedAt = Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Our own pause after a failure. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** As the gateway said: never undercut. */
  #closedUntil = Number.NEGATIVE_INFINITY;

  put(item: Item, dueAt: number): void {
    item.dueAt = dueAt;
    const after = this.#items.findLastIndex((other) => other.dueAt <= dueAt);
    this.#items.splice(after + 1, 0, item);
  }

  drop(item: Item): void {
    const place = this.#items.indexOf(item);
    if (place >= 0) this.#items.splice(place, 1);
  }

  /** When the next question may be asked: `Infinity` while there is none, or the gateway must be left alone. */
  nextAt(): number {
    const [first] = this.#items;
    if (!first || this.#paused || this.#probing) return Number.POSITIVE_INFINITY;
    return Math.max(first.dueAt, this.#closedUntil, this.#restsUntil, this.#startedAt + this.#gapMs);
  }

  take(): Item | undefined {
    return this.#items.shift();
  }

  started(now: number): void {
    this.#startedAt = now;
    this.#inFlight += 1;
  }

  landed(): void {
    this.#inFlight -= 1;
  }

  /** The gateway answered as it should. @returns whether it was paused until now */
  succeeded(): boolean {
    this.#gapMs = Math.max(GAP_MS, this.#gapMs * 0.8);
    return this.resume();
  }

  /** The gateway could not be reached: after a pause, one question at a time until one is answered. */
  rest(now: number, startedAt: number, { intervalMs, longestIntervalMs }: Pace): void {
    // Questions that were on their way together fail together, which counts once.
    if (startedAt <= this.#failedAt) return;
    this.#failedAt = now;
    this.#restsUntil = now + Math.min(intervalMs * 2 ** this.#failures, longestIntervalMs);
    this.#failures += 1;
  }

  /** The gateway wants fewer questions. */
  slowDown(): void {
    this.#gapMs = Math.min(this.#gapMs * 4, WIDEST_GAP_MS);
  }

  /** The gateway said when to come back. */
  close(until: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, until);
  }

  /** The gateway refused the credential. @returns whether to try it once more, in case it is a new one by then */
  refuse(): 'again' | 'paused' | 'still-paused' {
    if (this.#paused) return 'still-paused';
    this.#refusals += 1;
    if (this.#refusals === 1) return 'again';
    this.#paused = true;
    return 'paused';
  }

  /** There is a new credential, or a new address. @returns whether it was paused */
  resume(): boolean {
    const wasPaused = this.#paused;
    this.#paused = false;
    this.#refusals = 0;
    this.forget();
    return wasPaused;
  }

  /** Forgets what went wrong, except for what the gateway said. */
  forget(): void {
    this.#failures = 0;
    this.#restsUntil = Number.NEGATIVE_INFINITY;
  }

  /** Sets everything to be asked within a span, evenly and in the order it stood in. */
  spread(now: number, withinMs: number, random: () => number): void {
    const step = withinMs / Math.max(this.#items.length, 1);
    for (const [place, item] of this.#items.entries()) item.dueAt = now + (place + random()) * step;
  }

  get #probing(): boolean {
    return this.#failures > 0 && this.#inFlight > 0;
  }
}
