import type { Cancellation } from '../../../base/cancellation.ts';
import { HttpError } from '../../http/httpError.ts';
import { RequestUse } from '../../http/requestUse.ts';
import type { Queueing } from '../upstream.ts';
import { Pauses } from './pauses.ts';

/** How many requests may wait where the configuration does not say it. */
const usualWaiting = 100;

/** The limits of an upstream; none where absent. */
export interface GateLimits {
  readonly concurrentRequests?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly waitingRequests?: number | undefined;
}

interface Waiting {
  readonly enter: () => void;
}

/**
 * What every request that asks a model passes on its way to an upstream: it leaves a failing one alone, and lets
 * requests wait, first come first served, where the upstream's limits are reached.
 */
export class UpstreamGate {
  readonly #name: string;
  readonly #now: () => number;
  readonly #pauses: Pauses;
  readonly #use: RequestUse;
  readonly #tellPause: () => void;
  #limits: GateLimits;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #pauseEnd: NodeJS.Timeout | undefined;

  /**
   * @param tellPause called when the upstream or a model of it is left alone from now on, or no longer
   * @param now milliseconds of a clock that only goes on
   */
  constructor(
    name: string,
    limits: GateLimits,
    tellPause: () => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#name = name;
    this.#limits = limits;
    this.#tellPause = tellPause;
    this.#now = now;
    this.#pauses = new Pauses(now);
    this.#use = new RequestUse(now);
  }

  /** How long the upstream is left alone, in milliseconds; 0 when it is not. */
  get pauseMs(): number {
    return this.#pauses.wholeMs;
  }

  /** The models that are left alone, each with how long, in milliseconds. */
  get pausedModels(): readonly (readonly [model: string, leftMs: number])[] {
    return this.#pauses.models;
  }

  /** Replaces the limits. What was used of them stays counted. */
  setLimits(limits: GateLimits): void {
    this.#limits = limits;
    this.#admit();
  }

  /**
   * A place at once, without a promise, because most requests need not wait.
   *
   * @returns undefined where a limit is reached, or others wait
   * @throws {HttpError} when the upstream is left alone
   */
  tryEnter(model: string, queueing?: Queueing): GatePlace | undefined {
    this.#refuseWhilePaused(model);
    if (this.#waiting.size > 0 || this.#delayMs() > 0) return undefined;
    this.#begin(queueing);
    return this.#place(model);
  }

  /**
   * Waits for a place.
   *
   * @param signal aborted when nobody waits for the answer any more
   * @param queueing absent where it waits here alone
   * @throws {HttpError} when the upstream is left alone or too many wait; nothing was sent then
   * @throws {UpstreamBusy} when it would have to wait, and does not
   */
  async enter(model: string, signal: Cancellation, queueing?: Queueing): Promise<GatePlace> {
    const free = this.tryEnter(model, queueing);
    if (free) return free;
    if (queueing?.waits === false) throw new UpstreamBusy(this.#name);
    await this.#wait(signal, queueing);
    const place = this.#place(model);
    try {
      // It may have failed meanwhile.
      this.#refuseWhilePaused(model);
    } catch (error) {
      place.leave();
      throw error;
    }
    return place;
  }

  /** The upstream was reached by a request that asks no model. */
  reached(): void {
    this.#changing(() => this.#pauses.reached());
  }

  #place(model: string): GatePlace {
    const beganAt = this.#now();
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      this.#use.underWay -= 1;
      this.#admit();
    };
    return {
      leave,
      failed: () => this.#changing(() => this.#pauses.failed(beganAt)),
      refused: (toldMs) => this.#changing(() => this.#pauses.refused(model, beganAt, toldMs)),
      answered: () => {
        if (!this.#pauses.isClear) this.#changing(() => this.#pauses.answered(model));
      },
    };
  }

  /** Tells when a pause begins or ends, if only because its time is over. */
  #changing(change: () => void): void {
    const before = this.#paused;
    change();
    const paused = this.#paused;
    if (before.size === 0 && paused.size === 0) return;
    if (before.size !== paused.size || [...before.keys()].some((each) => !paused.has(each)))
      this.#tellPause();
    this.#awaitPauseEnd();
  }

