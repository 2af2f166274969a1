import type { FailureFacts } from './failure.ts';

/** What follows from a failed request, for money and for the requests after it. */
export interface FailureEffect {
  /** The request cannot have made, or billed, anything. */
  readonly nothingMade: boolean;
  /**
   * What the other requests to this gateway should do: `pause` until there is a new credential, `slow-down`,
   * `back-off` since nobody was reached, or go on, since only this request failed.
   */
  readonly others: 'pause' | 'slow-down' | 'back-off' | 'go-on';
}

/** A time-out or a failure on the way to whoever does the work: it may be done all the same. */
const UNCLEAR = new Set([408, 424, 425, 499]);

/**
 * What a failure proves. Rests on whether the request left and on the reply's status, never on the gateway's
 * words: `504 load_balancer_timeout` is no lack of balance, and a task may have been made and billed behind it
 * (F33). Only a 4xx that is no time-out says no; a redirect may as well answer what was done. The class only
 * counts where there is no reply, since then it is the client's own finding.
 */
export function effectOf({
  sent,
  status,
  kind,
}: Pick<FailureFacts, 'sent' | 'status' | 'kind'>): FailureEffect {
  if (status === undefined) {
    const others = kind === 'authentication' ? 'pause' : kind === 'unreachable' ? 'back-off' : 'go-on';
    return { nothingMade: sent === false, others };
  }
  const refused = status >= 400 && status < 500 && !UNCLEAR.has(status);
  return { nothingMade: sent === false || refused, others: othersAfter(status) };
}

function othersAfter(status: number): FailureEffect['others'] {
  if (status === 401 || status === 403) return 'pause';
  if (status === 429) return 'slow-down';
  return status === 407 || (status >= 300 && status < 400) ? 'back-off' : 'go-on';
}
