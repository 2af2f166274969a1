import type { Task } from '../task.ts';
import { GatewayQueue } from './gatewayQueue.ts';
import { type ClockReading, PolledTask } from './polledTask.ts';

/** Which tasks are polled, and in which order: one queue for each gateway. */
export class PollSchedule {
  readonly #random: () => number;
  readonly #onResumed: (gateway: string) => void;
  readonly #lanes = new Map<string, GatewayQueue<PolledTask>>();
  readonly #watched = new Map<string, PolledTask>();

  constructor(random: () => number, onResumed: (gateway: string) => void) {
    this.#random = random;
    this.#onResumed = onResumed;
  }

  lane(gateway: string): GatewayQueue<PolledTask> {
    const known = this.#lanes.get(gateway);
    if (known) return known;
    const lane = new GatewayQueue<PolledTask>();
    this.#lanes.set(gateway, lane);
    return lane;
  }

  get(key: string): PolledTask | undefined {
    return this.#watched.get(key);
  }

  /**
   * Schedules exactly the tasks that want polling. New ones start soon, spread evenly.
   *
   * @param soonMs the time within which all new ones are polled
   */
  load(tasks: readonly Task[], moment: ClockReading, soonMs: number): void {
    const wanted = new Map(tasks.filter(wantsPolling).map((task) => [task.key, task]));
    for (const key of this.#watched.keys()) if (!wanted.has(key)) this.#drop(key);
    const fresh = [...wanted.values()].filter((task) => !this.#watched.get(task.key)?.isAbout(task));
    const step = soonMs / Math.max(fresh.length, 1);
    for (const [place, task] of fresh.entries()) {
      this.#add(task, moment, moment.monotonic + (place + this.#random()) * step);
    }
  }

  /** Schedules or removes one task after a change. */
  update(key: string, task: Task | undefined, moment: ClockReading, firstLookMs: number): void {
    if (!task || !wantsPolling(task)) this.#drop(key);
    else if (!this.#watched.get(key)?.isAbout(task)) this.#add(task, moment, moment.monotonic + firstLookMs);
  }

  /** When the next poll is due; `Infinity` when there is none. */
  nextAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#lanes.values()].map((lane) => lane.nextAt()));
  }

  /** Removes the task that is due and returns it. `put` schedules it again. */
  take(now: number): PolledTask | undefined {
    const at = this.nextAt();
    if (at > now) return undefined;
    return [...this.#lanes.values()].find((lane) => lane.nextAt() === at)?.take();
  }

  /** Removes a task, due or not. */
  takeOut(watched: PolledTask): void {
    this.lane(watched.gateway).drop(watched);
  }

  /** Schedules a task again, unless it changed meanwhile in a way that makes polling start anew. */
  put(watched: PolledTask, dueAt: number): void {
    if (this.#watched.get(watched.key) === watched && dueAt < Number.POSITIVE_INFINITY) {
      this.lane(watched.gateway).put(watched, dueAt);
    }
  }

  /** After a sleep: forgets our own pauses, and polls all tasks soon. */
  refresh(now: number, soonMs: number): void {
    for (const lane of this.#lanes.values()) {
      lane.forget();
      lane.spread(now, soonMs, this.#random);
    }
  }

  clear(): void {
    for (const key of [...this.#watched.keys()]) this.#drop(key);
  }

  /** A new task, or one that is polled again, is a reason to try a paused gateway. */
  #add(task: Task, moment: ClockReading, dueAt: number): void {
    this.#drop(task.key);
    if (this.lane(task.gateway).goOn()) this.#onResumed(task.gateway);
    const watched = new PolledTask(task, moment);
    this.#watched.set(task.key, watched);
    this.put(watched, dueAt);
  }

  #drop(key: string): void {
    const watched = this.#watched.get(key);
    if (!watched) return;
    this.#watched.delete(key);
    this.takeOut(watched);
    this.lane(watched.gateway).forgetTask(key);
  }
}

/** Whether a task is to be polled or searched for. */
export function wantsPolling({ status, watching, taskId }: Task): boolean {
  return status === 'unknown' || (status === 'running' && watching === 'on' && taskId !== undefined);
}
