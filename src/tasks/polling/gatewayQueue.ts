/** An item to poll once it is due. Times are by a monotonic clock, in milliseconds. */
export interface ScheduledItem {
  dueAt: number;
  /** The account, by the name of its gateway: two accounts at one address have a credential each. */
  readonly gatewayName: string;
}

/** A task whose poll is over. */
export type PolledKey = Pick<ScheduledItem, 'gatewayName'> & { readonly key: string };

/**
 * The shortest time between two polls of one gateway, in milliseconds. Some vendors allow 20 requests a
 * second for an account. 200 tasks are still polled every 30 s.
 */
const minGapMs = 150;
const maxGapMs = 5_000;

/** For this long a refused task says nothing about the credential, when other tasks are answered. */
const ownRefusalMs = 600_000;

/** The model list is read at most this often. */
const confirmationMs = 600_000;

export interface BackoffLimits {
  /** The first pause after a failure, and the longest, in milliseconds. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
}

/** What the refusal of one task means for the others of its account. */
type Refusal =
  /** The same task is to be polled again at once, because the credential may be new. */
  | 'again'
  /** Nothing for other tasks: this one may belong to another credential. */
  | 'its-own'
  /** The account is paused from now on. */
  | 'paused'
  /** The account was paused already. */
  | 'still-paused';

/** What to poll at one gateway, and when polling is allowed. */
export class GatewayQueue<Item extends ScheduledItem> {
  /** In the order of their times. */
  readonly #items: Item[] = [];
  #inFlight = 0;
  /** By account. */
  readonly #refusals = new Map<string, Refusals>();
  #failures = 0;
  #gapMs = minGapMs;
  #failedAt = Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** Until when to pause after failures. */
  #backOffUntil = Number.NEGATIVE_INFINITY;
  /** Until when the gateway asked to wait, which is never shortened. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** Schedules an item. */
  put(item: Item, dueAt: number): void {
    item.dueAt = dueAt;
    const after = this.#items.findLastIndex((other) => other.dueAt <= dueAt);
    this.#items.splice(after + 1, 0, item);
  }

  remove(item: Item): void {
    const place = this.#items.indexOf(item);
    if (place >= 0) this.#items.splice(place, 1);
  }

