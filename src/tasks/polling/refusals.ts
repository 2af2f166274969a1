/** What the refusal of one task means for its gateway. */
export type Refusal =
  /** The same task should be asked about again at once: the credential may be a new one by then. */
  | 'again'
  /** Nothing for the others: the task may be of another credential. */
  | 'its-own'
  /** The gateway is left alone from now on. */
  | 'paused'
  /** It was left alone already. */
  | 'still-paused';

/** For this long a task that is refused while others are not says nothing of the credential. */
const OWN_MS = 600_000;
/** The model list is asked for at most this often. */
const CONFIRMATION_MS = 600_000;

/**
 * Tells a task that is refused from a credential that is: the polling of a gateway pauses only when a second
 * task is refused as well, or the model list is, and goes on when anything is answered (F35, F76).
 */
export class Refusals {
  /** How often each task was refused since anything was answered. */
  readonly #counts = new Map<string, number>();
  /** Until when the refusals of a task are its own. */
  readonly #own = new Map<string, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #paused = false;

  get paused(): boolean {
    return this.#paused;
  }

  refused(key: string, now: number, confirmed: boolean): Refusal {
    if (this.#paused) return 'still-paused';
    if (this.#isOwn(key, now)) return 'its-own';
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const isSecond = count === 1 && this.#counts.size > 1;
    if (!isSecond && !confirmed) return count === 1 ? 'again' : 'its-own';
    this.#paused = true;
    return 'paused';
  }

  /** Asked before `refused` of a task that is refused again, and alone. */
  wantConfirmation(key: string, now: number): boolean {
    if (this.#paused || this.#isOwn(key, now) || !this.#counts.has(key)) return false;
    if (now - this.#confirmedAt < CONFIRMATION_MS) return false;
    this.#confirmedAt = now;
    return true;
  }

  /** @returns whether the gateway was paused */
  answered(key: string, now: number): boolean {
    for (const refused of this.#counts.keys()) if (refused !== key) this.#own.set(refused, now + OWN_MS);
    this.#counts.clear();
    this.#own.delete(key);
    return this.goOn();
  }

  /** What was refused before counts no more; another task that is refused pauses the gateway again. */
  goOn(): boolean {
    const wasPaused = this.#paused;
    this.#paused = false;
    return wasPaused;
  }

  forget(): boolean {
    this.#counts.clear();
    this.#own.clear();
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    return this.goOn();
  }

  forgetTask(key: string): void {
    this.#counts.delete(key);
    this.#own.delete(key);
  }

  #isOwn(key: string, now: number): boolean {
    return (this.#own.get(key) ?? Number.NEGATIVE_INFINITY) > now;
  }
}
