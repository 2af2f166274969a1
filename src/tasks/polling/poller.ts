import { untilAborted } from '../../base/untilAborted.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { StorageError } from '../../storage/database.ts';
import { GatewayError } from '../../wire/failure.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { Clock } from '../clock.ts';
import type { Ledger } from '../ledger.ts';
import { problemOf } from '../problem.ts';
import type { TaskReader } from '../reconcile.ts';
import { type Backoff, backOff, retryHintMs } from './backoff.ts';
import { type ClockReading, PolledTask } from './polledTask.ts';
import type { PollReports } from './pollReports.ts';
import { type PollSchedule, wantsPolling } from './pollSchedule.ts';
import { type PollResult, pollTask, pollTimeouts } from './pollTask.ts';

export interface PollOptions {
  /** Milliseconds between two polls of a task. The pause grows while nothing changes. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** How long a task is polled, in milliseconds. */
  readonly timeoutMs: number;
  /** The most polls at once, over all gateways. */
  readonly pollsInFlight: number;
}

/** The calls that polling makes. */
export type PolledGateway = TaskReader & Pick<GatewayClient, 'listModels'>;

export interface PollerOptions {
  readonly ledger: Ledger;
  readonly schedule: PollSchedule;
  readonly reports: PollReports;
  readonly reach: (gateway: string, gatewayName: string) => Promise<PolledGateway>;
  readonly pollOptions: () => PollOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly reading: () => ClockReading;
  /** Called when a poll is over, so that another one may begin. */
  readonly onOver: () => void;
}

/** What was interrupted is repeated within this time. */
const soonMs = 5_000;
const atOnceMs = 1_000;
/** No poll takes longer than this, unless it hangs. */
const maxPollMs = 90_000;

/** A poll that is under way, or that the user waits for. */
class Poll {
  readonly polled: PolledTask;
  readonly asked: boolean;
  readonly abort = new AbortController();
  readonly over = Promise.withResolvers<void>();
  startedAt = 0;
  /** Whether the gateway refused the model list as it refused this task. */
  confirmed = false;

  constructor(polled: PolledTask, asked: boolean) {
    this.polled = polled;
    this.asked = asked;
    // Usually nobody waits for the result of a poll.
    this.over.promise.catch(() => {});
  }
}

