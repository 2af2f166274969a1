import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/node/clock.ts';
import type { ExchangeRecord } from '../../client/types.ts';
import type { FailureReason, GatewayError } from '../../wire/failures/gatewayError.ts';

/** A period in which a gateway cannot be reached. */
export interface Outage {
  /** The start of the outage, in milliseconds since 1970. */
  readonly since: number;
  readonly error: GatewayError;
}

/** Whether the gateway can be reached, according to an exchange. */
type Reachability =
  | { readonly kind: 'reached' }
  | { readonly kind: 'unreachable'; readonly error: GatewayError }
  /** The connection existed and broke. Another request must check whether the gateway can still be reached. */
  | { readonly kind: 'doubtful' }
  /** The exchange was cancelled, or does not show whether the gateway can be reached. */
  | { readonly kind: 'unknown' };

/**
 * Derives from an exchange whether its gateway can be reached. Any reply of the gateway itself proves this, even a
 * refusal.
 */
export function findReachability({ status, method, error, transport }: ExchangeRecord): Reachability {
  if (error?.kind === 'cancelled' || transport === undefined) return { kind: 'unknown' };
  if (error === undefined) return { kind: 'reached' };
  if (status !== undefined) return isBrokenReply(error) ? { kind: 'doubtful' } : { kind: 'reached' };
  if (error.kind !== 'unreachable') return { kind: 'unknown' };
  // A reply to a long request may be late although the gateway can be reached.
  return error.wasSent === false || method === 'GET' ? { kind: 'unreachable', error } : { kind: 'doubtful' };
}

/** Whether automatic checks are allowed. A failed proxy may show a sign-in dialog for each request. */
export function canCheck({ error }: Outage): boolean {
  return !error.reason?.startsWith('proxy');
}

/** Whether a reply began but was not completed. */
export function isBrokenReply({ reason }: GatewayError): boolean {
  return reason !== undefined && lostReasons.has(reason);
}

const lostReasons: ReadonlySet<FailureReason> = new Set(['reset', 'cut', 'idle-timeout', 'no-data-timeout']);

/** The interval for comparing the machine's networks, in milliseconds. */
const tickMs = 5_000;
const firstPauseMs = 5_000;
const maxPauseMs = 120_000;

interface OutageChecksOptions {
  readonly clock: Clock;
  /** Sends a request that is free of charge. Never rejects. */
  readonly check: () => Promise<unknown>;
  /** Whether the window has the focus. */
  readonly isWatched: () => boolean;
  /** Returns a text that changes with the machine's networks; by default the addresses of the network interfaces. */
  readonly network?: () => string;
}

/**
 * Checks periodically whether a gateway can be reached again, with growing pauses. The checks run only while the window
 * has the focus. A change of the machine's networks causes an immediate check.
 */
export class OutageChecks {
  readonly #options: OutageChecksOptions;
  readonly #network: () => string;
  #pauseMs = firstPauseMs;
  #nextAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastNetwork = '';
  #isChecking = false;
  #stopTimer: (() => void) | undefined;
  #stopSingleCheck: (() => void) | undefined;

  constructor(options: OutageChecksOptions) {
    this.#options = options;
    this.#network = options.network ?? readNetworkAddresses;
  }

  /** Starts the periodic checks, unless they run already. */
  start(): void {
    if (this.#stopTimer) return;
    this.#pauseMs = firstPauseMs;
    this.#lastAt = this.#options.clock.monotonic();
    this.#nextAt = this.#lastAt + firstPauseMs;
    this.#lastNetwork = this.#network();
    this.#wait();
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#stopSingleCheck?.();
    this.#stopSingleCheck = undefined;
  }

  /** Checks once after a connection broke. At most one check is sent in 5 seconds. */
  checkSoon(): void {
    if (this.#stopTimer || this.#stopSingleCheck || this.#isChecking) return;
    const { clock } = this.#options;
    const dueMs = Math.max(0, this.#lastAt + firstPauseMs - clock.monotonic());
    this.#stopSingleCheck = clock.after(dueMs, () => {
      this.#stopSingleCheck = undefined;
      void this.#check();
    });
  }

  /** Checks immediately when the window has the focus again, unless the last check was less than 5 seconds ago. */
  wake(): void {
    if (!this.#stopTimer) return;
    this.#nextAt = Math.min(this.#nextAt, this.#lastAt + firstPauseMs);
    this.#tick();
  }

  #wait(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#options.clock.after(tickMs, () => this.#tick());
  }

  #tick(): void {
    this.#wait();
    if (this.#isChecking || !this.#options.isWatched()) return;
    const network = this.#network();
    if (network !== this.#lastNetwork) {
      this.#lastNetwork = network;
      this.#pauseMs = firstPauseMs;
    } else if (this.#options.clock.monotonic() < this.#nextAt) return;
    void this.#check();
  }

  async #check(): Promise<void> {
    this.#isChecking = true;
    await this.#options.check();
    this.#isChecking = false;
    this.#lastAt = this.#options.clock.monotonic();
    this.#nextAt = this.#lastAt + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }
}

function readNetworkAddresses(): string {
  return JSON.stringify(
    Object.values(networkInterfaces()).map((all) => all?.map(({ address }) => address).sort()),
  );
}
