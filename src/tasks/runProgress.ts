import type { TaskProgress } from '../base/taskProgress.ts';
import { isQueuedStatus } from '../wire/apis/taskRecord/statusWords.ts';
import type { Task } from './task.ts';
import type { TypicalRuns } from './typicalRuns.ts';

/** Whether a running task has not begun at the gateway. */
export function isQueued({ status, rawStatus = '' }: Task): boolean {
  return status === 'running' && isQueuedStatus(rawStatus);
}

/** How far running tasks are. Remembers what it told, so that nothing goes back without a word. */
export class RunProgress {
  readonly #typicalRuns: TypicalRuns;
  /** The most that the gateway told of each task, in percent. */
  readonly #most = new Map<string, number>();
  /** What each task is compared with, in milliseconds: other tasks that end meanwhile change no estimate. */
  readonly #compared = new Map<string, number>();

  constructor(typicalRuns: TypicalRuns) {
    this.#typicalRuns = typicalRuns;
  }

  /**
   * What the gateway tells, else an estimate by the user's earlier tasks. Undefined while neither is known, and
   * in the queue, where a percentage means nothing. Many gateways always tell 0, which means nothing either.
   */
  of(task: Task): TaskProgress | undefined {
    if (task.status !== 'running') {
      this.#most.delete(task.key);
      this.#compared.delete(task.key);
      return undefined;
    }
    if (isQueued(task)) return undefined;
    return task.progress ? this.#told(task.key, task.progress) : this.#estimate(task);
  }

  #told(key: string, percent: number): TaskProgress {
    const most = Math.max(percent, this.#most.get(key) ?? 0);
    this.#most.set(key, most);
    return { kind: 'told', percent, ...(percent < most && { backFrom: most }) };
  }

  /** Nobody here knows when a task began that was made elsewhere. */
  #estimate(task: Task): TaskProgress | undefined {
    if (task.route === undefined || task.acceptedAt === undefined) return undefined;
    const typicalMs = this.#compared.get(task.key) ?? this.#typicalRuns.of(task);
    if (typicalMs === undefined) return undefined;
    this.#compared.set(task.key, typicalMs);
    return { kind: 'estimated', startedAt: task.acceptedAt, typicalMs };
  }
}
