import { networkInterfaces } from 'node:os';
import type { Clock } from '../../base/node/clock.ts';
import type { ExchangeRecord } from '../../client/types.ts';
import type { FailureReason, GatewayError } from '../../wire/failures/gatewayError.ts';

/** A gateway cannot be reached. */
export interface Outage {
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly error: GatewayError;
}

/** Whether the gateway can be reached, as far as an exchange shows. */
type Reachability =
  | { readonly kind: 'reached' }
  | { readonly kind: 'unreachable'; readonly error: GatewayError }
  /** The connection existed and broke. Another request has to check whether the gateway is still reachable. */
  | { readonly kind: 'doubtful' }
  /** The exchange was cancelled, or shows nothing about the gateway. */
  | { readonly kind: 'nothing' };

/**
 * Derives from an exchange whether its gateway can be reached. Any reply of the gateway itself proves that it can,
 * including a refusal.
 */
export function findReachability({ status, method, error, transport }: ExchangeRecord): Reachability {
  if (error?.kind === 'cancelled' || transport === undefined) return { kind: 'nothing' };
  if (error === undefined) return { kind: 'reached' };
  if (status !== undefined) return isBrokenReply(error) ? { kind: 'doubtful' } : { kind: 'reached' };
  if (error.kind !== 'unreachable') return { kind: 'nothing' };
  // A reply to a long request may be late although the gateway is reachable.
  return error.wasSent === false || method === 'GET' ? { kind: 'unreachable', error } : { kind: 'doubtful' };
}

/** Whether to check without the user. If the proxy failed, it may show a sign-in dialog each time. */
export function canCheck({ error }: Outage): boolean {
  return !error.reason?.startsWith('proxy');
}

/** Whether a reply began and broke off. */
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
  /** Sends one request that is free of charge. Never rejects. */
  readonly check: () => Promise<unknown>;
  /** Whether the user looks at the window. */
  readonly isWatched: () => boolean;
  /** Returns a text that changes with the machine's networks; by default the addresses of its interfaces. */
  readonly network?: () => string;
}

/**
 * Checks periodically whether a gateway can be reached again, with growing pauses. It checks only while the user
 * looks at the window, and at once when the machine gets another network.
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

  /** Checks once, soon, after a connection broke. Sends at most one check in 5 seconds. */
  checkSoon(): void {
    if (this.#stopTimer || this.#stopSingleCheck || this.#isChecking) return;
    const { clock } = this.#options;
    const dueMs = Math.max(0, this.#lastAt + firstPauseMs - clock.monotonic());
    this.#stopSingleCheck = clock.after(dueMs, () => {
      this.#stopSingleCheck = undefined;
      void this.#check();
    });
  }

  /** Checks at once when the user looks at the window again, unless a check has just been made. */
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
