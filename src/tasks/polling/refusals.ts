/** What the refusal of one task means for the others of its account. */
export type Refusal =
  /** The same task is to be polled again at once, because the credential may be new. */
  | 'again'
  /** Nothing for other tasks: this one may belong to another credential. */
  | 'its-own'
  /** The account is paused from now on. */
  | 'paused'
  /** The account was paused already. */
  | 'still-paused';

/** For this long a refused task says nothing about the credential, when other tasks are answered. */
const ownRefusalMs = 600_000;
/** The model list is read at most this often. */
const confirmationMs = 600_000;

/**
 * Tells a refused task from the refused credential of its account. An account is paused only when a second task of it
 * or the model list is refused as well, and goes on when anything is answered (F35, F76).
 */
export class Refusals {
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
