import { SteadyRecord } from '../../wire/apis/taskRecord/steadyRecord.ts';
import type { Problem, Task } from '../record/task.ts';
import type { ScheduledItem } from './gatewayQueue.ts';

/** The time by three clocks in milliseconds; `awake` leaves out sleep. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
  readonly awake: number;
}

/**
 * A task is polled for at least this long before it is given up, whatever the wall clock says about its age.
 */
const minWatchingMs = 60_000;
/** The factor by which the pause grows after each poll without news. */
const intervalGrowth = 1.25;
/** The pauses after each search for a task, in milliseconds. No search follows the last one. */
const searchPausesMs = [15_000, 60_000, 300_000, 900_000];
/** How often a failure that does not change is stored, in milliseconds. */
const sameProblemMs = 600_000;

const weekMinutes = 7 * 24 * 60;

/**
 * How long a task is polled, in milliseconds. A setting of 0 minutes means a week, because nothing is polled
 * for ever.
 */
export function watchTimeoutMs(minutes: number): number {
  return (minutes > 0 ? minutes : weekMinutes) * 60_000;
}

/**
 * What the poller knows about a task while it polls it. Its age before that is by the wall clock, which may
 * have jumped; later times are by clocks that cannot.
 */
export class PolledTask implements ScheduledItem {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  dueAt = 0;
  /** How many polls in a row found it completed without a result. */
  emptyPolls = 0;
  /** Since when, by the monotonic clock, the gateway only says that it does not know the task. */
  unknownSince: number | undefined;
  /** What its records in a state that nobody knows have in common. */
  readonly steady = new SteadyRecord();
  /** How many searches there were for a task of unknown outcome. */
  searches = 0;
  readonly #task: Task;
  readonly #since: ClockReading;
  #intervalMs = 0;
  #problem: string | undefined;
  #problemAt = 0;

  constructor(task: Task, since: ClockReading) {
    this.key = task.key;
    this.gateway = task.gateway;
    this.gatewayName = task.gatewayName;
    this.#task = task;
    this.#since = since;
  }

  /**
   * Whether polling goes on as before. It starts anew when the user resumed it, or a search found the task.
   */
  isAbout({ status, watchedSince }: Task): boolean {
    return status === this.#task.status && watchedSince === this.#task.watchedSince;
  }

  /** Whether its id is unknown. */
  get isUnknown(): boolean {
    return this.#task.taskId === undefined;
  }

  /** Milliseconds since the gateway told its id. */
  ageMs({ monotonic }: ClockReading): number {
    return this.#before(this.#task.acceptedAt) + monotonic - this.#since.monotonic;
  }

  isOverdue({ awake }: ClockReading, timeoutMs: number): boolean {
    const here = awake - this.#since.awake;
    const whole = this.#before(this.#task.watchedSince) + here;
    return whole >= timeoutMs && here >= Math.min(minWatchingMs, timeoutMs);
  }

  #before(since: number | undefined): number {
    return Math.max(0, this.#since.wall - (since ?? this.#since.wall));
  }

  /** The pause before the next poll in milliseconds. */
  intervalMs(poll: 'same' | 'changed' | 'failed', shortest: number, longest: number): number {
    const grown = poll === 'failed' ? this.#intervalMs * 2 : this.#intervalMs * intervalGrowth;
    this.#intervalMs = poll === 'changed' ? shortest : Math.min(Math.max(grown, shortest), longest);
    return this.#intervalMs;
  }

  /** The pause before the next search in milliseconds; `Infinity` after the last one. */
  get searchPauseMs(): number {
    return searchPausesMs[Math.max(this.searches - 1, 0)] ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a failure differs from the last one that was stored, or that one is old. */
  isNewProblem({ code, status }: Problem, { monotonic }: ClockReading): boolean {
    const problem = `${code} ${status}`;
    if (problem === this.#problem && monotonic - this.#problemAt < sameProblemMs) return false;
    this.#problem = problem;
    this.#problemAt = monotonic;
    return true;
  }
}
