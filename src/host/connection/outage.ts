import type { ExchangeRecord } from '../../client/types.ts';
import type { FailureReason, GatewayError } from '../../wire/failure.ts';

/** A gateway that cannot be reached: since when, in milliseconds since 1970, and why. */
export interface Outage {
  readonly since: number;
  readonly error: GatewayError;
}

/** What an exchange says about the way to the gateway. */
export type Finding =
  | { readonly kind: 'reached' }
  | { readonly kind: 'unreachable'; readonly error: GatewayError }
  /** The connection was there and broke. Only another request can tell whether the gateway is still there. */
  | { readonly kind: 'doubtful' }
  /** The user stopped it. */
  | { readonly kind: 'nothing' };

/**
 * Reads from an exchange whether its gateway can be reached. Any reply of the gateway's own means that it can,
 * a refusal too.
 */
export function findingOf({ status, method, error, transport }: ExchangeRecord): Finding {
  if (error?.kind === 'cancelled' || transport === undefined) return { kind: 'nothing' };
  if (error === undefined) return { kind: 'reached' };
  if (status !== undefined) return isLost(error) ? { kind: 'doubtful' } : { kind: 'reached' };
  if (error.kind !== 'unreachable') return { kind: 'nothing' };
  // A reply to a long request may be late although the gateway is there.
  return error.sent === false || method === 'GET' ? { kind: 'unreachable', error } : { kind: 'doubtful' };
}

/** Whether a check may help without the user: a proxy would ask for a sign-in each time. */
export function mayCheck({ error }: Outage): boolean {
  return !error.reason?.startsWith('proxy');
}

/** Whether a reply began and broke off. */
export function isLost({ reason }: GatewayError): boolean {
  return reason !== undefined && lostReasons.has(reason);
}

const lostReasons: ReadonlySet<FailureReason> = new Set(['reset', 'cut', 'idle-timeout', 'no-data-timeout']);
