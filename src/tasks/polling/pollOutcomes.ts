import type { Clock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import { getFailureEffect } from '../../wire/failures/failureEffect.ts';
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
  readonly pollState: PollState;
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
  readonly pollState: PolledKey;
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
  applySuccess(pollState: PollState, result: PollResult): void {
    const { schedule, reports, clock } = this.#options;
    const { key, gateway } = pollState;
    if (schedule.getQueue(gateway).recordSuccess(pollState, clock.monotonic()))
      reports.report({ type: 'resumed', gateway });
    switch (result.kind) {
      case 'same':
      case 'changed':
        this.#pollAgain(pollState, result.kind);
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
  applyFailure({ pollState, abort, startedAt, isConfirmed }: EndedPoll, error: unknown): void {
    const { schedule, reports, clock, random, pollOptions } = this.#options;
    const now = clock.monotonic();
    if (abort.signal.aborted) {
      schedule.add(pollState, now + random() * soonMs);
    } else if (error instanceof StorageError) {
      reports.reportStorageFailure(error);
      this.#pollAgain(pollState, 'failed');
    } else {
      this.#storeProblem(pollState, error);
      const attempt = { pollState, isConfirmed, startedAt, now, pollOptions: pollOptions() };
      const backoff = backOff(schedule.getQueue(pollState.gateway), error, attempt);
      if (backoff === 'again') schedule.add(pollState, now + atOnceMs);
      else this.#pollAgain(pollState, 'failed');
      if (GatewayError.is(error)) this.#reportBackoff(backoff, pollState, error);
    }
  }

  #storeProblem(pollState: PollState, error: unknown): void {
    const { ledger, reports, readClocks } = this.#options;
    const problem = toProblem(error);
    if (!pollState.isNewProblem(problem, readClocks())) return;
    void reports.attempt(() => ledger.change(() => ledger.recordFailedPoll(pollState.key, problem)));
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
  #pollAgain(pollState: PollState, outcome: 'same' | 'changed' | 'failed'): void {
    const { schedule, pollOptions, readClocks } = this.#options;
    if (schedule.get(pollState.key) !== pollState) return;
    if (pollState.isOverdue(readClocks(), pollOptions().timeoutMs)) void this.#giveUp(pollState);
    else this.#schedule(pollState, outcome);
  }

  #schedule(pollState: PollState, outcome: 'same' | 'changed' | 'failed'): void {
    const { schedule, pollOptions, clock, random } = this.#options;
    const pauseMs = pollState.isUnknown
      ? computeSearchPauseMs(pollState.searches)
      : pollState.pauses.nextMs(outcome, pollOptions());
    schedule.add(pollState, clock.monotonic() + pauseMs * (0.9 + 0.2 * random()));
  }

  async #giveUp(pollState: PollState): Promise<void> {
    const { ledger, reports } = this.#options;
    const { key, isUnknown } = pollState;
    if (isUnknown) return;
    const isStored = await reports.attempt(async () => {
      await ledger.change(() => ledger.setWatching(key, 'timed-out'));
      return true;
    });
    // If the ledger still lists the task as watched, polling must continue.
    if (isStored) reports.report({ type: 'timed-out', key });
    else this.#schedule(pollState, 'failed');
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
  { pollState, isConfirmed, startedAt, now, pollOptions }: FailedAttempt,
): Backoff {
  if (!GatewayError.is(error)) {
    queue.backOff(now, startedAt, pollOptions);
    return 'none';
  }
  const hintMs = retryHintMs(error);
  if (hintMs > 0) queue.pauseUntil(now + hintMs);
  switch (getFailureEffect(error).otherRequests) {
    case 'pause': {
      const refusal = queue.recordRefusal(pollState, now, isConfirmed);
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
