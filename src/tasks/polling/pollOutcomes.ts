import type { Clock } from '../../base/node/clock.ts';
import { StorageError } from '../../storage/database.ts';
import { GatewayError } from '../../wire/failure.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { problemOf } from '../record/problem.ts';
import type { BackoffLimits, GatewayQueue, PolledKey, ScheduledItem } from './gatewayQueue.ts';
import type { ClockReading, PolledTask } from './polledTask.ts';
import type { PollOptions } from './pollOptions.ts';
import type { PollReports } from './pollReports.ts';
import type { PollSchedule } from './pollSchedule.ts';
import type { PollResult } from './pollTask.ts';

export interface PollOutcomesOptions {
  readonly ledger: Pick<Ledger, 'change' | 'pollFailed' | 'watch'>;
  readonly schedule: PollSchedule;
  readonly reports: PollReports;
  readonly pollOptions: () => PollOptions;
  readonly clock: Clock;
  /** Random numbers from 0 up to 1. */
  readonly random: () => number;
  readonly reading: () => ClockReading;
}

/** A poll that is over. */
export interface EndedPoll {
  readonly polled: PolledTask;
  readonly abort: AbortController;
  /** By the monotonic clock. */
  readonly startedAt: number;
  /** Whether the gateway refused the model list as it refused this task. */
  readonly confirmed: boolean;
}

/** What a failed poll means for the other tasks of the gateway, beside what the queue stores. */
type Backoff =
  /** Other polls may succeed. */
  | 'none'
  /** The same task is to be polled again at once, because the credential may be new. */
  | 'again'
  /** The account is not polled until it has a new credential. Reported once. */
  | 'paused'
  /** The gateway asked for a long pause. */
  | 'rate-limited';

/** A poll that failed. */
interface FailedAttempt {
  readonly polled: PolledKey;
  /** Whether the model list was refused as well. */
  readonly confirmed: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly pollOptions: BackoffLimits;
}

/** What was interrupted is repeated within this time. */
const soonMs = 5_000;
const atOnceMs = 1_000;

/** A longer pause is reported; one longer than the longest is not taken seriously. */
const minReportedMs = 60_000;

const maxHintMs = 24 * 3_600_000;

/** Applies what polls brought: when each task is polled again, what is stored, and what is reported. */
export class PollOutcomes {
  readonly #options: PollOutcomesOptions;

  constructor(options: PollOutcomesOptions) {
    this.#options = options;
  }

  succeeded(polled: PolledTask, result: PollResult): void {
    const { schedule, reports, clock } = this.#options;
    const { key, gateway } = polled;
    if (schedule.queue(gateway).recordSuccess(polled, clock.monotonic()))
      reports.tell({ type: 'resumed', gateway });
    switch (result.kind) {
      case 'same':
      case 'changed':
        this.#pollAgain(polled, result.kind);
        return;
      case 'searched':
        this.#pollAgain(polled, 'same');
        if (result.candidates.length > 0) {
          reports.tell({ type: 'candidates', key, candidates: result.candidates });
        }
        return;
      case 'found':
        reports.tell({ type: 'found', key, taskId: result.taskId });
        return;
      case 'ended':
      case 'missing':
        reports.tell({ type: result.kind, key });
    }
  }

  /** @param error why the poll failed, or what aborted it */
  failed({ polled, abort, startedAt, confirmed }: EndedPoll, error: unknown): void {
    const { schedule, reports, clock, random, pollOptions } = this.#options;
    const now = clock.monotonic();
    if (abort.signal.aborted) {
      schedule.put(polled, now + random() * soonMs);
    } else if (error instanceof StorageError) {
      reports.storageFailed(error);
      this.#pollAgain(polled, 'failed');
    } else {
      this.#keepProblem(polled, error);
      const failed = { polled, confirmed, startedAt, now, pollOptions: pollOptions() };
      const backoff = backOff(schedule.queue(polled.gateway), error, failed);
      if (backoff === 'again') schedule.put(polled, now + atOnceMs);
      else this.#pollAgain(polled, 'failed');
      if (GatewayError.is(error)) this.#tell(backoff, polled, error);
    }
  }

  #keepProblem(polled: PolledTask, error: unknown): void {
    const { ledger, reports, reading } = this.#options;
    const problem = problemOf(error);
    if (!polled.isNewProblem(problem, reading())) return;
    void reports.attempt(() => ledger.change(() => ledger.pollFailed(polled.key, problem)));
  }

  #tell(backoff: Backoff, { gateway, gatewayName }: PolledTask, error: GatewayError): void {
    const { reports, clock } = this.#options;
    if (backoff === 'paused') reports.tell({ type: 'paused', gateway, gatewayName, error });
    if (backoff === 'rate-limited') {
      reports.tell({ type: 'rate-limited', gateway, until: clock.now() + retryHintMs(error), error });
    }
  }

  /** Only a poll can end the polling: time in which no poll was possible does not count. */
  #pollAgain(polled: PolledTask, poll: 'same' | 'changed' | 'failed'): void {
    const { schedule, pollOptions, clock, random, reading } = this.#options;
    if (schedule.get(polled.key) !== polled) return;
    const { intervalMs, maxIntervalMs, timeoutMs } = pollOptions();
    if (polled.isOverdue(reading(), timeoutMs)) {
      this.#giveUp(polled);
      return;
    }
    const interval = polled.isUnknown
      ? polled.searchPauseMs
      : polled.intervalMs(poll, intervalMs, maxIntervalMs);
    schedule.put(polled, clock.monotonic() + interval * (0.9 + 0.2 * random()));
  }

  #giveUp({ key, isUnknown }: PolledTask): void {
    const { ledger, reports } = this.#options;
    if (isUnknown) return;
    void reports.attempt(() => ledger.change(() => ledger.watch(key, 'timed-out')));
    reports.tell({ type: 'timed-out', key });
  }
}

/**
 * Updates the queue of a gateway after a failed poll.
 *
 * @returns what the failure means for the gateway's other tasks
 */
function backOff(
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

/** How long the gateway asked to wait, in milliseconds, at most a day. */
function retryHintMs({ retryAfterMs = 0 }: GatewayError): number {
  return Math.min(retryAfterMs, maxHintMs);
}
