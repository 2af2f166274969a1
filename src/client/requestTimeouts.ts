import { performance } from 'node:perf_hooks';
import { readUptimeMs } from '../base/node/clock.ts';
import { explain, type SentenceArgs, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import type { FailureReason } from '../wire/failures/gatewayError.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';
import type { CallOptions, Timeouts } from './types.ts';

export const defaultTimeouts: Timeouts = {
  connect: 10_000,
  firstByte: 60_000,
  wholeReply: 600_000,
  idle: 90_000,
  noData: 300_000,
  total: 0,
};

/** Timeouts for a gateway that is silent until it has generated the result: half an hour. */
export const generationTimeouts: Partial<Timeouts> = {
  firstByte: 1_800_000,
  idle: 1_800_000,
  noData: 1_800_000,
};

/** The parts of a call that determine its timeouts. */
export interface TimedCall {
  /** Whether the gateway sends the reply only when it is complete, as without a stream. */
  readonly isUnstreamed?: boolean;
  /** The minimum timeouts of this kind of call. They replace shorter timeouts of the client. */
  readonly minTimeouts?: Partial<Timeouts>;
  readonly options: Pick<CallOptions, 'timeouts'>;
}

/**
 * Resolves the timeouts of a call. Its own options take precedence over the minimum of its kind, which takes
 * precedence over the timeouts of the client.
 */
export function resolveTimeouts(
  { isUnstreamed = false, minTimeouts = {}, options }: TimedCall,
  clientTimeouts: Timeouts,
): Timeouts {
  const baseTimeouts = { ...clientTimeouts, ...options.timeouts };
  return {
    ...raiseTimeouts(isUnstreamed ? adaptToUnstreamedReply(baseTimeouts) : baseTimeouts, minTimeouts),
    ...options.timeouts,
  };
}

/** Replaces the shorter timeouts, because the gateway may send the headers at once and the body much later. */
function adaptToUnstreamedReply(timeouts: Timeouts): Timeouts {
  const { wholeReply, idle, noData } = timeouts;
  return {
    ...timeouts,
    firstByte: wholeReply,
    idle: chooseLongerTimeout(idle, wholeReply),
    noData: chooseLongerTimeout(noData, wholeReply),
  };
}

function chooseLongerTimeout(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

/** A timeout of 0 means no limit and stays 0. */
function raiseTimeouts(timeouts: Timeouts, minTimeouts: Partial<Timeouts>): Timeouts {
  const raised = (Object.entries(minTimeouts) as [keyof Timeouts, number][]).filter(
    ([name, limit]) => timeouts[name] > 0 && timeouts[name] < limit,
  );
  return { ...timeouts, ...Object.fromEntries(raised) };
}

/** The progress of a request. */
export type RequestPhase = 'connecting' | 'waiting' | 'reading';

/** The exceeded limit: a timeout, the silence allowed after a sleep, or the time to sign in to a proxy. */
type ExceededTimeout = TimeoutName | 'sleep' | 'proxyLogin';

/** Excludes `wholeReply`: if it applies, the caller has copied its value to `firstByte`. */
type TimeoutName = Exclude<keyof Timeouts, 'wholeReply'>;

interface Deadline {
  readonly at: number;
  readonly timeout: ExceededTimeout;
}

/** A time by two clocks. Only `monotonic` may stop while the machine sleeps. */
interface ClockReading {
  readonly monotonic: number;
  readonly uptime: number;
}

/** How often the timer checks for a sleep of the machine while a reply is read. */
const maxTickMs = 5_000;

/** A reply that is silent for this long after a sleep has lost its connection. */
const maxSilenceAfterSleepMs = 5_000;

/** How long a user may take to sign in to a proxy. */
const maxProxyLoginMs = 600_000;

/** A timer that is later than this means that the machine slept or the process was suspended. */
const maxTimerDelayMs = 10_000;

/** Times are by `performance.now()`. */
interface TimedRequest {
  readonly timeouts: Timeouts;
  /** When the call began. Earlier attempts count towards the total. */
  readonly startedAt: number;
  /** When the first attempt began to connect, if there was one. The `connect` timeout starts then. */
  readonly connectingSince?: number;
}

/**
 * The timeouts of one request. Events only set times. One timer checks them at the next possible deadline, so that
 * a reply of a million pieces starts few timers.
 */
export class RequestTimeouts {
  readonly #timeouts: Timeouts;
  #startedAt: number;
  readonly #onExceeded: (exceeded: ExceededTimeout) => void;
  #phase: RequestPhase = 'connecting';
  #phaseAt: number;
  #bytesAt = 0;
  #dataAt = 0;
  /** When a sleep was noticed, by `performance.now()`, which stops during a sleep on some systems. */
  #wokeAt: number | undefined;
  /** When VS Code began to prompt the user to sign in to a proxy. */
  #proxyLoginSince: number | undefined;
  /** When the timer is due, by both clocks. */
  #due: ClockReading = { monotonic: 0, uptime: Number.POSITIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    { timeouts, startedAt, connectingSince }: TimedRequest,
    onExceeded: (exceeded: ExceededTimeout) => void,
  ) {
    this.#timeouts = timeouts;
    this.#startedAt = startedAt;
    this.#phaseAt = connectingSince ?? performance.now();
    this.#onExceeded = onExceeded;
    this.#arm();
  }

  /**
   * Called when VS Code starts and ends the sign-in to a proxy. The time between does not count towards other
   * timeouts.
   */
  onProxyLogin(isPending: boolean): void {
    const now = performance.now();
    if (isPending) this.#proxyLoginSince ??= now;
    else if (this.#proxyLoginSince !== undefined) {
      this.#phaseAt += now - this.#proxyLoginSince;
      this.#startedAt += now - this.#proxyLoginSince;
      this.#proxyLoginSince = undefined;
    }
    this.#arm();
  }

  /** Called when the connection is made and the request is being sent. */
  onSent(): void {
    this.#enter('waiting');
  }

  /** Called when the headers of the reply arrive. */
  onHead(): void {
    this.#enter('reading');
  }

  /** Called for all bytes of the body, including comments of an event stream. */
  onBytes(now = performance.now()): void {
    this.#bytesAt = now;
  }

  /** Called after `onBytes` if the bytes contain data, and not only comments. */
  onData(): void {
    this.#dataAt = this.#bytesAt;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #enter(phase: RequestPhase): void {
    this.#phase = phase;
    // If a sign-in is still pending, the request uses another connection, which does not need it.
    this.#proxyLoginSince = undefined;
    this.#phaseAt = this.#bytesAt = this.#dataAt = performance.now();
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#nextDeadline();
    if (!next) return;
    const now = performance.now();
    const isReading = this.#phase === 'reading';
    const untilNext = Math.max(1, next.at - now);
    const wait = isReading ? Math.min(untilNext, maxTickMs) : untilNext;
    // Silence after a sleep matters only while a reply is read. Reading the uptime is slow, so other phases skip it.
    const uptime = isReading ? readUptimeMs() + wait : Number.POSITIVE_INFINITY;
    this.#due = { monotonic: now + wait, uptime };
    this.#timer = setTimeout(() => this.#check(), wait);
  }

  #check(): void {
    this.#noticeSleep();
    // A late timer may mean a busy event loop, so process pending reads first.
    if (this.#dueDeadline()) setImmediate(() => this.#endIfDue());
    else this.#arm();
  }

  /** Detects a sleep by a gap between ticks. It does not use the wall clock, which the user may change. */
  #noticeSleep(): void {
    const now = performance.now();
    const lateMs = now - this.#due.monotonic;
    if (Math.max(lateMs, readUptimeMs() - this.#due.uptime) <= maxTimerDelayMs) return;
    this.#wokeAt = now;
    // Data could not arrive during the gap, so it counts towards `total` only.
    const withoutGap = (at: number) => Math.min(now, at + lateMs);
    this.#phaseAt = withoutGap(this.#phaseAt);
    this.#bytesAt = withoutGap(this.#bytesAt);
    this.#dataAt = withoutGap(this.#dataAt);
  }

  #endIfDue(): void {
    if (this.#isStopped) return;
    const due = this.#dueDeadline();
    if (due) this.#onExceeded(due.timeout);
    else this.#arm();
  }

  #dueDeadline(): Deadline | undefined {
    const next = this.#nextDeadline();
    return next && next.at <= performance.now() ? next : undefined;
  }

  #sleepDeadline(): Deadline | undefined {
    if (this.#phase !== 'reading' || this.#wokeAt === undefined || this.#bytesAt > this.#wokeAt)
      return undefined;
    return this.#timeouts.idle > 0
      ? { at: this.#wokeAt + maxSilenceAfterSleepMs, timeout: 'sleep' }
      : undefined;
  }

  #nextDeadline(): Deadline | undefined {
    if (this.#proxyLoginSince !== undefined)
      return { at: this.#proxyLoginSince + maxProxyLoginMs, timeout: 'proxyLogin' };
    const since: Partial<Record<TimeoutName, number>> = {
      total: this.#startedAt,
      ...(this.#phase === 'connecting' && { connect: this.#phaseAt }),
      ...(this.#phase === 'waiting' && { firstByte: this.#phaseAt }),
      ...(this.#phase === 'reading' && { idle: this.#bytesAt, noData: this.#dataAt }),
    };
    let next: Deadline | undefined;
    for (const [timeout, start] of Object.entries(since) as [TimeoutName, number][]) {
      const limit = this.#timeouts[timeout];
      if (limit > 0 && (!next || start + limit < next.at)) next = { at: start + limit, timeout };
    }
    return chooseEarlierDeadline(next, this.#sleepDeadline());
  }
}

function chooseEarlierDeadline(a: Deadline | undefined, b: Deadline | undefined): Deadline | undefined {
  if (!a || !b) return a ?? b;
  return a.at <= b.at ? a : b;
}

/** Explains a timeout, with the host and the limit. */
export function createTimeoutFailure(
  exceeded: ExceededTimeout,
  timeouts: Timeouts,
  host: SentenceArgs['host'],
): FailureDetails {
  const { reason, sentence } = timeoutFailures[exceeded];
  const timeoutMs = { ...timeouts, sleep: maxSilenceAfterSleepMs, proxyLogin: maxProxyLoginMs }[exceeded];
  return { kind: 'unreachable', reason, explanation: explain(sentence, { host, timeoutMs }) };
}

interface TimeoutFailure {
  readonly reason: FailureReason;
  readonly sentence: SentenceIdWith<'host' | 'timeoutMs'>;
}

const timeoutFailures: Readonly<Record<ExceededTimeout, TimeoutFailure>> = {
  connect: { reason: 'connect-timeout', sentence: 'connect-timeout' },
  firstByte: { reason: 'first-byte-timeout', sentence: 'first-byte-timeout' },
  idle: { reason: 'idle-timeout', sentence: 'idle-timeout' },
  sleep: { reason: 'idle-timeout', sentence: 'silent-since-sleep' },
  proxyLogin: { reason: 'proxy-credentials', sentence: 'proxy-login-timeout' },
  noData: { reason: 'no-data-timeout', sentence: 'no-data-timeout' },
  total: { reason: 'total-timeout', sentence: 'total-timeout' },
};
