/** An item to poll when it is due. Times are by a monotonic clock, in milliseconds. */
export interface ScheduledItem {
  dueAt: number;
  /**
   * The name of the gateway, which identifies the account. Two accounts at one address have different credentials.
   */
  readonly gatewayName: string;
}

/** The task of a poll that has ended. */
export type PolledKey = Pick<ScheduledItem, 'gatewayName'> & { readonly key: string };

/**
 * The shortest time between two polls of one gateway, in milliseconds. Some vendors allow 20 requests a
 * second for an account. 200 tasks are still polled every 30 s.
 */
const minGapMs = 150;
const maxGapMs = 5_000;

/** After a successful poll of another task, a refusal of this task does not affect the account for this time. */
const ownRefusalMs = 600_000;

/** After a refusal, the model list of an account is read at most this often. */
const confirmationMs = 600_000;

export interface BackoffLimits {
  /** The first pause after a failure, in milliseconds; `maxIntervalMs` is the longest one. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
}

/** The effect of the refusal of one task on the other tasks of its account. */
type Refusal =
  /** Poll the same task again at once, because the credential may be new. */
  | 'again'
  /** Does not affect other tasks, because this task may belong to another credential. */
  | 'its-own'
  /** The account was paused because of it. */
  | 'paused'
  /** The account was paused already. */
  | 'still-paused';

/** The tasks to poll at one gateway, and the times of their polls. */
export class GatewayQueue<Item extends ScheduledItem> {
  /** Sorted by `dueAt`. */
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
  /** Until when the gateway requested a pause. It is never shortened. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** Schedules an item that is not in the queue. */
  add(item: Item, dueAt: number): void {
    item.dueAt = dueAt;
    const after = this.#items.findLastIndex((other) => other.dueAt <= dueAt);
    this.#items.splice(after + 1, 0, item);
  }

  remove(item: Item): void {
    const index = this.#items.indexOf(item);
    if (index >= 0) this.#items.splice(index, 1);
  }

