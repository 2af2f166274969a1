import type { Cancellation } from '../../../base/cancellation.ts';
import { HttpError } from '../../http/httpError.ts';
import { RequestCounts } from '../../http/requestCounts.ts';
import type { Queueing } from '../upstream.ts';
import type { UpstreamConfig } from '../upstreamConfig.ts';
import { upstreamError } from '../upstreamFailure.ts';
import { FailurePauses } from './failurePauses.ts';

/** The default for the maximum number of waiting requests. */
const defaultMaxWaiting = 100;

/** The limits of an upstream; unlimited if absent. */
type GateLimits = Pick<UpstreamConfig, 'concurrentRequests' | 'requestsPerMinute' | 'waitingRequests'>;

/**
 * The gate for every request to a model of an upstream. It pauses a failing upstream and queues requests, first
 * come first served, while the upstream's limits are reached.
 */
export class UpstreamGate {
  readonly #name: string;
  readonly #now: () => number;
  readonly #pauses: FailurePauses;
  readonly #counts: RequestCounts;
  readonly #onPauseChange: () => void;
  #limits: GateLimits;
  /** The functions that admit the waiting requests, longest waiting first. */
  readonly #waiting = new Set<() => void>();
  #admitTimer: NodeJS.Timeout | undefined;
  #pauseTimer: NodeJS.Timeout | undefined;

  /**
   * @param onPauseChange called when a pause of the upstream or of one of its models begins or ends
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    name: string,
    limits: GateLimits,
    onPauseChange: () => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#name = name;
    this.#limits = limits;
    this.#onPauseChange = onPauseChange;
    this.#now = now;
    this.#pauses = new FailurePauses(now);
    this.#counts = new RequestCounts(now);
  }

  /** How long the upstream is paused, in milliseconds; 0 if it is not. */
  get pauseMs(): number {
    return this.#pauses.upstreamPauseMs;
  }

  /** The paused models, each with the remaining time in milliseconds. */
  get pausedModels(): readonly (readonly [model: string, leftMs: number])[] {
    return this.#pauses.pausedModels;
  }

  /** Replaces the limits. Requests that were already counted stay counted. */
  setLimits(limits: GateLimits): void {
    this.#limits = limits;
    this.#admit();
  }

  /**
   * Returns a slot without a promise, because most requests do not have to wait.
   *
   * @returns undefined if a limit is reached or other requests wait
   * @throws {HttpError} if the upstream is paused
   */
  tryEnter(model: string, queueing?: Queueing): GateSlot | undefined {
    this.#refuseWhilePaused(model);
    if (this.#waiting.size > 0 || this.#computeDelayMs() > 0) return undefined;
    this.#begin(queueing);
    return this.#createSlot(model);
  }

  /**
   * Waits for a slot.
   *
   * @param signal aborted when the reply is no longer needed
   * @param queueing absent if the request waits only here
   * @throws {HttpError} if the upstream is paused or too many requests wait, so that nothing was sent
   * @throws {UpstreamBusyError} if the request would have to wait but may not
   */
  async enter(model: string, signal: Cancellation, queueing?: Queueing): Promise<GateSlot> {
    const free = this.tryEnter(model, queueing);
    if (free) return free;
    if (queueing?.shouldWait === false) throw new UpstreamBusyError(this.#name);
    await this.#wait(signal, queueing);
    const slot = this.#createSlot(model);
    try {
      // The upstream may have failed in the meantime.
      this.#refuseWhilePaused(model);
    } catch (error) {
      slot.leave();
      throw error;
    }
    return slot;
  }

  /** Reports that the upstream replied to a request without a model, such as a model list. */
  reportContact(): void {
    this.#changePauses(() => this.#pauses.recordContact());
  }

  #createSlot(model: string): GateSlot {
    const beganAt = this.#now();
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#counts.activeRequests -= 1;
      this.#admit();
    };
    return {
      leave,
      reportFailure: () => this.#changePauses(() => this.#pauses.recordFailure(beganAt)),
      reportRefusal: (requestedMs) =>
        this.#changePauses(() => this.#pauses.recordRefusal(model, beganAt, requestedMs)),
      reportReply: () => {
        if (!this.#pauses.isClear) this.#changePauses(() => this.#pauses.recordReply(model));
      },
    };
  }

  /** Applies a change, and calls `onPauseChange` if a pause begins or ends. */
  #changePauses(change: () => void): void {
    const before = this.#paused;
    change();
    const after = this.#paused;
    if (before.size === 0 && after.size === 0) return;
    if (before.size !== after.size || [...before.keys()].some((each) => !after.has(each)))
      this.#onPauseChange();
    this.#schedulePauseEnd();
  }

