import { GatewayError } from '../../wire/failure.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { BackoffLimits, GatewayQueue, PolledKey, ScheduledItem } from './gatewayQueue.ts';

/** What a failed poll means for the other tasks of the gateway, beside what the queue stores. */
export type Backoff =
  /** Other polls may succeed. */
  | 'none'
  /** The same task is to be polled again at once, because the credential may be new. */
  | 'again'
  /** The account is not polled until it has a new credential. Reported once. */
  | 'paused'
  /** The gateway asked for a long pause. */
  | 'rate-limited';

/** A longer pause is reported; one longer than the longest is not taken seriously. */
const minReportedMs = 60_000;
const maxHintMs = 24 * 3_600_000;

/** How long the gateway asked to wait, in milliseconds, at most a day. */
export function retryHintMs({ retryAfterMs = 0 }: GatewayError): number {
  return Math.min(retryAfterMs, maxHintMs);
}

/** A poll that failed. */
export interface FailedAttempt {
  readonly polled: PolledKey;
  /** Whether the model list was refused as well. */
  readonly confirmed: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly pollOptions: BackoffLimits;
}

/**
 * Updates the queue of a gateway after a failed poll.
 *
 * @returns what the failure means for the gateway's other tasks
 */
export function backOff(
  queue: GatewayQueue<ScheduledItem>,
  error: unknown,
  { polled, confirmed, startedAt, now, pollOptions }: FailedAttempt,
): Backoff {
  if (!GatewayError.is(error)) {
    queue.backOff(now, startedAt, pollOptions);
    return 'none';
  }
  const hint = retryHintMs(error);
  if (hint > 0) queue.pauseUntil(now + hint);
  switch (effectOf(error).others) {
    case 'pause': {
      const refusal = queue.recordRefusal(polled, now, confirmed);
      return refusal === 'again' || refusal === 'paused' ? refusal : 'none';
    }
    case 'slow-down':
      queue.slowDown();
      if (hint === 0) queue.backOff(now, startedAt, pollOptions);
      break;
    case 'back-off':
      queue.backOff(now, startedAt, pollOptions);
  }
  return hint > minReportedMs ? 'rate-limited' : 'none';
}