  /** When the next poll may start; `Infinity` while nothing is due or all that is due is paused. */
  nextAt(): number {
    const first = this.#items.find((item) => this.#isOpen(item));
    if (!first || this.#probing) return Number.POSITIVE_INFINITY;
    return Math.max(first.dueAt, this.#pausedUntil, this.#backOffUntil, this.#startedAt + this.#gapMs);
  }

  /** Removes the item that is due next and returns it. */
  take(): Item | undefined {
    const place = this.#items.findIndex((item) => this.#isOpen(item));
    return place < 0 ? undefined : this.#items.splice(place, 1)[0];
  }

  begin(now: number): void {
    this.#startedAt = now;
    this.#inFlight += 1;
  }

  complete(): void {
    this.#inFlight -= 1;
  }

  /**
   * Records an answer about this task.
   *
   * @returns whether its account was paused before
   */
  recordSuccess({ key, gatewayName }: PolledKey, now: number): boolean {
    this.#gapMs = Math.max(minGapMs, this.#gapMs * 0.8);
    this.forgetFailures();
    return this.#refusalsOf(gatewayName).recordAnswer(key, now);
  }

  /**
   * Pauses after the gateway was unreachable. Afterwards it is polled one task at a time until one is
   * answered.
   */
  backOff(now: number, startedAt: number, { intervalMs, maxIntervalMs }: BackoffLimits): void {
    // Polls that were under way together fail together, which counts once.
    if (startedAt <= this.#failedAt) return;
    this.#failedAt = now;
    this.#backOffUntil = now + Math.min(intervalMs * 2 ** this.#failures, maxIntervalMs);
    this.#failures += 1;
  }

  /** Allows fewer polls at once, since the gateway asked for that. */
  slowDown(): void {
    this.#gapMs = Math.min(this.#gapMs * 4, maxGapMs);
  }

  /** Pauses until the time that the gateway told. */
  pauseUntil(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /**
   * Records that the gateway refused a poll.
   *
   * @param confirmed whether it refuses the model list as well
   */
  recordRefusal({ key, gatewayName }: PolledKey, now: number, confirmed: boolean): Refusal {
    return this.#refusalsOf(gatewayName).record(key, now, confirmed);
  }

  /** Whether the caller is the one to read the model list, to tell a refused task from a refused credential. */
  claimConfirmation({ key, gatewayName }: PolledKey, now: number): boolean {
    return this.#refusalsOf(gatewayName).claimConfirmation(key, now);
  }

  /**
   * Ends all pauses after a new credential or a new address.
   *
   * @returns whether an account was paused
   */
  resume(): boolean {
    this.forgetFailures();
    return [...this.#refusals.values()].filter((refusals) => refusals.reset()).length > 0;
  }

  /**
   * Ends a pause after a new task or a successful request: the credential works.
   *
   * @param isMeant whether it is the one of this account
   * @returns whether such an account was paused
   */
  unpause(isMeant: (gatewayName: string) => boolean): boolean {
    const meant = [...this.#refusals].filter(([gatewayName]) => isMeant(gatewayName));
    return meant.filter(([, refusals]) => refusals.unpause()).length > 0;
  }

  forgetTask({ key, gatewayName }: PolledKey): void {
    this.#refusals.get(gatewayName)?.forgetTask(key);
  }

  /** Forgets failures, but not the pause that the gateway asked for. */
  forgetFailures(): void {
    this.#failures = 0;
    this.#backOffUntil = Number.NEGATIVE_INFINITY;
  }

  /** Spreads all items evenly over a span of time, in their order. */
  spread(now: number, withinMs: number, random: () => number): void {
    const step = withinMs / Math.max(this.#items.length, 1);
    for (const [place, item] of this.#items.entries()) item.dueAt = now + (place + random()) * step;
  }

  #isOpen({ gatewayName }: ScheduledItem): boolean {
    return this.#refusals.get(gatewayName)?.paused !== true;
  }

  #refusalsOf(gatewayName: string): Refusals {
    const refusals = this.#refusals.get(gatewayName) ?? new Refusals();
    this.#refusals.set(gatewayName, refusals);
    return refusals;
  }

  get #probing(): boolean {
    return this.#failures > 0 && this.#inFlight > 0;
  }
}

/**
 * Tells a refused task from the refused credential of its account. An account is paused only when a second task of it
 * or the model list is refused as well, and goes on when anything is answered (F35, F76).
 */
class Refusals {
  /** How often each task was refused since the last answer. */
  readonly #counts = new Map<string, number>();
  /** Until when the refusals of a task concern only that task. */
  readonly #own = new Map<string, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #paused = false;

  get paused(): boolean {
    return this.#paused;
  }

  record(key: string, now: number, confirmed: boolean): Refusal {
    if (this.#paused) return 'still-paused';
    if (this.#isOwn(key, now)) return 'its-own';
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const isSecond = count === 1 && this.#counts.size > 1;
    if (!isSecond && !confirmed) return count === 1 ? 'again' : 'its-own';
    this.#paused = true;
    return 'paused';
  }

  /**
   * Whether to read the model list before `record`, for a task that is the only one refused, and refused
   * again.
   */
  claimConfirmation(key: string, now: number): boolean {
    if (this.#paused || this.#isOwn(key, now) || !this.#counts.has(key)) return false;
    if (now - this.#confirmedAt < confirmationMs) return false;
    this.#confirmedAt = now;
    return true;
  }

  /** @returns whether the account was paused */
  recordAnswer(key: string, now: number): boolean {
    for (const refused of this.#counts.keys())
      if (refused !== key) this.#own.set(refused, now + ownRefusalMs);
    this.#counts.clear();
    this.#own.delete(key);
    return this.unpause();
  }

  /** Forgets earlier refusals. The next refusal of another task pauses the account again. */
  unpause(): boolean {
    const wasPaused = this.#paused;
    this.#paused = false;
    return wasPaused;
  }

  reset(): boolean {
    this.#counts.clear();
    this.#own.clear();
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    return this.unpause();
  }

  forgetTask(key: string): void {
    this.#counts.delete(key);
    this.#own.delete(key);
  }

  #isOwn(key: string, now: number): boolean {
    return (this.#own.get(key) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