  #awaitPauseEnd(): void {
    clearTimeout(this.#pauseEnd);
    const leftMs = [...this.#paused.values()];
    if (leftMs.length === 0) return;
    const end = () => {
      this.#tellPause();
      this.#awaitPauseEnd();
    };
    this.#pauseEnd = setTimeout(end, Math.ceil(Math.min(...leftMs))).unref();
  }

  /** What is left alone, and how long in milliseconds: models, and the whole upstream without a name. */
  get #paused(): ReadonlyMap<string | undefined, number> {
    const whole = this.pauseMs;
    return new Map([...(whole > 0 ? [[undefined, whole] as const] : []), ...this.pausedModels]);
  }

  #refuseWhilePaused(model: string): void {
    const waitMs = this.#pauses.waitMs(model);
    if (waitMs > 0) throw leftAlone(this.#name, waitMs);
  }

  /** How long until a limit lets another request in, in milliseconds; infinite until one ends. */
  #delayMs(): number {
    const { concurrentRequests = Number.POSITIVE_INFINITY, requestsPerMinute } = this.#limits;
    if (this.#use.underWay >= concurrentRequests) return Number.POSITIVE_INFINITY;
    return requestsPerMinute === undefined ? 0 : this.#use.waitMs(requestsPerMinute);
  }

  #begin(queueing: Queueing | undefined): void {
    this.#use.begin();
    queueing?.entered();
  }

  async #wait(signal: Cancellation, queueing: Queueing | undefined): Promise<void> {
    const { waitingRequests = usualWaiting } = this.#limits;
    if (this.#waiting.size >= waitingRequests) throw queueFull(this.#name, this.#delayMs());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      this.#begin(queueing);
      resolve();
    };
    const waiting: Waiting = { enter };
    const leave = () => {
      this.#waiting.delete(waiting);
      reject(leftQueue(this.#name));
    };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    this.#admit();
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Lets those in for whom there is place, the first one first; looks again when the next may come. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (const first of this.#waiting) {
      const delayMs = this.#delayMs();
      if (delayMs > 0) {
        if (Number.isFinite(delayMs)) this.#timer = setTimeout(() => this.#admit(), Math.ceil(delayMs));
        return;
      }
      this.#waiting.delete(first);
      first.enter();
    }
  }
}

/** The place of a request at an upstream, and what it finds out. */
export interface GatePlace {
  /** The upstream was not reached, or brought no reply. */
  failed(): void;
  /** @param toldMs how long the upstream wants to be left alone, in milliseconds, where it says so */
  refused(toldMs: number | undefined): void;
  answered(): void;
  /** The request is over. Calls after the first do nothing. */
  leave(): void;
}

/** A request would have to wait for an upstream. Nothing was sent. */
export class UpstreamBusy extends HttpError {
  constructor(upstream: string) {
    super({
      status: 503,
      message: `Upstream '${upstream}' has as many requests as its limits allow.`,
      type: 'upstream_error',
      code: 'upstream_busy',
      neverSent: true,
    });
  }
}

function leftAlone(name: string, waitMs: number): HttpError {
  const seconds = Math.ceil(waitMs / 1_000);
  return new HttpError({
    status: 503,
    message: `Upstream '${name}' failed, and is left alone for ${seconds} s more. Nothing was sent to it.`,
    type: 'upstream_error',
    code: 'upstream_left_alone',
    headers: { 'retry-after': String(seconds) },
    neverSent: true,
  });
}

function queueFull(name: string, delayMs: number): HttpError {
  const seconds = Number.isFinite(delayMs) ? Math.max(1, Math.ceil(delayMs / 1_000)) : 1;
  return new HttpError({
    status: 429,
    message: `Upstream '${name}' has as many requests as its limits allow, and too many wait already. Try again in ${seconds} s.`,
    type: 'rate_limit_error',
    code: 'upstream_queue_full',
    headers: { 'retry-after': String(seconds) },
    neverSent: true,
  });
}

function leftQueue(name: string): HttpError {
  return new HttpError({
    status: 503,
    message: `The caller left while the request waited for upstream '${name}'. Nothing was sent.`,
    type: 'upstream_error',
    code: 'caller_left',
    neverSent: true,
  });
}
