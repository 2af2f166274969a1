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
  readonly longestIntervalMs: number;
  /** How long a task is polled, in milliseconds. */
  readonly timeoutMs: number;
  /** The most polls at once, over all gateways. */
  readonly pollsInFlight: number;
}

/** The calls that polling makes. */
export type PolledGateway = TaskReader & Pick<GatewayClient, 'listModels'>;

export interface PollerOptions {
  readonly ledger: Ledger;
  readonly plan: PollSchedule;
  readonly reports: PollReports;
  readonly reach: (gateway: string, gatewayName: string) => Promise<PolledGateway>;
  readonly pace: () => PollOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly moment: () => ClockReading;
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
  readonly watched: PolledTask;
  readonly asked: boolean;
  readonly abort = new AbortController();
  readonly over = Promise.withResolvers<void>();
  startedAt = 0;
  /** Whether the gateway refused the model list as it refused this task. */
  confirmed = false;

  constructor(watched: PolledTask, asked: boolean) {
    this.watched = watched;
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
    const { pace, clock, plan } = this.#options;
    if (this.#underWay.size >= pace().pollsInFlight) return Number.POSITIVE_INFINITY;
    return this.#asked.size > 0 ? clock.monotonic() : plan.nextAt();
  }

  /** Begins polls that are due, up to the most at once. */
  begin(): void {
    while (this.#underWay.size < this.#options.pace().pollsInFlight) {
      const look = this.#next();
      if (!look) return;
      void this.#run(look);
    }
  }

  /**
   * Polls a task at once. Settles with the poll.
   *
   * @throws {GatewayError} when the gateway could not be asked
   */
  async ask(key: string): Promise<void> {
    const look = this.#find(key) ?? this.#asked.get(key) ?? this.#askFor(key);
    await look?.over.promise;
  }

  /**
   * Aborts the polls that are under way.
   *
   * @returns a promise that resolves when they are over
   */
  async breakOff(): Promise<void> {
    const looks = [...this.#underWay];
    for (const { abort } of looks) abort.abort();
    await Promise.allSettled(looks.map(({ over }) => over.promise));
  }

  breakOffHanging(): void {
    const begunBefore = this.#options.clock.monotonic() - maxPollMs;
    for (const { abort, startedAt } of this.#underWay) {
      if (startedAt < begunBefore) abort.abort();
    }
  }

  #find(key: string): Poll | undefined {
    return [...this.#underWay].find(({ watched }) => watched.key === key);
  }

  #askFor(key: string): Poll | undefined {
    const { ledger, plan, moment } = this.#options;
    const task = ledger.get(key);
    if (!task || (task.taskId === undefined && task.status !== 'unknown')) return undefined;
    const watched = plan.get(key) ?? new PolledTask(task, moment());
    plan.takeOut(watched);
    const look = new Poll(watched, true);
    this.#asked.set(key, look);
    return look;
  }

  #next(): Poll | undefined {
    const { plan, clock } = this.#options;
    for (const [key, look] of this.#asked) {
      this.#asked.delete(key);
      return look;
    }
    const watched = plan.take(clock.monotonic());
    return watched && new Poll(watched, false);
  }