  #schedulePauseEnd(): void {
    clearTimeout(this.#pauseTimer);
    const leftMs = [...this.#paused.values()];
    if (leftMs.length === 0) return;
    const end = () => {
      this.#onPauseChange();
      this.#schedulePauseEnd();
    };
    this.#pauseTimer = setTimeout(end, Math.ceil(Math.min(...leftMs))).unref();
  }

  /** The pauses in milliseconds, by model. The key `undefined` is the whole upstream. */
  get #paused(): ReadonlyMap<string | undefined, number> {
    const upstreamMs = this.pauseMs;
    return new Map([...(upstreamMs > 0 ? [[undefined, upstreamMs] as const] : []), ...this.pausedModels]);
  }

  #refuseWhilePaused(model: string): void {
    const waitMs = this.#pauses.remainingMs(model);
    if (waitMs > 0) throw upstreamPausedError(this.#name, waitMs);
  }

  /** Computes the time until another request is admitted, in milliseconds; infinite if a request must end first. */
  #computeDelayMs(): number {
    const { concurrentRequests = Number.POSITIVE_INFINITY, requestsPerMinute } = this.#limits;
    if (this.#counts.activeRequests >= concurrentRequests) return Number.POSITIVE_INFINITY;
    return requestsPerMinute === undefined ? 0 : this.#counts.computeWaitMs(requestsPerMinute);
  }

  #begin(queueing: Queueing | undefined): void {
    this.#counts.begin();
    queueing?.onDequeue();
  }

  async #wait(signal: Cancellation, queueing: Queueing | undefined): Promise<void> {
    const { waitingRequests = defaultMaxWaiting } = this.#limits;
    if (this.#waiting.size >= waitingRequests) throw queueFullError(this.#name, this.#computeDelayMs());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      this.#begin(queueing);
      resolve();
    };
    const leave = () => {
      this.#waiting.delete(enter);
      reject(leftQueueError(this.#name));
    };
    this.#waiting.add(enter);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    this.#admit();
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Admits waiting requests while there is room, in their order, and schedules the next check. */
  #admit(): void {
    clearTimeout(this.#admitTimer);
    for (const enter of this.#waiting) {
      const delayMs = this.#computeDelayMs();
      if (delayMs > 0) {
        if (Number.isFinite(delayMs)) this.#admitTimer = setTimeout(() => this.#admit(), Math.ceil(delayMs));
        return;
      }
      this.#waiting.delete(enter);
      enter();
    }
  }
}

/** The slot of a request at an upstream, to which the outcome of the request is reported. */
export interface GateSlot {
  /** Reports that the upstream was not reached or did not reply. */
  reportFailure(): void;
  /** @param requestedMs the pause that the upstream requests, in milliseconds */
  reportRefusal(requestedMs: number | undefined): void;
  reportReply(): void;
  /** Frees the slot for another request. Calls after the first do nothing. */
  leave(): void;
}

/** The error for a request that would have to wait for an upstream. Nothing was sent. */
export class UpstreamBusyError extends HttpError {
  constructor(upstream: string) {
    super({
      status: 503,
      message: `Upstream '${upstream}' has reached its limits for requests.`,
      type: 'upstream_error',
      code: 'upstream_busy',
      neverSent: true,
    });
  }
}

function upstreamPausedError(name: string, waitMs: number): HttpError {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `Upstream '${name}' failed, so it gets no requests for another ${seconds} s. This request was not sent.`;
  const headers = { 'retry-after': String(seconds) };
  return upstreamError(503, message, 'upstream_paused', { headers, neverSent: true });
}

function queueFullError(name: string, delayMs: number): HttpError {
  const seconds = Number.isFinite(delayMs) ? Math.max(1, Math.ceil(delayMs / 1_000)) : 1;
  return new HttpError({
    status: 429,
    message: `Upstream '${name}' has reached its limits for requests, and too many requests already wait. Try again in ${seconds} s.`,
    type: 'rate_limit_error',
    code: 'upstream_queue_full',
    headers: { 'retry-after': String(seconds) },
    neverSent: true,
  });
}

function leftQueueError(name: string): HttpError {
  const message = `The caller disconnected while the request waited for upstream '${name}'. Nothing was sent.`;
  return upstreamError(503, message, 'caller_left', { neverSent: true });
}
