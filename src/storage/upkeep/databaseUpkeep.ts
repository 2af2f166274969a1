import { open } from 'node:fs/promises';
import { systemClock } from '../../base/node/clock.ts';
import type { Database } from '../database.ts';
import type { StorageNotice } from '../followHealth.ts';
import { isLogToCheck } from '../log.ts';
import { StorageError } from '../sqlite/storageError.ts';
import { whenFree } from '../whenFree.ts';
import type { RequestWorker } from '../worker/requestWorker.ts';
import type { UpkeepRequests } from './upkeepRequests.ts';

export interface DatabaseUpkeepOptions {
  /** Path of the database. */
  readonly file: string;
  /** The version of its schema. */
  readonly version: number;
  /** Does with the file what would keep this thread waiting. Without it this thread waits. */
  readonly worker?: Pick<RequestWorker<UpkeepRequests>, 'ask'>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with what the worker could not do, and this thread does instead. */
  readonly onError: (error: unknown) => void;
}

/** The pause after an attempt to open a file that others have locked, in milliseconds. */
const openPauseMs = 500;

/** Where the header of a database has its version (https://sqlite.org/fileformat.html#user_version_number). */
const versionAt = 60;

/** Opens a database for a thread that must go on, and has a worker do whatever takes time with its file. */
export class DatabaseUpkeep {
  readonly #options: DatabaseUpkeepOptions;
  #repairing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: DatabaseUpkeepOptions) {
    this.#options = options;
  }

  /**
   * Opens the database, which the worker brings up to date or repairs first where that is needed.
   *
   * @param begin opens it, as `neverWaits` of its options is given; called again after a repair
   * @throws {StorageError} when it cannot be opened
   */
  async open<Opened extends { readonly database: Database }>(
    begin: (neverWaits: boolean) => Opened,
  ): Promise<Opened> {
    const { file, version, worker } = this.#options;
    if (await takesTime(file, version)) await this.#prepare();
    const opened = await this.#begin(begin, worker !== undefined);
    opened.database.onDidFindDamage(() => {
      this.#repairing ??= this.#repair(opened.database).finally(() => {
        this.#repairing = undefined;
      });
    });
    return opened;
  }

  /** Present while a damaged file is repaired. Never rejects. */
  get repairing(): Promise<void> | undefined {
    return this.#repairing;
  }

  /** To be called before the database is closed. */
  close(): void {
    this.#isClosed = true;
  }

  /** A damaged file is repaired by the worker first; then, or where it cannot, by this thread. */
  async #begin<Opened>(begin: (neverWaits: boolean) => Opened, neverWaits: boolean): Promise<Opened> {
    for (let prepared = false; ; prepared = true) {
      try {
        // Each attempt may wait for a moment.
        if (neverWaits) return await whenFree(() => begin(true), systemClock, openPauseMs);
        return begin(false);
      } catch (error) {
        if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
        if (prepared) return begin(false);
      }
      await this.#prepare();
    }
  }

  /** What the worker cannot do is tried once more where the file is opened, which tells why. */
  async #prepare(): Promise<void> {
    await this.#attempt(async () => this.#tell(await this.#options.worker?.ask('migrate', undefined)));
  }

  /** Replaces a damaged file. Where the worker cannot, this thread does. */
  async #repair(database: Database): Promise<void> {
    const { inode } = database;
    await this.#attempt(async () => {
      this.#tell(await this.#options.worker?.ask('repair', inode));
      database.followReplaced();
    });
    if (!this.#isClosed) await this.#attempt(() => database.repair(inode));
  }

  #tell(damage: UpkeepRequests['repair']['answer']): void {
    if (damage) this.#options.onNotice({ type: 'set-aside', ...damage });
  }

  async #attempt(act: () => unknown): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** Whether it takes time until a file can be used: it is to be migrated, or its log to be checked. */
async function takesTime(file: string, version: number): Promise<boolean> {
  const found = await headerVersion(file);
  return (found > 0 && found < version) || isLogToCheck(file);
}

/**
 * The version of a database's schema, without opening it: opening another version's takes time. Its log may hold a
 * later one.
 *
 * @returns 0 where there is no database
 */
async function headerVersion(path: string): Promise<number> {
  const bytes = Buffer.alloc(versionAt + 4);
  try {
    const file = await open(path);
    try {
      await file.read(bytes, 0, bytes.length, 0);
    } finally {
      await file.close();
    }
  } catch {
    // Whoever opens it learns why it cannot be read.
    return 0;
  }
  return bytes.readUInt32BE(versionAt);
}