  async #run(look: Poll): Promise<void> {
    const { plan, clock, onOver } = this.#options;
    const { watched, abort, over } = look;
    const lane = plan.lane(watched.gateway);
    look.startedAt = clock.monotonic();
    this.#underWay.add(look);
    lane.started(look.startedAt);
    const [outcome] = await Promise.allSettled([untilAborted(this.#look(look), abort.signal)]);
    this.#underWay.delete(look);
    lane.landed();
    if (outcome.status === 'fulfilled') {
      if (outcome.value) this.#succeeded(watched, outcome.value);
      over.resolve();
    } else {
      this.#failed(look, outcome.reason);
      over.reject(outcome.reason);
    }
    onOver();
  }

  async #look(look: Poll): Promise<PollResult | undefined> {
    const {
      watched,
      asked,
      abort: { signal },
    } = look;
    const { ledger, reach, moment } = this.#options;
    const reader = await reach(watched.gateway, watched.gatewayName);
    signal.throwIfAborted();
    const task = ledger.get(watched.key);
    // Another window may have given it up just now.
    if (!task || (!asked && !wantsPolling(task))) return undefined;
    try {
      return await pollTask(watched, task, { ledger, reader, moment: moment(), signal });
    } catch (error) {
      look.confirmed = isRefused(error) && (await this.#isConfirmed(look, reader));
      throw error;
    }
  }

  /** A refused task proves no refused credential; the model list decides. */
  async #isConfirmed({ watched, abort: { signal } }: Poll, reader: PolledGateway): Promise<boolean> {
    const { plan, clock } = this.#options;
    if (!plan.lane(watched.gateway).wantsConfirmation(watched.key, clock.monotonic())) return false;
    try {
      await reader.listModels({ signal, timeouts: pollTimeouts });
      return false;
    } catch (error) {
      return isRefused(error);
    }
  }

  #succeeded(watched: PolledTask, result: PollResult): void {
    const { plan, reports, clock } = this.#options;
    const { key, gateway } = watched;
    if (plan.lane(gateway).succeeded(key, clock.monotonic())) reports.tell({ type: 'resumed', gateway });
    switch (result.kind) {
      case 'same':
      case 'changed':
        this.#lookAgain(watched, result.kind);
        return;
      case 'searched':
        this.#lookAgain(watched, 'same');
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

  #failed({ watched, abort, startedAt, confirmed }: Poll, error: unknown): void {
    const { plan, reports, clock, random, pace } = this.#options;
    const now = clock.monotonic();
    if (abort.signal.aborted) {
      plan.put(watched, now + random() * soonMs);
    } else if (error instanceof StorageError) {
      reports.storageFailed(error);
      this.#lookAgain(watched, 'failed');
    } else {
      this.#keepProblem(watched, error);
      const failed = { key: watched.key, confirmed, startedAt, now, pace: pace() };
      const setback = backOff(plan.lane(watched.gateway), error, failed);
      if (setback === 'again') plan.put(watched, now + atOnceMs);
      else this.#lookAgain(watched, 'failed');
      if (GatewayError.is(error)) this.#tell(setback, watched.gateway, error);
    }
  }

  #keepProblem(watched: PolledTask, error: unknown): void {
    const { ledger, reports, moment } = this.#options;
    const problem = problemOf(error);
    if (watched.isNews(problem, moment())) reports.attempt(() => ledger.pollFailed(watched.key, problem));
  }

  #tell(setback: Backoff, gateway: string, error: GatewayError): void {
    const { reports, clock } = this.#options;
    if (setback === 'paused') reports.tell({ type: 'paused', gateway, error });
    if (setback === 'held-off') {
      reports.tell({ type: 'held-off', gateway, until: clock.now() + retryHintMs(error), error });
    }
  }

  /** Only a poll can end the polling: time in which no poll was possible does not count. */
  #lookAgain(watched: PolledTask, look: 'same' | 'changed' | 'failed'): void {
    const { plan, pace, clock, random, moment } = this.#options;
    if (plan.get(watched.key) !== watched) return;
    const { intervalMs, longestIntervalMs, timeoutMs } = pace();
    if (watched.isOverdue(moment(), timeoutMs)) {
      this.#giveUp(watched);
      return;
    }
    const interval = watched.isLost
      ? watched.searchPauseMs
      : watched.intervalMs(look, intervalMs, longestIntervalMs);
    plan.put(watched, clock.monotonic() + interval * (0.9 + 0.2 * random()));
  }

  #giveUp({ key, isLost }: PolledTask): void {
    const { ledger, reports } = this.#options;
    if (isLost) return;
    reports.attempt(() => ledger.watch(key, 'timed-out'));
    reports.tell({ type: 'timed-out', key });
  }
}

function isRefused(error: unknown): boolean {
  return GatewayError.is(error) && effectOf(error).others === 'pause';
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
