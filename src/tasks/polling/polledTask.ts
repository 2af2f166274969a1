import type { Problem, Task } from '../task.ts';
import type { ScheduledItem } from './gatewayQueue.ts';

/** Where time stands for a watcher; `awake` leaves out what the machine slept. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
  readonly awake: number;
}

/** A task is watched for at least this long before it is given up, whatever the wall clock says of its age. */
const LEAST_WATCHING_MS = 60_000;
/** Each look at a task that goes on as before lets the next one wait longer by this. */
const GROWTH = 1.25;
/** After each search for a lost task; there is none after the last. */
const searchPausesMs = [15_000, 60_000, 300_000, 900_000];
/** How often an unchanging failure is kept. */
const SAME_PROBLEM_MS = 600_000;

const WEEK_MINUTES = 7 * 24 * 60;

/** How long a task is watched, in milliseconds, by the setting in minutes: 0 is a week, since nothing is polled for ever. */
export function watchTimeoutMs(minutes: number): number {
  return (minutes > 0 ? minutes : WEEK_MINUTES) * 60_000;
}

/**
 * What a watcher remembers of a task while it watches it. Ages before that are by the wall clock, which may
 * have jumped; from then on they are by the clocks that cannot.
 */
export class PolledTask implements ScheduledItem {
  readonly key: string;
  readonly gateway: string;
  readonly gatewayName: string;
  dueAt = 0;
  /** Looks that found it completed without a result, in a row. */
  emptyLooks = 0;
  /** Since when, by the monotonic clock, the gateway says no more than that it does not know. */
  unknownSince: number | undefined;
  /** How often it was searched for, if it is lost. */
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

  /** Whether this is still the same matter: the user may have resumed it, or it may have been found. */
  isAbout({ stage, watchedSince }: Task): boolean {
    return stage === this.#task.stage && watchedSince === this.#task.watchedSince;
  }

  /** Whether its id is not known. */
  get isLost(): boolean {
    return this.#task.taskId === undefined;
  }

  /** Since the gateway gave its id. */
  ageMs({ monotonic }: ClockReading): number {
    return this.#before(this.#task.acceptedAt) + monotonic - this.#since.monotonic;
  }

  isOverdue({ awake }: ClockReading, timeoutMs: number): boolean {
    const here = awake - this.#since.awake;
    const whole = this.#before(this.#task.watchedSince) + here;
    return whole >= timeoutMs && here >= Math.min(LEAST_WATCHING_MS, timeoutMs);
  }

  #before(since: number | undefined): number {
    return Math.max(0, this.#since.wall - (since ?? this.#since.wall));
  }

  /** The pause before the next look, after one that found it as before, found news, or failed. */
  intervalMs(look: 'same' | 'changed' | 'failed', shortest: number, longest: number): number {
    const grown = look === 'failed' ? this.#intervalMs * 2 : this.#intervalMs * GROWTH;
    this.#intervalMs = look === 'changed' ? shortest : Math.min(Math.max(grown, shortest), longest);
    return this.#intervalMs;
  }

  /** The pause before it is searched for again; `Infinity` once it was often enough. */
  get searchPauseMs(): number {
    return searchPausesMs[Math.max(this.searches - 1, 0)] ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a failure is worth keeping beside the last one that was kept. */
  isNews({ code, status }: Problem, { monotonic }: ClockReading): boolean {
    const problem = `${code} ${status}`;
    if (problem === this.#problem && monotonic - this.#problemAt < SAME_PROBLEM_MS) return false;
    this.#problem = problem;
    this.#problemAt = monotonic;
    return true;
  }
}
