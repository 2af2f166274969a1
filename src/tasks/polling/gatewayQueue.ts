import { type Refusal, Refusals } from './refusals.ts';

/** Something to ask a gateway once its time has come. Times are by a clock that never goes back. */
export interface ScheduledItem {
  dueAt: number;
}

/**
 * At least this much between two questions to one gateway. Some vendors allow 20 a second for a whole account, and
 * each costs this machine a millisecond or two; 200 tasks are still asked about every 30 s.
 */
const GAP_MS = 150;
const WIDEST_GAP_MS = 5_000;

export interface BackoffLimits {
  /** The first pause after a failure, and the longest. */
  readonly intervalMs: number;
  readonly longestIntervalMs: number;
}

/** What is to be asked of one gateway, and when it may be asked at all. */
export class GatewayQueue<Item extends ScheduledItem> {
  /** By time. */
  readonly #items: Item[] = [];
  #inFlight = 0;
  readonly #refusals = new Refusals();
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
    if (!first || this.#refusals.paused || this.#probing) return Number.POSITIVE_INFINITY;
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

  /** The gateway answered as it should, about this task. @returns whether it was paused until now */
  succeeded(key: string, now: number): boolean {
    this.#gapMs = Math.max(GAP_MS, this.#gapMs * 0.8);
    this.forget();
    return this.#refusals.answered(key, now);
  }

  /** The gateway could not be reached: after a pause, one question at a time until one is answered. */
  rest(now: number, startedAt: number, { intervalMs, longestIntervalMs }: BackoffLimits): void {
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

  /** The gateway refused to tell of a task. @param confirmed whether it refuses the model list, too */
  refuse(key: string, now: number, confirmed: boolean): Refusal {
    return this.#refusals.refused(key, now, confirmed);
  }

  /** Whether the model list is to be asked for, to tell a refused task from a refused credential. */
  wantsConfirmation(key: string, now: number): boolean {
    return this.#refusals.wantConfirmation(key, now);
  }

  /** There is a new credential, or a new address. @returns whether it was paused */
  resume(): boolean {
    this.forget();
    return this.#refusals.forget();
  }

  /** There is a new task, or a request succeeded: the credential is good. @returns whether it was paused */
  goOn(): boolean {
    return this.#refusals.goOn();
  }

  forgetTask(key: string): void {
    this.#refusals.forgetTask(key);
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
