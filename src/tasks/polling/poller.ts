import { untilAborted } from '../../base/cancellation.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { getFailureEffect } from '../../wire/failures/failureEffect.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { PollOutcomes, type PollOutcomesOptions } from './pollOutcomes.ts';
import { needsPolling } from './pollSchedule.ts';
import { PollState } from './pollState.ts';
import { type PollResult, pollTask, pollTimeouts } from './pollTask.ts';
import type { SearchClient } from './searchTask.ts';

/** The client calls that polling needs. */
export type PollClient = SearchClient & Pick<GatewayClient, 'listModels'>;

interface PollerOptions extends PollOutcomesOptions {
  readonly ledger: Ledger;
  readonly getClient: (gateway: string, gatewayName: string) => Promise<PollClient>;
  /** Called at the end of a poll, so that another one can begin. */
  readonly onDone: () => void;
}

/** A longer poll counts as hanging, and is aborted. */
const maxPollMs = 90_000;

/** A running poll, or a poll requested by the user. */
class Poll {
  readonly pollState: PollState;
  readonly isRequested: boolean;
  readonly abort = new AbortController();
  readonly done = Promise.withResolvers<void>();
  startedAt = 0;
  /** Whether the gateway also refused the model list. */
  isConfirmed = false;

  constructor(pollState: PollState, isRequested: boolean) {
    this.pollState = pollState;
    this.isRequested = isRequested;
    // Most polls are not awaited.
    this.done.promise.catch(() => {});
  }
}

/** Runs a few polls at once. Polls that the user requested run before due polls. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #running = new Set<Poll>();
  /** Polls requested by the user. They run first. */
  readonly #requested = new Map<string, Poll>();
  readonly #outcomes: PollOutcomes;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#outcomes = new PollOutcomes(options);
  }

  /** When the next poll may begin. */
  findNextTime(): number {
    const { pollOptions, clock, schedule } = this.#options;
    if (this.#running.size >= pollOptions().pollsInFlight) return Number.POSITIVE_INFINITY;
    return this.#requested.size > 0 ? clock.monotonic() : schedule.findNextTime();
  }

  /** Begins due polls, up to the limit of simultaneous polls. */
  begin(): void {
    while (this.#running.size < this.#options.pollOptions().pollsInFlight) {
      const poll = this.#takeNext();
      if (!poll) return;
      void this.#run(poll);
    }
  }

  /**
   * Polls a task at once. Settles at the end of the poll.
   *
   * @throws {GatewayError} if the poll failed
   */
  async pollNow(key: string): Promise<void> {
    const poll = this.#findRunning(key) ?? this.#requested.get(key) ?? this.#request(key);
    await poll?.done.promise;
  }

  /**
   * Aborts the running polls.
   *
   * @returns a promise that resolves when they have ended
   */
  async abortAll(): Promise<void> {
    const polls = [...this.#running];
    for (const { abort } of polls) abort.abort();
    await Promise.allSettled(polls.map(({ done }) => done.promise));
  }

  /** Aborts polls that take too long. */
  abortHanging(): void {
    const minStartedAt = this.#options.clock.monotonic() - maxPollMs;
    for (const { abort, startedAt } of this.#running) {
      if (startedAt < minStartedAt) abort.abort();
    }
  }

  #findRunning(key: string): Poll | undefined {
    return [...this.#running].find(({ pollState }) => pollState.key === key);
  }

  #request(key: string): Poll | undefined {
    const { ledger, schedule, readClocks } = this.#options;
    const task = ledger.get(key);
    if (!task || (task.taskId === undefined && task.status !== 'unknown')) return undefined;
    const pollState = schedule.get(key) ?? new PollState(task, readClocks());
    schedule.remove(pollState);
    const poll = new Poll(pollState, true);
    this.#requested.set(key, poll);
    return poll;
  }

  #takeNext(): Poll | undefined {
    const { schedule, clock } = this.#options;
    for (const [key, poll] of this.#requested) {
      this.#requested.delete(key);
      return poll;
    }
    const pollState = schedule.takeDue(clock.monotonic());
    return pollState && new Poll(pollState, false);
  }

  async #run(poll: Poll): Promise<void> {
    const { schedule, clock, onDone } = this.#options;
    const { pollState, abort, done } = poll;
    const queue = schedule.getQueue(pollState.gateway);
    poll.startedAt = clock.monotonic();
    this.#running.add(poll);
    queue.beginPoll(poll.startedAt);
    const [outcome] = await Promise.allSettled([untilAborted(this.#execute(poll), abort.signal)]);
    this.#running.delete(poll);
    queue.endPoll();
    if (outcome.status === 'fulfilled') {
      if (outcome.value) this.#outcomes.applySuccess(pollState, outcome.value);
      done.resolve();
    } else {
      this.#outcomes.applyFailure(poll, outcome.reason);
      done.reject(outcome.reason);
    }
    onDone();
  }

  async #execute(poll: Poll): Promise<PollResult | undefined> {
    const {
      pollState,
      isRequested,
      abort: { signal },
    } = poll;
    const { ledger, getClient, readClocks } = this.#options;
    const client = await getClient(pollState.gateway, pollState.gatewayName);
    signal.throwIfAborted();
    const task = await ledger.change(() => ledger.get(pollState.key));
    signal.throwIfAborted();
    // Another window may have stopped polling the task just now.
    if (!task || (!isRequested && !needsPolling(task))) return undefined;
    try {
      return await pollTask(pollState, task, { ledger, client, reading: readClocks(), signal });
    } catch (error) {
      poll.isConfirmed = isRefused(error) && (await this.#isConfirmed(poll, client));
      throw error;
    }
  }

  /** A refused task does not prove a refused credential, so also check the model list. */
  async #isConfirmed({ pollState, abort: { signal } }: Poll, client: PollClient): Promise<boolean> {
    const { schedule, clock } = this.#options;
    if (!schedule.getQueue(pollState.gateway).claimConfirmation(pollState, clock.monotonic())) return false;
    try {
      await client.listModels({ signal, timeouts: pollTimeouts });
      return false;
    } catch (error) {
      return isRefused(error);
    }
  }
}

function isRefused(error: unknown): boolean {
  return GatewayError.is(error) && getFailureEffect(error).otherRequests === 'pause';
}
