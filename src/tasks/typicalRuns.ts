import type { Task } from './task.ts';

/** How long an estimate is valid, in milliseconds. */
const maxAgeMs = 10_000;

/** How long tasks of a model usually run, by the user's earlier ones. Caches what the ledger tells. */
export class TypicalRuns {
  readonly #measure: (model: string) => number | undefined;
  readonly #known = new Map<string, { readonly ms: number | undefined; readonly readAt: number }>();

  constructor(measure: (model: string) => number | undefined) {
    this.#measure = measure;
  }

  /** An estimate in milliseconds, for running tasks only. */
  of({ status, model }: Task): number | undefined {
    if (status !== 'running' || model === undefined) return undefined;
    const known = this.#known.get(model);
    if (known && Date.now() - known.readAt < maxAgeMs) return known.ms;
    const ms = this.#measure(model);
    this.#known.set(model, { ms, readAt: Date.now() });
    return ms;
  }
}
