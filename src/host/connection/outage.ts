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
