import type { Task } from '../record/task.ts';
import { GatewayQueue } from './gatewayQueue.ts';
import { type ClockReading, PollState } from './pollState.ts';

/** The polled tasks and their order, with one queue for each gateway. */
export class PollSchedule {
  readonly #random: () => number;
  readonly #onResumed: (gateway: string) => void;
  readonly #queues = new Map<string, GatewayQueue<PollState>>();
  readonly #pollStates = new Map<string, PollState>();

  constructor(random: () => number, onResumed: (gateway: string) => void) {
    this.#random = random;
    this.#onResumed = onResumed;
  }

  getQueue(gateway: string): GatewayQueue<PollState> {
    const existing = this.#queues.get(gateway);
    if (existing) return existing;
    const queue = new GatewayQueue<PollState>();
    this.#queues.set(gateway, queue);
    return queue;
  }

  get(key: string): PollState | undefined {
    return this.#pollStates.get(key);
  }

  /**
   * Schedules the tasks that need polling and removes all other tasks. New tasks start soon, spread evenly.
   *
   * @param soonMs all new tasks are polled within this time
   */
  load(tasks: readonly Task[], reading: ClockReading, soonMs: number): void {
    const polledTasks = new Map(tasks.filter(needsPolling).map((task) => [task.key, task]));
    for (const key of this.#pollStates.keys()) if (!polledTasks.has(key)) this.#drop(key);
    const newTasks = [...polledTasks.values()].filter(
      (task) => !this.#pollStates.get(task.key)?.canContinue(task),
    );
    const step = soonMs / Math.max(newTasks.length, 1);
    for (const [index, task] of newTasks.entries()) {
      this.#start(task, reading, reading.monotonic + (index + this.#random()) * step);
    }
  }

  /** Schedules or removes one task after a change. */
  update(key: string, task: Task | undefined, reading: ClockReading, firstPollMs: number): void {
    if (!task || !needsPolling(task)) this.#drop(key);
    else if (!this.#pollStates.get(key)?.canContinue(task))
      this.#start(task, reading, reading.monotonic + firstPollMs);
  }

  /** When the next poll is due; `Infinity` if there is none. */
  findNextTime(): number {
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...[...this.#queues.values()].map((queue) => queue.findNextTime()),
    );
  }

  /** Removes and returns the next due task; undefined if none is due. `add` schedules it again. */
  takeDue(now: number): PollState | undefined {
    const at = this.findNextTime();
    if (at > now) return undefined;
    return [...this.#queues.values()].find((queue) => queue.findNextTime() === at)?.takeNext();
  }

  /** Removes a task from the queue of its gateway, even if it is not due. */
  remove(pollState: PollState): void {
    this.getQueue(pollState.gateway).remove(pollState);
  }

  /** Schedules a task again, unless a change has restarted its polling in the meantime. */
  add(pollState: PollState, dueAt: number): void {
    if (this.#pollStates.get(pollState.key) === pollState && dueAt < Number.POSITIVE_INFINITY) {
      this.getQueue(pollState.gateway).add(pollState, dueAt);
    }
  }

  /** Called after a sleep. Ends the pauses after failures, and polls all tasks soon. */
  refresh(now: number, soonMs: number): void {
    for (const queue of this.#queues.values()) {
      queue.forgetFailures();
      queue.spread(now, soonMs, this.#random);
    }
  }

  clear(): void {
    for (const key of [...this.#pollStates.keys()]) this.#drop(key);
  }

  /** Starts polling a task. This also resumes its paused account, to try the credential again. */
  #start(task: Task, reading: ClockReading, dueAt: number): void {
    this.#drop(task.key);
    if (this.getQueue(task.gateway).unpause((gatewayName) => gatewayName === task.gatewayName))
      this.#onResumed(task.gateway);
    const pollState = new PollState(task, reading);
    this.#pollStates.set(task.key, pollState);
    this.add(pollState, dueAt);
  }

  #drop(key: string): void {
    const pollState = this.#pollStates.get(key);
    if (!pollState) return;
    this.#pollStates.delete(key);
    this.remove(pollState);
    this.getQueue(pollState.gateway).forgetTask(pollState);
  }
}

/** Whether a task needs polling or a search. */
export function needsPolling({ status, watching, taskId }: Task): boolean {
  return status === 'unknown' || (status === 'running' && watching === 'on' && taskId !== undefined);
}
