import { performance } from 'node:perf_hooks';
import type { Database } from './sharedDatabase.ts';
import { StorageError } from './sqlite/storageError.ts';

interface WindowRegistryOptions {
  /** A random name of this window, new at each start. */
  readonly window: string;
  /** Wall clock in milliseconds since 1970, which may jump. */
  readonly now?: () => number;
  /** A clock in milliseconds that never jumps. */
  readonly monotonic?: () => number;
}

interface WindowRow {
  readonly id: string;
  readonly heartbeat: number;
  /** Wall clock in milliseconds since 1970. */
  readonly until: number;
}

interface Leader {
  /** The leading window; null if no window leads. */
  readonly id: string | null;
  readonly epoch: number;
}

/** Milliseconds without a heartbeat after which a window counts as dead. */
const silenceMs = 10_000;

/**
 * Milliseconds without a heartbeat after which a window counts as dead if its `until` time has also passed. A little
 * more than the interval of heartbeats.
 */
const overdueSilenceMs = 4_500;

/** Milliseconds after which the row of a dead window is deleted. */
const deletionSilenceMs = 60_000;

/** The tables of a registry, for the schema of its database. */
export const windowTables = `
  CREATE TABLE windows (
    id TEXT PRIMARY KEY,
    heartbeat INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE lead (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT,
    epoch INTEGER NOT NULL
  ) STRICT;
  INSERT INTO lead VALUES (1, NULL, 0);
`;

/**
 * The windows that share a database, and their leader. They are stored in the tables `windows` and `lead`. A
 * window is alive while its heartbeat changes, by the clock of the checking window. Wall clocks may jump, so they
 * are never the only criterion.
 */
export class WindowRegistry {
  readonly #database: Database;
  readonly #window: string;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  /** The last heartbeat of each window, and when it was first seen. */
  readonly #heartbeats = new Map<string, { readonly heartbeat: number; readonly since: number }>();
  #epoch: number | undefined;

  constructor(
    database: Database,
    { window, now = Date.now, monotonic = () => performance.now() }: WindowRegistryOptions,
  ) {
    this.#database = database;
    this.#window = window;
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** Writes the heartbeat of this window. Call it every 4 seconds. */
  writeHeartbeat(): void {
    this.#database.write(() => {
      this.#database.run(
        `INSERT INTO windows (id, heartbeat, until) VALUES (?, 1, ?)
         ON CONFLICT DO UPDATE SET heartbeat = heartbeat + 1, until = excluded.until`,
        this.#window,
        this.#now() + silenceMs,
      );
      for (const row of this.#database.all<WindowRow>('SELECT id, heartbeat, until FROM windows')) {
        if (this.#measureSilence(row) > deletionSilenceMs) this.#forget(row);
      }
    });
  }

  /** Whether a window still has a heartbeat. A window that just died counts as alive for up to 10 s. */
  isAlive(window: string): boolean {
    if (window === this.#window) return true;
    const row = this.#database.get<WindowRow>(
      'SELECT id, heartbeat, until FROM windows WHERE id = ?',
      window,
    );
    if (!row) return false;
    const isOverdue = row.until < this.#now();
    return this.#measureSilence(row) < (isOverdue ? overdueSilenceMs : silenceMs);
  }

  /**
   * Makes this window the leader, unless another living window leads.
   *
   * @returns whether this window leads now
   */
  tryToLead(): boolean {
    if (this.isLeader()) return true;
    const leader = this.#readLeader();
    if (leader.id !== null && leader.id !== this.#window && this.isAlive(leader.id)) return false;
    const epoch = leader.epoch + 1;
    const sql = 'UPDATE lead SET id = ?, epoch = ? WHERE epoch = ?';
    const changedRows = this.#database.write(() =>
      this.#database.run(sql, this.#window, epoch, leader.epoch),
    );
    if (changedRows > 0) this.#epoch = epoch;
    return changedRows > 0;
  }

  /** Whether this window still leads. Another window may have become the leader while this one was frozen. */
  isLeader(): boolean {
    if (this.#epoch === undefined) return false;
    const leader = this.#readLeader();
    return leader.id === this.#window && leader.epoch === this.#epoch;
  }

  /** Removes this window, so that another one can lead at once. */
  leave(): void {
    this.#database.write(() => {
      this.#database.run('UPDATE lead SET id = NULL WHERE id = ?', this.#window);
      this.#database.run('DELETE FROM windows WHERE id = ?', this.#window);
    });
    this.#epoch = undefined;
  }

  #readLeader(): Leader {
    return this.#database.read(() => {
      const leader = this.#database.get<Leader>('SELECT id, epoch FROM lead');
      if (typeof leader?.epoch === 'number') return leader;
      throw new StorageError('damaged', 'The record of the leading window is missing.');
    });
  }

  /** The milliseconds since this window first saw the last heartbeat of a window. */
  #measureSilence({ id, heartbeat }: WindowRow): number {
    const lastSeen = this.#heartbeats.get(id);
    const now = this.#monotonic();
    if (lastSeen?.heartbeat === heartbeat) return now - lastSeen.since;
    this.#heartbeats.set(id, { heartbeat, since: now });
    return 0;
  }

  #forget({ id, heartbeat }: WindowRow): void {
    this.#database.run('DELETE FROM windows WHERE id = ? AND heartbeat = ?', id, heartbeat);
    this.#heartbeats.delete(id);
  }
}
