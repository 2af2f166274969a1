/** The number of failures without a named pause after which an upstream is paused. */
const toleratedFailures = 2;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** The longest pause that an upstream may name, in milliseconds. */
const maxRequestedMs = 10 * 60_000;
/** Above this number, the model whose failure is the oldest is forgotten first. */
const maxModels = 500;

/** The failures of an upstream, or of one of its models, since its last success. */
interface FailureStreak {
  readonly count: number;
  readonly failedAt: number;
  readonly until: number;
}

/**
 * Decides how long a failed upstream is paused. The upstream may name the pause. Otherwise it is paused from the
 * third failure in a row on, each time longer. A refusal or failure of one model does not affect the other models.
 */
export class Pauses {
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
  get upstreamMs(): number {
    return this.#remainingMs(this.#upstream);
  }

  /** How long a model is paused, in milliseconds; 0 if it is not. */
  remainingMs(model: string): number {
    return Math.max(this.upstreamMs, this.#remainingMs(this.#models.get(model)));
  }

  /** The paused models, each with the remaining time in milliseconds. */
  get models(): readonly (readonly [model: string, leftMs: number])[] {
    return [...this.#models]
      .map(([model, failing]) => [model, this.#remainingMs(failing)] as const)
      .filter(([, leftMs]) => leftMs > 0);
  }

  /** The upstream was not reached or did not reply. */
  recordFailure(beganAt: number): void {
    this.#upstream = this.#extendStreak(this.#upstream, beganAt, undefined);
  }

  /**
   * The upstream replied with a refusal.
   *
   * @param requestedMs the pause that it requests, in milliseconds; undefined if it does not name one
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

  /** The upstream was reached by a request without a model. */
  recordContact(): void {
    this.#upstream = undefined;
  }

  #remainingMs(failing: FailureStreak | undefined): number {
    return failing ? Math.max(0, failing.until - this.#now()) : 0;
  }

  /** Requests that were running at the same time fail together, which counts as one failure. */
  #extendStreak(
    earlier: FailureStreak | undefined,
    beganAt: number,
    requestedMs: number | undefined,
  ): FailureStreak {
    const now = this.#now();
    const isSameFailure = earlier !== undefined && beganAt < earlier.failedAt;
    const count = (earlier?.count ?? 0) + (isSameFailure ? 0 : 1);
    const grownMs = count > toleratedFailures ? firstPauseMs * 2 ** (count - toleratedFailures - 1) : 0;
    const pauseMs = Math.min(maxRequestedMs, requestedMs ?? Math.min(maxPauseMs, grownMs));
    const until = isSameFailure && requestedMs === undefined ? earlier.until : now + pauseMs;
    return { count, failedAt: now, until: Math.max(earlier?.until ?? 0, until) };
  }
}
