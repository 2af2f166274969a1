import type { Database } from '../../storage/database.ts';

/**
 * How long a task is stored after its end, in milliseconds. For a task that never ends, the time starts at its
 * creation.
 */
export const retentionMs = 7 * 24 * 60 * 60 * 1000;

/** The running time from the first check that finds a task expired to its deletion, in milliseconds. */
export const minExpiredMs = 24 * 60 * 60 * 1000;

/** The interval of checks, in milliseconds. */
const checkIntervalMs = 60_000;

export interface Clocks {
  /** Wall clock in milliseconds since 1970, which may jump. */
  now(): number;
  /** A clock in milliseconds that never jumps. */
  monotonic(): number;
}

/** The most tasks that one check marks, and the most tasks that it deletes. */
const maxAtOnce = 1_000;

/**
 * Deletes expired tasks. The wall clock may be wrong for a while, so it is not sufficient: every check during a
 * day of running time must find the task expired. A monotonic clock counts that day, across restarts and all
 * gateways that share the file.
 */
export class TaskRetention {
  readonly #database: Database;
  readonly #clocks: Clocks;
  /** The time of this gateway's first check, and the running time in the file at that time. */
  #first: { readonly at: number; readonly ranMs: number } | undefined;
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
   * Marks expired tasks, and deletes tasks that were marked long enough ago. Runs within the caller's transaction.
   * Its cost grows with the number of changes.
   */
  check(): void {
    this.#checkedAt = this.#clocks.monotonic();
    const ranMs = this.#countRunningMs();
    const expiredBefore = this.#clocks.now() - retentionMs;
    // Without a limit: every task that has not expired must lose its mark.
    this.#database.run(
      'UPDATE task SET over_since = NULL WHERE over_since IS NOT NULL AND aged_at >= ?',
      expiredBefore,
    );
    this.#database.run(
      `UPDATE task SET over_since = ? WHERE position IN
        (SELECT position FROM task WHERE over_since IS NULL AND aged_at < ? LIMIT ${maxAtOnce})`,
      ranMs,
      expiredBefore,
    );
    this.#database.run(
      `DELETE FROM task WHERE position IN (SELECT position FROM task WHERE over_since <= ? LIMIT ${maxAtOnce})`,
      ranMs - minExpiredMs,
    );
  }

  /** @returns how long gateways have run with this file, in milliseconds; concurrent gateways count once */
  #countRunningMs(): number {
    const storedMs = this.#database.get<{ ms: number }>('SELECT ms FROM running')?.ms ?? 0;
    const at = this.#clocks.monotonic();
    this.#first ??= { at, ranMs: storedMs };
    const ranMs = Math.max(storedMs, Math.round(this.#first.ranMs + at - this.#first.at));
    this.#database.run('INSERT OR REPLACE INTO running VALUES (1, ?)', ranMs);
    return ranMs;
  }
}
