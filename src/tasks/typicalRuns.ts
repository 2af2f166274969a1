import type { Task } from './record/task.ts';

/** How long nothing known stays so, in milliseconds. */
const maxAgeMs = 10_000;

/**
 * How long tasks of a model usually run, by the user's own that had ended when a task began, or by the first that
 * ended since. So it is the same from the task's first moment to its last, and in every window.
 */
export class TypicalRuns {
  readonly #measure: (model: string, startedAt: number) => number | undefined;
  /** By the key of the task. */
  readonly #known = new Map<string, { readonly ms: number | undefined; readonly readAt: number }>();

  /** @param measure asks the ledger; what it tells once is not asked for again */
  constructor(measure: (model: string, startedAt: number) => number | undefined) {
    this.#measure = measure;
  }

  /** An estimate in milliseconds, for running tasks only. */
  of({ key, status, model, acceptedAt }: Task): number | undefined {
    if (status !== 'running' || model === undefined || acceptedAt === undefined) {
      this.#known.delete(key);
      return undefined;
    }
    const known = this.#known.get(key);
    if (known && (known.ms !== undefined || Date.now() - known.readAt < maxAgeMs)) return known.ms;
    const ms = this.#measure(model, acceptedAt);
    this.#known.set(key, { ms, readAt: Date.now() });
    return ms;
  }
}
