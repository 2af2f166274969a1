import { GatewayError } from '../../client/gatewayClient.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { BackoffLimits, GatewayQueue, ScheduledItem } from './gatewayQueue.ts';

/** What the failure of a look means for the other tasks of the gateway, besides what its lane knows. */
export type Backoff =
  /** Nothing: this look failed, others may not. */
  | 'none'
  /** The same look should be had again at once: the credential may be a new one by then. */
  | 'again'
  /** The gateway is left alone until there is a new credential: this is news. */
  | 'paused'
  /** The gateway is left alone for long, since it said so. */
  | 'held-off';

/** A longer pause than this is worth telling; one longer than the longest is nonsense. */
const WORTH_TELLING_MS = 60_000;
const LONGEST_HINT_MS = 24 * 3_600_000;

/** How long a gateway asked to be left alone, as far as that makes sense. */
export function retryHintMs({ retryAfterMs = 0 }: GatewayError): number {
  return Math.min(retryAfterMs, LONGEST_HINT_MS);
}

/** A look that failed, and when. */
export interface FailedAttempt {
  readonly key: string;
  /** Whether the model list was refused, too. */
  readonly confirmed: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly pace: BackoffLimits;
}

/** Tells the lane of a gateway what a failed look means for all of its tasks. */
export function backOff(
  lane: GatewayQueue<ScheduledItem>,
  error: unknown,
  { key, confirmed, startedAt, now, pace }: FailedAttempt,
): Backoff {
  if (!GatewayError.is(error)) {
    lane.rest(now, startedAt, pace);
    return 'none';
  }
  const hint = retryHintMs(error);
  if (hint > 0) lane.close(now + hint);
  switch (effectOf(error).others) {
    case 'pause': {
      const refusal = lane.refuse(key, now, confirmed);
      return refusal === 'again' || refusal === 'paused' ? refusal : 'none';
    }
    case 'slow-down':
      lane.slowDown();
      if (hint === 0) lane.rest(now, startedAt, pace);
      break;
    case 'back-off':
      lane.rest(now, startedAt, pace);
  }
  return hint > WORTH_TELLING_MS ? 'held-off' : 'none';
}
