import type { Task } from './task.ts';

/** An estimate may be as old as this. */
const maxAgeMs = 10_000;

/** How long tasks of a model usually run, by the user's own earlier ones; asked of the ledger now and then. */
export class TypicalRuns {
  readonly #measure: (model: string) => number | undefined;
  readonly #known = new Map<string, { readonly ms: number | undefined; readonly readAt: number }>();

  constructor(measure: (model: string) => number | undefined) {
    this.#measure = measure;
  }

  /** In milliseconds; only running tasks are estimated. */
  of({ stage, model }: Task): number | undefined {
    if (stage !== 'running' || model === undefined) return undefined;
    const known = this.#known.get(model);
    if (known && Date.now() - known.readAt < maxAgeMs) return known.ms;
    const ms = this.#measure(model);
    this.#known.set(model, { ms, readAt: Date.now() });
    return ms;
  }
}
