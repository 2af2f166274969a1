import type { Database } from '../../storage/database.ts';

/** How long a task is kept after its end, in milliseconds; one that never ends, after its creation. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * How long gateways run, in milliseconds, between the first check that finds a task expired and its deletion.
 */
export const certainMs = 24 * 60 * 60 * 1000;

/** The interval of checks. */
const checkIntervalMs = 60_000;

export interface Clocks {
  /** Wall clock in milliseconds since 1970, which may jump. */
  now(): number;
  /** A clock in milliseconds that never jumps. */
  monotonic(): number;
}

/** At most as many tasks are marked, and as many deleted, in one check. */
const maxAtOnce = 1_000;

/**
 * Deletes expired tasks. The wall clock may be wrong for a while, so it does not decide alone: every check
 * must find the task expired during a day of running. A monotonic clock counts that day, over restarts and
 * over all gateways that share the file.
 */
export class TaskRetention {
  readonly #database: Database;
  readonly #clocks: Clocks;
  /** When this gateway first checked, and the time of running in the file at that moment. */
  #first: { readonly at: number; readonly ran: number } | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, clocks: Clocks) {
    this.#database = database;
    this.#clocks = clocks;
  }

  /** Whether a check is due. */
  get isDue(): boolean {
    return this.#clocks.monotonic() - this.#checkedAt >= checkIntervalMs;
  }

  /**
   * Marks what has expired, and deletes what has been marked for long enough. Runs within the caller's
   * transaction, and its cost grows with what it changes.
   */
  check(): void {
    this.#checkedAt = this.#clocks.monotonic();
    const ran = this.#countRunning();
    const before = this.#clocks.now() - keptMs;
    // All at once: a task that has not expired loses its mark with this check.
    this.#database.run(
      'UPDATE task SET over_since = NULL WHERE over_since IS NOT NULL AND aged_at >= ?',
      before,
    );
    this.#database.run(
      `UPDATE task SET over_since = ? WHERE place IN
        (SELECT place FROM task WHERE over_since IS NULL AND aged_at < ? LIMIT ${maxAtOnce})`,
      ran,
      before,
    );
    this.#database.run(
      `DELETE FROM task WHERE place IN (SELECT place FROM task WHERE over_since <= ? LIMIT ${maxAtOnce})`,
      ran - certainMs,
    );
  }

  /**
   * @returns how long gateways have run with this file, in milliseconds; those that run at once count once
   */
  #countRunning(): number {
    const known = this.#database.get<{ ms: number }>('SELECT ms FROM running')?.ms ?? 0;
    const at = this.#clocks.monotonic();
    this.#first ??= { at, ran: known };
    const ran = Math.max(known, Math.round(this.#first.ran + at - this.#first.at));
    this.#database.run('INSERT OR REPLACE INTO running VALUES (1, ?)', ran);
    return ran;
  }
}
