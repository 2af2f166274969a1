import { SteadyRecord } from '../../wire/apis/taskRecord/taskStatus.ts';
import type { Problem, Task } from '../record/task.ts';
import type { ScheduledItem } from './gatewayQueue.ts';
import { PollPauses } from './pollPauses.ts';

/** The time by three clocks in milliseconds. `awake` excludes sleep. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
  readonly awake: number;
}

/** A task is polled for at least this long, regardless of its age by the wall clock. */
const minWatchingMs = 60_000;
/** How often an unchanged failure is stored, in milliseconds. */
const sameProblemMs = 600_000;

/**
 * The state of polling a task. Its age at the start is by the wall clock, which may have jumped. Later times are
 * by clocks that cannot jump.
 */
export class PollState implements ScheduledItem {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  dueAt = 0;
  /** The number of consecutive polls that found it completed without a result. */
  emptyPolls = 0;
  /** The time of the first consecutive poll that reported an unknown task, by the monotonic clock. */
  unknownSince: number | undefined;
  /** Compares its records while its status is unclear. */
  readonly steady = new SteadyRecord();
  /** The number of searches for a task of unknown outcome. */
  searches = 0;
  readonly pauses = new PollPauses();
  readonly #task: Task;
  readonly #startReading: ClockReading;
  #problem: string | undefined;
  #problemAt = 0;

  constructor(task: Task, startReading: ClockReading) {
    this.key = task.key;
    this.gateway = task.gateway;
    this.gatewayName = task.gatewayName;
    this.#task = task;
    this.#startReading = startReading;
  }

  /** Whether polling continues as before. It restarts if the user resumed it or a search found the task. */
  canContinue({ status, watchedSince }: Task): boolean {
    return status === this.#task.status && watchedSince === this.#task.watchedSince;
  }

  /** Whether the id of the task is unknown. */
  get isUnknown(): boolean {
    return this.#task.taskId === undefined;
  }

  /** Computes the milliseconds since the gateway returned the id. */
  computeAgeMs({ monotonic }: ClockReading): number {
    return this.#computeAgeAtStart(this.#task.acceptedAt) + monotonic - this.#startReading.monotonic;
  }

  /** Whether the time limit of polling is over. */
  isOverdue({ awake }: ClockReading, timeoutMs: number): boolean {
    const sinceStartMs = awake - this.#startReading.awake;
    const totalMs = this.#computeAgeAtStart(this.#task.watchedSince) + sinceStartMs;
    return totalMs >= timeoutMs && sinceStartMs >= Math.min(minWatchingMs, timeoutMs);
  }

  #computeAgeAtStart(since: number | undefined): number {
    return Math.max(0, this.#startReading.wall - (since ?? this.#startReading.wall));
  }

  /** Whether a failure should be stored, because it differs from the last stored failure or that failure is old. */
  isNewProblem({ code, status }: Problem, { monotonic }: ClockReading): boolean {
    const problem = `${code} ${status}`;
    if (problem === this.#problem && monotonic - this.#problemAt < sameProblemMs) return false;
    this.#problem = problem;
    this.#problemAt = monotonic;
    return true;
  }
}
