import { SteadyRecord } from '../../wire/apis/taskRecord/steadyRecord.ts';
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
  /** Since when, by the monotonic clock, the gateway only reports that it does not know the task. */
  unknownSince: number | undefined;
  /** Compares its records while its status is unclear. */
  readonly steady = new SteadyRecord();
  /** The number of searches for a task of unknown outcome. */
  searches = 0;
  readonly pauses = new PollPauses();
  readonly #task: Task;
  readonly #since: ClockReading;
  #problem: string | undefined;
  #problemAt = 0;

  constructor(task: Task, since: ClockReading) {
    this.key = task.key;
    this.gateway = task.gateway;
    this.gatewayName = task.gatewayName;
    this.#task = task;
    this.#since = since;
  }

  /** Whether polling continues as before. It restarts if the user resumed it or a search found the task. */
  continuesFor({ status, watchedSince }: Task): boolean {
    return status === this.#task.status && watchedSince === this.#task.watchedSince;
  }

  /** Whether the id of the task is unknown. */
  get isUnknown(): boolean {
    return this.#task.taskId === undefined;
  }

  /** Milliseconds since the gateway returned the id. */
  ageMs({ monotonic }: ClockReading): number {
    return this.#ageAtStart(this.#task.acceptedAt) + monotonic - this.#since.monotonic;
  }

  isOverdue({ awake }: ClockReading, timeoutMs: number): boolean {
    const sinceStartMs = awake - this.#since.awake;
    const totalMs = this.#ageAtStart(this.#task.watchedSince) + sinceStartMs;
    return totalMs >= timeoutMs && sinceStartMs >= Math.min(minWatchingMs, timeoutMs);
  }

  #ageAtStart(since: number | undefined): number {
    return Math.max(0, this.#since.wall - (since ?? this.#since.wall));
  }

  /** Whether a failure differs from the last stored one, or that one is old. */
  isNewProblem({ code, status }: Problem, { monotonic }: ClockReading): boolean {
    const problem = `${code} ${status}`;
    if (problem === this.#problem && monotonic - this.#problemAt < sameProblemMs) return false;
    this.#problem = problem;
    this.#problemAt = monotonic;
    return true;
  }
}
