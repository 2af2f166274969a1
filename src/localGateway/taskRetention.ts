import type { Database } from '../storage/database.ts';

/** How long a task is kept after its end, in milliseconds; one that never ends, after its making. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/** For how long the gateway runs, at least, between the first look at which a task's time is up and the last. */
export const certainMs = 24 * 60 * 60 * 1000;

/** Between two looks, unless something is made. */
const lookEveryMs = 60_000;

export interface Clocks {
  /** Milliseconds since 1970 by the wall clock, which may jump either way. */
  now(): number;
  /** Milliseconds since whenever; never jumps. */
  monotonic(): number;
}

const isOver = 'coalesce(cancelled_at, ends_at, created_at) < ?';

/**
 * Forgets tasks whose time is up. The wall clock may be wrong, and right again a moment later, so that it never decides
 * alone: at every look during a day of running it has to say so. That day is counted by a clock that does not jump,
 * over restarts and all gateways that share the file.
 */
export class TaskRetention {
  readonly #database: Database;
  readonly #clocks: Clocks;
  /** When this gateway first looked, and what the file knew of running then. */
  #first: { readonly at: number; readonly ran: number } | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, clocks: Clocks) {
    this.#database = database;
    this.#clocks = clocks;
  }

  /** Whether it is time to look again at what is only read. */
  get isDue(): boolean {
    return this.#clocks.monotonic() - this.#lookedAt >= lookEveryMs;
  }

  /** Inside the caller's transaction. */
  look(): void {
    this.#lookedAt = this.#clocks.monotonic();
    const ran = this.#countRunning();
    const before = this.#clocks.now() - keptMs;
    this.#database.run(
      `UPDATE task SET over_since = NULL WHERE over_since IS NOT NULL AND NOT ${isOver}`,
      before,
    );
    this.#database.run(`UPDATE task SET over_since = ? WHERE over_since IS NULL AND ${isOver}`, ran, before);
    this.#database.run('DELETE FROM task WHERE over_since <= ?', ran - certainMs);
  }

  /** @returns for how long gateways have run on this file, in milliseconds: those that run at once count once */
  #countRunning(): number {
    const known = this.#database.get<{ ms: number }>('SELECT ms FROM running')?.ms ?? 0;
    const at = this.#clocks.monotonic();
    this.#first ??= { at, ran: known };
    const ran = Math.max(known, Math.round(this.#first.ran + at - this.#first.at));
    this.#database.run('INSERT OR REPLACE INTO running VALUES (1, ?)', ran);
    return ran;
  }
}
