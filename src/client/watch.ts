import { performance } from 'node:perf_hooks';
import type { Diagnosis } from '../wire/classify.ts';
import type { Budgets } from './gatewayClient.ts';

type Phase = 'connecting' | 'waiting' | 'reading';

interface Deadline {
  readonly at: number;
  readonly budget: keyof Budgets;
}

/** While a reply is read, a sleep of the machine is noticed within this time. */
const TICK_MS = 5_000;

/** A reply that says nothing for this long after a sleep has lost its connection, though nobody was told. */
const AWAKE_MS = 5_000;

/** Clocks that drift apart by less than this did not sleep. */
const NAP_MS = 10_000;

/**
 * Keeps the budgets of one request. What happens is only noted as a time; a single timer looks at the
 * notes when the next deadline could be due, so that a reply of a million pieces arms few timers.
 */
export class Watch {
  readonly #budgets: Budgets;
  readonly #startedAt: number;
  readonly #onExpired: (budget: keyof Budgets) => void;
  #phase: Phase = 'connecting';
  #phaseAt = performance.now();
  #bytesAt = 0;
  #dataAt = 0;
  /** When a sleep was noticed, by `performance.now()`, which stands still meanwhile on some systems. */
  #wokeAt: number | undefined;
  #sleptBefore = sleptMs();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** @param startedAt when the call began, by `performance.now()`: an earlier attempt counts towards the total */
  constructor(budgets: Budgets, startedAt: number, onExpired: (budget: keyof Budgets) => void) {
    this.#budgets = budgets;
    this.#startedAt = startedAt;
    this.#onExpired = onExpired;
    this.#arm();
  }

  /** The connection stands and the request is on its way. */
  sent(): void {
    this.#enter('waiting');
  }

  /** The reply's headers came. */
  answered(): void {
    this.#enter('reading');
    this.#bytesAt = this.#dataAt = this.#phaseAt;
  }

  /** Bytes of the reply came, whatever they hold. */
  bytes(): void {
    this.#bytesAt = performance.now();
  }

  /** Real data came. */
  data(): void {
    this.#dataAt = this.#bytesAt;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseAt = this.#bytesAt = this.#dataAt = performance.now();
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#nextDeadline();
    if (!next) return;
    const wait = Math.max(1, next.at - performance.now());
    this.#timer = setTimeout(() => this.#look(), this.#phase === 'reading' ? Math.min(wait, TICK_MS) : wait);
  }

  #look(): void {
    this.#noticeSleep();
    // A timer can be late because everything was: let the reads that already wait have their say first.
    if (this.#expired()) setImmediate(() => this.#judge());
    else this.#arm();
  }

  /** A wall clock that was put forward looks like a sleep, so bytes that still come prove it was none (F82). */
  #noticeSleep(): void {
    const slept = sleptMs();
    if (slept - this.#sleptBefore > NAP_MS) this.#wokeAt = performance.now();
    this.#sleptBefore = slept;
  }

  #judge(): void {
    if (this.#stopped) return;
    const expired = this.#expired();
    if (expired) this.#onExpired(expired.budget);
    else this.#arm();
  }

  #expired(): Deadline | undefined {
    const next = this.#nextDeadline();
    return next && next.at <= performance.now() ? next : undefined;
  }

  #awakening(): Deadline | undefined {
    if (this.#phase !== 'reading' || this.#wokeAt === undefined || this.#bytesAt > this.#wokeAt)
      return undefined;
    return this.#budgets.idle > 0 ? { at: this.#wokeAt + AWAKE_MS, budget: 'idle' } : undefined;
  }

  #nextDeadline(): Deadline | undefined {
    const since: Partial<Budgets> = {
      total: this.#startedAt,
      ...(this.#phase === 'connecting' && { connect: this.#phaseAt }),
      ...(this.#phase === 'waiting' && { firstByte: this.#phaseAt }),
      ...(this.#phase === 'reading' && { idle: this.#bytesAt, noData: this.#dataAt }),
    };
    let next: Deadline | undefined;
    for (const [budget, start] of Object.entries(since) as [keyof Budgets, number][]) {
      const limit = this.#budgets[budget];
      if (limit > 0 && (!next || start + limit < next.at)) next = { at: start + limit, budget };
    }
    return earlier(next, this.#awakening());
  }
}

/** How much further the wall clock went than the one that stands still while the machine sleeps. */
function sleptMs(): number {
  return Date.now() - performance.now();
}

function earlier(a: Deadline | undefined, b: Deadline | undefined): Deadline | undefined {
  if (!a || !b) return a ?? b;
  return a.at <= b.at ? a : b;
}

/** What it means that a budget ran out, naming who waited for what and how long. */
export function diagnoseExpiry(budget: keyof Budgets, limitMs: number, host: string): Diagnosis {
  const limit = limitMs % 1000 === 0 ? `${limitMs / 1000} s` : `${limitMs} ms`;
  return { kind: 'unreachable', ...expiries[budget](limit, host) };
}

const expiries: Record<
  keyof Budgets,
  (limit: string, host: string) => Pick<Diagnosis, 'reason' | 'message'>
> = {
  connect: (limit, host) => ({
    reason: 'connect-timeout',
    message: `No connection to ${host} within ${limit}: check the address, the network and the proxy.`,
  }),
  firstByte: (limit, host) => ({
    reason: 'first-byte-timeout',
    message: `${host} took the request but sent no answer within ${limit}: try again, or allow it more time.`,
  }),
  idle: (limit, host) => ({
    reason: 'idle-timeout',
    message: `${host} sent nothing more for ${limit}: what came so far is kept, ask again for the rest.`,
  }),
  noData: (limit, host) => ({
    reason: 'no-data-timeout',
    message: `${host} sent signs of life but no data for ${limit}: what came so far is kept, ask again for the rest.`,
  }),
  total: (limit) => ({
    reason: 'total-timeout',
    message: `The call was not over within ${limit}: what came so far is kept; allow it more time in the settings.`,
  }),
};
