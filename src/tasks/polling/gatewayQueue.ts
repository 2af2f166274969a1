import { type Refusal, Refusals } from './refusals.ts';

/** An item to poll once it is due. Times are by a monotonic clock, in milliseconds. */
export interface ScheduledItem {
  dueAt: number;
}

/**
 * The shortest time between two polls of one gateway, in milliseconds. Some vendors allow 20 requests a
 * second for an account. 200 tasks are still polled every 30 s.
 */
const minGapMs = 150;
const maxGapMs = 5_000;

export interface BackoffLimits {
  /** The first pause after a failure, and the longest, in milliseconds. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
}

/** What to poll at one gateway, and when polling is allowed. */
export class GatewayQueue<Item extends ScheduledItem> {
  /** In the order of their times. */
  readonly #items: Item[] = [];
  #inFlight = 0;
  readonly #refusals = new Refusals();
  #failures = 0;
  #gapMs = minGapMs;
  #failedAt = Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Until when to pause after failures. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Until when the gateway asked to wait, which is never shortened. */
  #closedUntil = Number.NEGATIVE_INFINITY;

  /** Schedules an item. */
  put(item: Item, dueAt: number): void {
    item.dueAt = dueAt;
    const after = this.#items.findLastIndex((other) => other.dueAt <= dueAt);
    this.#items.splice(after + 1, 0, item);
  }

  drop(item: Item): void {
    const place = this.#items.indexOf(item);
    if (place >= 0) this.#items.splice(place, 1);
  }

  /** When the next poll may start; `Infinity` while nothing is due or the gateway is paused. */
  nextAt(): number {
    const [first] = this.#items;
    if (!first || this.#refusals.paused || this.#probing) return Number.POSITIVE_INFINITY;
    return Math.max(first.dueAt, this.#closedUntil, this.#restsUntil, this.#startedAt + this.#gapMs);
  }

  /** Removes the item that is due next and returns it. */
  take(): Item | undefined {
    return this.#items.shift();
  }

  started(now: number): void {
    this.#startedAt = now;
    this.#inFlight += 1;
  }

  complete(): void {
    this.#inFlight -= 1;
  }

  /**
   * Records an answer about this task.
   *
   * @returns whether the gateway was paused before
   */
  succeeded(key: string, now: number): boolean {
    this.#gapMs = Math.max(minGapMs, this.#gapMs * 0.8);
    this.forget();
    return this.#refusals.answered(key, now);
  }

  /**
   * Pauses after the gateway was unreachable. Afterwards it is polled one task at a time until one is
   * answered.
   */
  rest(now: number, startedAt: number, { intervalMs, maxIntervalMs }: BackoffLimits): void {
    // Polls that were under way together fail together, which counts once.
    if (startedAt <= this.#failedAt) return;
    this.#failedAt = now;
    this.#restsUntil = now + Math.min(intervalMs * 2 ** this.#failures, maxIntervalMs);
    this.#failures += 1;
  }

  /** Allows fewer polls at once, since the gateway asked for that. */
  slowDown(): void {
    this.#gapMs = Math.min(this.#gapMs * 4, maxGapMs);
  }

  /** Pauses until the time that the gateway told. */
  close(until: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, until);
  }

  /**
   * Records that the gateway refused a poll.
   *
   * @param confirmed whether it refuses the model list as well
   */
  refuse(key: string, now: number, confirmed: boolean): Refusal {
    return this.#refusals.refused(key, now, confirmed);
  }

  /** Whether to read the model list, to tell a refused task from a refused credential. */
  wantsConfirmation(key: string, now: number): boolean {
    return this.#refusals.wantConfirmation(key, now);
  }

  /**
   * Ends a pause after a new credential or a new address.
   *
   * @returns whether the gateway was paused
   */
  resume(): boolean {
    this.forget();
    return this.#refusals.forget();
  }

  /**
   * Ends a pause after a new task or a successful request: the credential works.
   *
   * @returns whether the gateway was paused
   */
  goOn(): boolean {
    return this.#refusals.goOn();
  }

  forgetTask(key: string): void {
    this.#refusals.forgetTask(key);
  }

  /** Forgets failures, but not the pause that the gateway asked for. */
  forget(): void {
    this.#failures = 0;
    this.#restsUntil = Number.NEGATIVE_INFINITY;
  }

  /** Spreads all items evenly over a span of time, in their order. */
  spread(now: number, withinMs: number, random: () => number): void {
    const step = withinMs / Math.max(this.#items.length, 1);
    for (const [place, item] of this.#items.entries()) item.dueAt = now + (place + random()) * step;
  }

  get #probing(): boolean {
    return this.#failures > 0 && this.#inFlight > 0;
  }
}
