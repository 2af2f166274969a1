import type { Clock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import { effectOf } from '../../wire/failures/failureEffect.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { toProblem } from '../record/taskProblem.ts';
import type { BackoffLimits, GatewayQueue, PolledKey, ScheduledItem } from './gatewayQueue.ts';
import { computeSearchPauseMs, type PollOptions } from './pollPauses.ts';
import type { PollReports } from './pollReports.ts';
import type { PollSchedule } from './pollSchedule.ts';
import type { ClockReading, PollState } from './pollState.ts';
import type { PollResult } from './pollTask.ts';

export interface PollOutcomesOptions {
  readonly ledger: Pick<Ledger, 'change' | 'recordFailedPoll' | 'setWatching'>;
  readonly schedule: PollSchedule;
  readonly reports: PollReports;
  readonly pollOptions: () => PollOptions;
  readonly clock: Clock;
  /** Random numbers from 0 up to 1. */
  readonly random: () => number;
  readonly readClocks: () => ClockReading;
}

/** A poll that has ended. */
interface EndedPoll {
  readonly polled: PollState;
  readonly abort: AbortController;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Whether the gateway also refused the model list. */
  readonly isConfirmed: boolean;
}

/** The effect of a failed poll on the other tasks of the gateway, in addition to the state of the queue. */
type Backoff =
  /** Does not affect other tasks. */
  | 'none'
  /** Poll the same task again at once, because the credential may be new. */
  | 'again'
  /** The account is not polled until it has a new credential. Reported once. */
  | 'paused'
  /** The gateway requested a long pause. */
  | 'rate-limited';

/** A poll that failed, with the time of the failure by the monotonic clock. */
interface FailedAttempt {
  readonly polled: PolledKey;
  /** Whether the model list was also refused. */
  readonly isConfirmed: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly pollOptions: BackoffLimits;
}

/** Interrupted polls are repeated within this time. */
const soonMs = 5_000;
/** The pause before a refused task is polled with a possibly new credential. */
const atOnceMs = 1_000;

/** Longer pauses are reported. Pauses are limited to `maxHintMs`. */
const minReportedMs = 60_000;

const maxHintMs = 24 * 3_600_000;

/** Applies the outcomes of polls: schedules the next poll, stores problems, and reports events. */
export class PollOutcomes {
  readonly #options: PollOutcomesOptions;

  constructor(options: PollOutcomesOptions) {
    this.#options = options;
  }

  /** Schedules the next poll of the task, or reports the end of the polling. */
  applySuccess(polled: PollState, result: PollResult): void {
    const { schedule, reports, clock } = this.#options;
    const { key, gateway } = polled;
    if (schedule.getQueue(gateway).recordSuccess(polled, clock.monotonic()))
      reports.report({ type: 'resumed', gateway });
    switch (result.kind) {
      case 'same':
      case 'changed':
        this.#pollAgain(polled, result.kind);
        return;
      case 'found':
        reports.report({ type: 'found', key, taskId: result.taskId });
        return;
      case 'ended':
      case 'missing':
        reports.report({ type: result.kind, key });
    }
  }

  /**
   * Stores the problem and schedules the next poll.
   *
   * @param error why the poll failed or was aborted
   */
  applyFailure({ polled, abort, startedAt, isConfirmed }: EndedPoll, error: unknown): void {
    const { schedule, reports, clock, random, pollOptions } = this.#options;
    const now = clock.monotonic();
    if (abort.signal.aborted) {
      schedule.add(polled, now + random() * soonMs);
    } else if (error instanceof StorageError) {
      reports.reportStorageFailure(error);
      this.#pollAgain(polled, 'failed');
    } else {
      this.#storeProblem(polled, error);
      const attempt = { polled, isConfirmed, startedAt, now, pollOptions: pollOptions() };
      const backoff = backOff(schedule.getQueue(polled.gateway), error, attempt);
      if (backoff === 'again') schedule.add(polled, now + atOnceMs);
      else this.#pollAgain(polled, 'failed');
      if (GatewayError.is(error)) this.#reportBackoff(backoff, polled, error);
    }
  }

  #storeProblem(polled: PollState, error: unknown): void {
    const { ledger, reports, readClocks } = this.#options;
    const problem = toProblem(error);
    if (!polled.isNewProblem(problem, readClocks())) return;
    void reports.attempt(() => ledger.change(() => ledger.recordFailedPoll(polled.key, problem)));
  }

  #reportBackoff(backoff: Backoff, { gateway, gatewayName }: PollState, error: GatewayError): void {
    const { reports, clock } = this.#options;
    if (backoff === 'paused') reports.report({ type: 'paused', gateway, gatewayName, error });
    if (backoff === 'rate-limited') {
      reports.report({ type: 'rate-limited', gateway, until: clock.now() + retryHintMs(error), error });
    }
  }

  /**
   * Schedules the next poll, or ends the polling after its time limit. Only a poll can end the polling, so a time
   * without possible polls does not end it.
   */
  #pollAgain(polled: PollState, outcome: 'same' | 'changed' | 'failed'): void {
    const { schedule, pollOptions, readClocks } = this.#options;
    if (schedule.get(polled.key) !== polled) return;
    if (polled.isOverdue(readClocks(), pollOptions().timeoutMs)) void this.#giveUp(polled);
    else this.#schedule(polled, outcome);
  }

  #schedule(polled: PollState, outcome: 'same' | 'changed' | 'failed'): void {
    const { schedule, pollOptions, clock, random } = this.#options;
    const pauseMs = polled.isUnknown
      ? computeSearchPauseMs(polled.searches)
      : polled.pauses.nextMs(outcome, pollOptions());
    schedule.add(polled, clock.monotonic() + pauseMs * (0.9 + 0.2 * random()));
  }

  async #giveUp(polled: PollState): Promise<void> {
    const { ledger, reports } = this.#options;
    const { key, isUnknown } = polled;
    if (isUnknown) return;
    const isStored = await reports.attempt(async () => {
      await ledger.change(() => ledger.setWatching(key, 'timed-out'));
      return true;
    });
    // Without another poll, the task would stay watched in the ledger and never be polled.
    if (isStored) reports.report({ type: 'timed-out', key });
    else this.#schedule(polled, 'failed');
  }
}

/**
 * Updates the queue of a gateway after a failed poll.
 *
 * @returns the effect of the failure on the gateway's other tasks
 */
function backOff(
  queue: GatewayQueue<ScheduledItem>,
  error: unknown,
  { polled, isConfirmed, startedAt, now, pollOptions }: FailedAttempt,
): Backoff {
  if (!GatewayError.is(error)) {
    queue.backOff(now, startedAt, pollOptions);
    return 'none';
  }
  const hintMs = retryHintMs(error);
  if (hintMs > 0) queue.pauseUntil(now + hintMs);
  switch (effectOf(error).otherRequests) {
    case 'pause': {
      const refusal = queue.recordRefusal(polled, now, isConfirmed);
      return refusal === 'again' || refusal === 'paused' ? refusal : 'none';
    }
    case 'slow-down':
      queue.slowDown();
      if (hintMs === 0) queue.backOff(now, startedAt, pollOptions);
      break;
    case 'back-off':
      queue.backOff(now, startedAt, pollOptions);
  }
  return hintMs > minReportedMs ? 'rate-limited' : 'none';
}

/** Reads the pause that the gateway requested, in milliseconds; at most a day. */
function retryHintMs({ retryAfterMs = 0 }: GatewayError): number {
  return Math.min(retryAfterMs, maxHintMs);
}