/** Runs the polls, and applies their results. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #underWay = new Set<Poll>();
  /** Polls that the user asked for, which come first. */
  readonly #asked = new Map<string, Poll>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** When the next poll may begin. */
  nextAt(): number {
    const { pollOptions, clock, schedule } = this.#options;
    if (this.#underWay.size >= pollOptions().pollsInFlight) return Number.POSITIVE_INFINITY;
    return this.#asked.size > 0 ? clock.monotonic() : schedule.nextAt();
  }

  /** Begins polls that are due, up to the most at once. */
  begin(): void {
    while (this.#underWay.size < this.#options.pollOptions().pollsInFlight) {
      const poll = this.#next();
      if (!poll) return;
      void this.#run(poll);
    }
  }

  /**
   * Polls a task at once. Settles with the poll.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  async ask(key: string): Promise<void> {
    const poll = this.#find(key) ?? this.#asked.get(key) ?? this.#askFor(key);
    await poll?.over.promise;
  }

  /**
   * Aborts the polls that are under way.
   *
   * @returns a promise that resolves when they are over
   */
  async breakOff(): Promise<void> {
    const polls = [...this.#underWay];
    for (const { abort } of polls) abort.abort();
    await Promise.allSettled(polls.map(({ over }) => over.promise));
  }

  breakOffHanging(): void {
    const begunBefore = this.#options.clock.monotonic() - maxPollMs;
    for (const { abort, startedAt } of this.#underWay) {
      if (startedAt < begunBefore) abort.abort();
    }
  }

  #find(key: string): Poll | undefined {
    return [...this.#underWay].find(({ polled }) => polled.key === key);
  }

  #askFor(key: string): Poll | undefined {
    const { ledger, schedule, reading } = this.#options;
    const task = ledger.get(key);
    if (!task || (task.taskId === undefined && task.status !== 'unknown')) return undefined;
    const polled = schedule.get(key) ?? new PolledTask(task, reading());
    schedule.takeOut(polled);
    const poll = new Poll(polled, true);
    this.#asked.set(key, poll);
    return poll;
  }

  #next(): Poll | undefined {
    const { schedule, clock } = this.#options;
    for (const [key, poll] of this.#asked) {
      this.#asked.delete(key);
      return poll;
    }
    const polled = schedule.take(clock.monotonic());
    return polled && new Poll(polled, false);
  }

  async #run(poll: Poll): Promise<void> {
    const { schedule, clock, onOver } = this.#options;
    const { polled, abort, over } = poll;
    const queue = schedule.queue(polled.gateway);
    poll.startedAt = clock.monotonic();
    this.#underWay.add(poll);
    queue.started(poll.startedAt);
    const [outcome] = await Promise.allSettled([untilAborted(this.#execute(poll), abort.signal)]);
    this.#underWay.delete(poll);
    queue.complete();
    if (outcome.status === 'fulfilled') {
      if (outcome.value) this.#succeeded(polled, outcome.value);
      over.resolve();
    } else {
      this.#failed(poll, outcome.reason);
      over.reject(outcome.reason);
    }
    onOver();
  }

  async #execute(poll: Poll): Promise<PollResult | undefined> {
    const {
      polled,
      asked,
      abort: { signal },
    } = poll;
    const { ledger, reach, reading } = this.#options;
    const reader = await reach(polled.gateway, polled.gatewayName);
    signal.throwIfAborted();
    const task = ledger.get(polled.key);
    // Another window may have given it up just now.
    if (!task || (!asked && !wantsPolling(task))) return undefined;
    try {
      return await pollTask(polled, task, { ledger, reader, reading: reading(), signal });
    } catch (error) {
      poll.confirmed = isRefused(error) && (await this.#isConfirmed(poll, reader));
      throw error;
    }
  }

  /** A refused task proves no refused credential; the model list decides. */
  async #isConfirmed({ polled, abort: { signal } }: Poll, reader: PolledGateway): Promise<boolean> {
    const { schedule, clock } = this.#options;
    if (!schedule.queue(polled.gateway).wantsConfirmation(polled.key, clock.monotonic())) return false;
    try {
      await reader.listModels({ signal, timeouts: pollTimeouts });
      return false;
    } catch (error) {
      return isRefused(error);
    }
  }

  #succeeded(polled: PolledTask, result: PollResult): void {
    const { schedule, reports, clock } = this.#options;
    const { key, gateway } = polled;
    if (schedule.queue(gateway).succeeded(key, clock.monotonic())) reports.tell({ type: 'resumed', gateway });
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

  #failed({ polled, abort, startedAt, confirmed }: Poll, error: unknown): void {
    const { schedule, reports, clock, random, pollOptions } = this.#options;
    const now = clock.monotonic();
    if (abort.signal.aborted) {
      schedule.put(polled, now + random() * soonMs);
    } else if (error instanceof StorageError) {
      reports.storageFailed(error);
      this.#pollAgain(polled, 'failed');
    } else {
      this.#keepProblem(polled, error);
      const failed = { key: polled.key, confirmed, startedAt, now, pollOptions: pollOptions() };
      const backoff = backOff(schedule.queue(polled.gateway), error, failed);
      if (backoff === 'again') schedule.put(polled, now + atOnceMs);
      else this.#pollAgain(polled, 'failed');
      if (GatewayError.is(error)) this.#tell(backoff, polled.gateway, error);
    }
  }

  #keepProblem(polled: PolledTask, error: unknown): void {
    const { ledger, reports, reading } = this.#options;
    const problem = problemOf(error);
    if (polled.isNews(problem, reading())) reports.attempt(() => ledger.pollFailed(polled.key, problem));
  }

  #tell(backoff: Backoff, gateway: string, error: GatewayError): void {
    const { reports, clock } = this.#options;
    if (backoff === 'paused') reports.tell({ type: 'paused', gateway, error });
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
    reports.attempt(() => ledger.watch(key, 'timed-out'));
    reports.tell({ type: 'timed-out', key });
  }
}

function isRefused(error: unknown): boolean {
  return GatewayError.is(error) && effectOf(error).others === 'pause';
}
