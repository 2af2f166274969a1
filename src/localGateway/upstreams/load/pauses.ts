/** How many failures without a pause that the upstream names come before it is left alone. */
const freeFailures = 2;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** The longest pause that an upstream may name, in milliseconds. */
const maxToldMs = 10 * 60_000;
/** Models beyond these are forgotten, the one that failed longest ago first. */
const maxModels = 500;

/** The failures of an upstream, or of one of its models, since it answered last. */
interface Failing {
  readonly count: number;
  readonly failedAt: number;
  readonly until: number;
}

/**
 * When an upstream that failed is asked again. It is left alone as long as it says itself; else from the third
 * failure in a row on, each time longer. A model that is refused or fails says nothing of the others.
 */
export class Pauses {
  readonly #now: () => number;
  #whole: Failing | undefined;
  readonly #models = new Map<string, Failing>();

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether nothing failed since the last answer. */
  get isClear(): boolean {
    return this.#whole === undefined && this.#models.size === 0;
  }

  /** How long the upstream is left alone, in milliseconds; 0 when it is not. */
  get wholeMs(): number {
    return this.#left(this.#whole);
  }

  /** How long a model is not asked, in milliseconds; 0 when it may be. */
  waitMs(model: string): number {
    return Math.max(this.wholeMs, this.#left(this.#models.get(model)));
  }

  /** The models that are not asked for a while, each with how long, in milliseconds. */
  get models(): readonly (readonly [model: string, leftMs: number])[] {
    return [...this.#models]
      .map(([model, failing]) => [model, this.#left(failing)] as const)
      .filter(([, leftMs]) => leftMs > 0);
  }

  /** The upstream was not reached, or brought no reply. */
  failed(beganAt: number): void {
    this.#whole = this.#grown(this.#whole, beganAt, undefined);
  }

  /**
   * The upstream answered that it could not.
   *
   * @param toldMs how long it wants to be left alone, where it says so
   */
  refused(model: string, beganAt: number, toldMs: number | undefined): void {
    this.#whole = undefined;
    const next = this.#grown(this.#models.get(model), beganAt, toldMs);
    this.#models.delete(model);
    this.#models.set(model, next);
    const [oldest] = this.#models.keys();
    if (this.#models.size > maxModels && oldest !== undefined) this.#models.delete(oldest);
  }

  answered(model: string): void {
    this.#whole = undefined;
    this.#models.delete(model);
  }

  /** The upstream was reached by a request that asks no model. */
  reached(): void {
    this.#whole = undefined;
  }

  #left(failing: Failing | undefined): number {
    return failing ? Math.max(0, failing.until - this.#now()) : 0;
  }

  /** Requests that were under way together fail together, which counts once. */
  #grown(earlier: Failing | undefined, beganAt: number, toldMs: number | undefined): Failing {
    const now = this.#now();
    const isSame = earlier !== undefined && beganAt < earlier.failedAt;
    const count = (earlier?.count ?? 0) + (isSame ? 0 : 1);
    const grownMs = count > freeFailures ? firstPauseMs * 2 ** (count - freeFailures - 1) : 0;
    const pauseMs = Math.min(maxToldMs, toldMs ?? Math.min(maxPauseMs, grownMs));
    const until = isSame && toldMs === undefined ? earlier.until : now + pauseMs;
    return { count, failedAt: now, until: Math.max(earlier?.until ?? 0, until) };
  }
}
