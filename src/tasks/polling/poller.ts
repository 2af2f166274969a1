import { untilAborted } from '../../base/untilAborted.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { GatewayError } from '../../wire/failure.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { Ledger } from '../ledger.ts';
import type { TaskReader } from '../reconcile.ts';
import { PolledTask } from './polledTask.ts';
import { PollOutcomes, type PollOutcomesOptions } from './pollOutcomes.ts';
import { wantsPolling } from './pollSchedule.ts';
import { type PollResult, pollTask, pollTimeouts } from './pollTask.ts';

/** The calls that polling makes. */
export type PolledGateway = TaskReader & Pick<GatewayClient, 'listModels'>;

export interface PollerOptions extends PollOutcomesOptions {
  readonly ledger: Ledger;
  readonly reach: (gateway: string, gatewayName: string) => Promise<PolledGateway>;
  /** Called when a poll is over, so that another one may begin. */
  readonly onOver: () => void;
}

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

/** Runs polls, few at once: those the user asked for first, then those that are due. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #underWay = new Set<Poll>();
  /** Polls that the user asked for, which come first. */
  readonly #asked = new Map<string, Poll>();
  readonly #outcomes: PollOutcomes;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#outcomes = new PollOutcomes(options);
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
      if (outcome.value) this.#outcomes.succeeded(polled, outcome.value);
      over.resolve();
    } else {
      this.#outcomes.failed(poll, outcome.reason);
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
}

function isRefused(error: unknown): boolean {
  return GatewayError.is(error) && effectOf(error).others === 'pause';
}
