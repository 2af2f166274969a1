/** The number of failures in a row that do not pause an upstream, unless it requests a pause. */
const toleratedFailures = 2;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** The longest pause that an upstream may request, in milliseconds. */
const maxRequestedMs = 10 * 60_000;
/** The most models whose failures are stored. Above this number, the model with the oldest failure is forgotten. */
const maxModels = 500;

/** The failures of an upstream, or of one of its models, since its last success. */
interface FailureStreak {
  readonly count: number;
  readonly failedAt: number;
  readonly until: number;
}

/**
 * Decides how long a failed upstream is paused. The upstream may request a pause. Otherwise it is paused from the
 * third failure in a row on, each time longer. A refusal for one model does not pause the other models.
 */
export class FailurePauses {
  readonly #now: () => number;
  #upstream: FailureStreak | undefined;
  readonly #models = new Map<string, FailureStreak>();

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether there was no failure since the last success. */
  get isClear(): boolean {
    return this.#upstream === undefined && this.#models.size === 0;
  }

  /** How long the upstream is paused, in milliseconds; 0 if it is not. */
  get upstreamPauseMs(): number {
    return this.#remainingMs(this.#upstream);
  }

  /** How long requests to a model are paused, in milliseconds; 0 if they are not. */
  remainingMs(model: string): number {
    return Math.max(this.upstreamPauseMs, this.#remainingMs(this.#models.get(model)));
  }

  /** The paused models, each with the remaining time in milliseconds. */
  get pausedModels(): readonly (readonly [model: string, leftMs: number])[] {
    return [...this.#models]
      .map(([model, streak]) => [model, this.#remainingMs(streak)] as const)
      .filter(([, leftMs]) => leftMs > 0);
  }

  /**
   * Records that the upstream was not reached or did not reply.
   *
   * @param beganAt when the request began, by the monotonic clock
   */
  recordFailure(beganAt: number): void {
    this.#upstream = this.#extendStreak(this.#upstream, beganAt, undefined);
  }

  /**
   * Records that the upstream replied with a refusal.
   *
   * @param requestedMs the pause that it requests, in milliseconds
   */
  recordRefusal(model: string, beganAt: number, requestedMs: number | undefined): void {
    this.#upstream = undefined;
    const next = this.#extendStreak(this.#models.get(model), beganAt, requestedMs);
    this.#models.delete(model);
    this.#models.set(model, next);
    const [oldest] = this.#models.keys();
    if (this.#models.size > maxModels && oldest !== undefined) this.#models.delete(oldest);
  }

  recordReply(model: string): void {
    this.#upstream = undefined;
    this.#models.delete(model);
  }

  /** Records that the upstream replied to a request without a model. */
  recordContact(): void {
    this.#upstream = undefined;
  }

  #remainingMs(streak: FailureStreak | undefined): number {
    return streak ? Math.max(0, streak.until - this.#now()) : 0;
  }

  /** Extends a streak by one failure. Failures of requests that ran at the same time count once. */
  #extendStreak(
    streak: FailureStreak | undefined,
    beganAt: number,
    requestedMs: number | undefined,
  ): FailureStreak {
    const now = this.#now();
    const isSameFailure = streak !== undefined && beganAt < streak.failedAt;
    const count = (streak?.count ?? 0) + (isSameFailure ? 0 : 1);
    const backoffMs = count > toleratedFailures ? firstPauseMs * 2 ** (count - toleratedFailures - 1) : 0;
    const pauseMs = Math.min(maxRequestedMs, requestedMs ?? Math.min(maxPauseMs, backoffMs));
    const until = isSameFailure && requestedMs === undefined ? streak.until : now + pauseMs;
    return { count, failedAt: now, until: Math.max(streak?.until ?? 0, until) };
  }
}
