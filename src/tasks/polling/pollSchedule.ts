import type { Task } from '../record/task.ts';
import { GatewayQueue } from './gatewayQueue.ts';
import { type ClockReading, PolledTask } from './polledTask.ts';

/** Which tasks are polled, and in which order: one queue for each gateway. */
export class PollSchedule {
  readonly #random: () => number;
  readonly #onResumed: (gateway: string) => void;
  readonly #queues = new Map<string, GatewayQueue<PolledTask>>();
  readonly #polled = new Map<string, PolledTask>();

  constructor(random: () => number, onResumed: (gateway: string) => void) {
    this.#random = random;
    this.#onResumed = onResumed;
  }

  queue(gateway: string): GatewayQueue<PolledTask> {
    const known = this.#queues.get(gateway);
    if (known) return known;
    const queue = new GatewayQueue<PolledTask>();
    this.#queues.set(gateway, queue);
    return queue;
  }

  get(key: string): PolledTask | undefined {
    return this.#polled.get(key);
  }

  /**
   * Schedules exactly the tasks that want polling. New ones start soon, spread evenly.
   *
   * @param soonMs the time within which all new ones are polled
   */
  load(tasks: readonly Task[], reading: ClockReading, soonMs: number): void {
    const wanted = new Map(tasks.filter(wantsPolling).map((task) => [task.key, task]));
    for (const key of this.#polled.keys()) if (!wanted.has(key)) this.#drop(key);
    const fresh = [...wanted.values()].filter((task) => !this.#polled.get(task.key)?.isAbout(task));
    const step = soonMs / Math.max(fresh.length, 1);
    for (const [place, task] of fresh.entries()) {
      this.#add(task, reading, reading.monotonic + (place + this.#random()) * step);
    }
  }

  /** Schedules or removes one task after a change. */
  update(key: string, task: Task | undefined, reading: ClockReading, firstPollMs: number): void {
    if (!task || !wantsPolling(task)) this.#drop(key);
    else if (!this.#polled.get(key)?.isAbout(task)) this.#add(task, reading, reading.monotonic + firstPollMs);
  }

  /** When the next poll is due; `Infinity` when there is none. */
  nextAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#queues.values()].map((queue) => queue.nextAt()));
  }

  /** Removes the task that is due and returns it. `put` schedules it again. */
  take(now: number): PolledTask | undefined {
    const at = this.nextAt();
    if (at > now) return undefined;
    return [...this.#queues.values()].find((queue) => queue.nextAt() === at)?.take();
  }

  /** Removes a task, due or not. */
  takeOut(polled: PolledTask): void {
    this.queue(polled.gateway).remove(polled);
  }

  /** Schedules a task again, unless it changed meanwhile in a way that makes polling start anew. */
  put(polled: PolledTask, dueAt: number): void {
    if (this.#polled.get(polled.key) === polled && dueAt < Number.POSITIVE_INFINITY) {
      this.queue(polled.gateway).put(polled, dueAt);
    }
  }

  /** After a sleep: forgets our own pauses, and polls all tasks soon. */
  refresh(now: number, soonMs: number): void {
    for (const queue of this.#queues.values()) {
      queue.forgetFailures();
      queue.spread(now, soonMs, this.#random);
    }
  }

  clear(): void {
    for (const key of [...this.#polled.keys()]) this.#drop(key);
  }

  /** A new task, or one that is polled again, is a reason to try a paused account. */
  #add(task: Task, reading: ClockReading, dueAt: number): void {
    this.#drop(task.key);
    const isItsAccount = (gatewayName: string) => gatewayName === task.gatewayName;
    if (this.queue(task.gateway).unpause(isItsAccount)) this.#onResumed(task.gateway);
    const polled = new PolledTask(task, reading);
    this.#polled.set(task.key, polled);
    this.put(polled, dueAt);
  }

  #drop(key: string): void {
    const polled = this.#polled.get(key);
    if (!polled) return;
    this.#polled.delete(key);
    this.takeOut(polled);
    this.queue(polled.gateway).forgetTask(polled);
  }
}

/** Whether a task is to be polled or searched for. */
export function wantsPolling({ status, watching, taskId }: Task): boolean {
  return status === 'unknown' || (status === 'running' && watching === 'on' && taskId !== undefined);
}