  /**
   * When the next poll may start; `Infinity` if there is no item of an active account, or a poll after a failure
   * is still running.
   */
  findNextTime(): number {
    const first = this.#items.find((item) => this.#isActive(item));
    if (!first || this.#isProbing) return Number.POSITIVE_INFINITY;
    return Math.max(first.dueAt, this.#pausedUntil, this.#backOffUntil, this.#startedAt + this.#gapMs);
  }

  /** Removes and returns the next due item. */
  takeNext(): Item | undefined {
    const index = this.#items.findIndex((item) => this.#isActive(item));
    return index < 0 ? undefined : this.#items.splice(index, 1)[0];
  }

  /** Counts a poll as running until `endPoll`. */
  beginPoll(now: number): void {
    this.#startedAt = now;
    this.#inFlight += 1;
  }

  endPoll(): void {
    this.#inFlight -= 1;
  }

  /**
   * Records that the gateway replied for this task.
   *
   * @returns whether its account was paused before
   */
  recordSuccess({ key, gatewayName }: PolledKey, now: number): boolean {
    this.#gapMs = Math.max(minGapMs, this.#gapMs * 0.8);
    this.forgetFailures();
    return this.#getRefusals(gatewayName).recordSuccess(key, now);
  }

  /**
   * Pauses because the gateway was unreachable. After the pause, one task is polled at a time until a poll
   * succeeds.
   */
  backOff(now: number, startedAt: number, { intervalMs, maxIntervalMs }: BackoffLimits): void {
    // Simultaneous polls fail together and count as one failure.
    if (startedAt <= this.#failedAt) return;
    this.#failedAt = now;
    this.#backOffUntil = now + Math.min(intervalMs * 2 ** this.#failures, maxIntervalMs);
    this.#failures += 1;
  }

  /** Polls less often, because the gateway limits the rate. */
  slowDown(): void {
    this.#gapMs = Math.min(this.#gapMs * 4, maxGapMs);
  }

  /** Pauses until the time that the gateway requested. */
  pauseUntil(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /**
   * Records that the gateway refused a poll.
   *
   * @param isConfirmed whether it also refuses the model list
   */
  recordRefusal({ key, gatewayName }: PolledKey, now: number, isConfirmed: boolean): Refusal {
    return this.#getRefusals(gatewayName).record(key, now, isConfirmed);
  }

  /** Whether the caller should read the model list, to distinguish a refused task from a refused credential. */
  claimConfirmation({ key, gatewayName }: PolledKey, now: number): boolean {
    return this.#getRefusals(gatewayName).claimConfirmation(key, now);
  }

  /**
   * Ends all pauses, because the credential or the address is new.
   *
   * @returns whether an account was paused
   */
  resume(): boolean {
    this.forgetFailures();
    return [...this.#refusals.values()].filter((refusals) => refusals.reset()).length > 0;
  }

  /**
   * Ends a pause after a new task or a successful request, which shows that the credential works.
   *
   * @param isSameAccount whether the credential belongs to this account
   * @returns whether such an account was paused
   */
  unpause(isSameAccount: (gatewayName: string) => boolean): boolean {
    const accounts = [...this.#refusals].filter(([gatewayName]) => isSameAccount(gatewayName));
    return accounts.filter(([, refusals]) => refusals.unpause()).length > 0;
  }

  forgetTask({ key, gatewayName }: PolledKey): void {
    this.#refusals.get(gatewayName)?.forgetTask(key);
  }

  /** Forgets failures, but not the pause that the gateway requested. */
  forgetFailures(): void {
    this.#failures = 0;
    this.#backOffUntil = Number.NEGATIVE_INFINITY;
  }

  /** Spreads all items evenly over a period, in their order. */
  spread(now: number, withinMs: number, random: () => number): void {
    const step = withinMs / Math.max(this.#items.length, 1);
    for (const [index, item] of this.#items.entries()) item.dueAt = now + (index + random()) * step;
  }

  #isActive({ gatewayName }: ScheduledItem): boolean {
    return this.#refusals.get(gatewayName)?.isPaused !== true;
  }

  #getRefusals(gatewayName: string): Refusals {
    const refusals = this.#refusals.get(gatewayName) ?? new Refusals();
    this.#refusals.set(gatewayName, refusals);
    return refusals;
  }

  get #isProbing(): boolean {
    return this.#failures > 0 && this.#inFlight > 0;
  }
}

/**
 * Distinguishes a refused task from a refused credential. An account is paused only if a second task or the model
 * list is also refused. It resumes as soon as any request succeeds (F35, F76).
 */
class Refusals {
  /** How often each task was refused since the last successful poll. */
  readonly #counts = new Map<string, number>();
  /** Until when refusals of a task affect only that task. */
  readonly #ownUntil = new Map<string, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** @param isConfirmed whether the gateway also refused the model list */
  record(key: string, now: number, isConfirmed: boolean): Refusal {
    if (this.#isPaused) return 'still-paused';
    if (this.#isOwn(key, now)) return 'its-own';
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const isSecond = count === 1 && this.#counts.size > 1;
    if (!isSecond && !isConfirmed) return count === 1 ? 'again' : 'its-own';
    this.#isPaused = true;
    return 'paused';
  }

  /**
   * Whether to read the model list before `record`: the task was refused again, and the list was not read lately.
   */
  claimConfirmation(key: string, now: number): boolean {
    if (this.#isPaused || this.#isOwn(key, now) || !this.#counts.has(key)) return false;
    if (now - this.#confirmedAt < confirmationMs) return false;
    this.#confirmedAt = now;
    return true;
  }

  /** @returns whether the account was paused */
  recordSuccess(key: string, now: number): boolean {
    for (const refused of this.#counts.keys())
      if (refused !== key) this.#ownUntil.set(refused, now + ownRefusalMs);
    this.#counts.clear();
    this.#ownUntil.delete(key);
    return this.unpause();
  }

  /** Ends the pause. Earlier refusals still count, so the next refusal of another task pauses the account again. */
  unpause(): boolean {
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    return wasPaused;
  }

  reset(): boolean {
    this.#counts.clear();
    this.#ownUntil.clear();
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    return this.unpause();
  }

  forgetTask(key: string): void {
    this.#counts.delete(key);
    this.#ownUntil.delete(key);
  }

  #isOwn(key: string, now: number): boolean {
    return (this.#ownUntil.get(key) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
