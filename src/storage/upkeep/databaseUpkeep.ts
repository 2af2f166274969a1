import { open } from 'node:fs/promises';
import { systemClock } from '../../base/node/clock.ts';
import type { Database } from '../database.ts';
import type { StorageNotice } from '../followHealth.ts';
import { retryWhileBusy } from '../retryWhileBusy.ts';
import { StorageError } from '../sqlite/storageError.ts';
import type { RequestWorker } from '../worker/requestWorker.ts';
import { isLogLong, isLogTooLongToCheck } from '../writeAheadLog.ts';
import type { UpkeepRequests } from './upkeepRequests.ts';

interface DatabaseUpkeepOptions {
  /** Path of the database. */
  readonly file: string;
  /** The version of its schema. */
  readonly version: number;
  /** Does the slow work on the file. Without a worker, this thread does it and is blocked. */
  readonly worker?: Pick<RequestWorker<UpkeepRequests>, 'request'>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with errors of the worker, after which this thread does the work, and of repairs by this thread. */
  readonly onError: (error: unknown) => void;
}

/** The pause after an attempt to open a locked file, in milliseconds. Long, because an attempt may block briefly. */
const openPauseMs = 500;

/**
 * The offset of the version in the header of a database (https://sqlite.org/fileformat.html#user_version_number).
 */
const versionOffset = 60;

/** Opens a database for a thread that must not be blocked. A worker does the slow work on its file. */
export class DatabaseUpkeep {
  readonly #options: DatabaseUpkeepOptions;
  #repairing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: DatabaseUpkeepOptions) {
    this.#options = options;
  }

  /**
   * Opens the database. If necessary, the worker migrates or repairs it first.
   *
   * @param openFile opens the database with the given `isNonBlocking` option; called again after a repair
   * @throws {StorageError} if it cannot be opened
   */
  async open<Opened extends { readonly database: Database }>(
    openFile: (isNonBlocking: boolean) => Opened,
  ): Promise<Opened> {
    const { file, version, worker } = this.#options;
    if (await isOpeningSlow(file, version)) await this.#prepare();
    const opened = await this.#openOrRepair(openFile, worker !== undefined);
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

  /** Call it before the database is closed. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Opens the database. The worker repairs a damaged file. If the file is still damaged after that, this thread
   * repairs it.
   */
  async #openOrRepair<Opened>(
    openFile: (isNonBlocking: boolean) => Opened,
    isNonBlocking: boolean,
  ): Promise<Opened> {
    for (let isPrepared = false; ; isPrepared = true) {
      try {
        if (isNonBlocking) return await retryWhileBusy(() => openFile(true), systemClock, openPauseMs);
        return openFile(false);
      } catch (error) {
        if (!(error instanceof StorageError && error.kind === 'damaged')) throw error;
        if (isPrepared) return openFile(false);
      }
      await this.#prepare();
    }
  }

  /**
   * Lets the worker migrate or repair the file. If it fails, opening the file tries again and reports the error.
   * Never rejects.
   */
  async #prepare(): Promise<void> {
    await this.#attempt(async () =>
      this.#reportDamage(await this.#options.worker?.request('migrate', undefined)),
    );
  }

  /** Lets the worker replace a damaged file. If the worker fails, this thread replaces it. */
  async #repair(database: Database): Promise<void> {
    const { inode } = database;
    await this.#attempt(async () => {
      this.#reportDamage(await this.#options.worker?.request('repair', inode));
      database.reopenIfReplaced();
    });
    if (!this.#isClosed) await this.#attempt(() => database.repair(inode));
  }

  #reportDamage(damage: UpkeepRequests['repair']['result']): void {
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

/** Whether opening a file takes long, because it must be migrated or its log must be checked. */
async function isOpeningSlow(file: string, version: number): Promise<boolean> {
  const fileVersion = await readHeaderVersion(file);
  return (fileVersion > 0 && fileVersion < version) || isLogTooLongToCheck(file);
}

/**
 * Reads the schema version from the header without opening the database, because opening another version takes
 * long. The log may contain a later version.
 *
 * @returns 0 if there is no database
 */
async function readHeaderVersion(path: string): Promise<number> {
  const bytes = Buffer.alloc(versionOffset + 4);
  try {
    const file = await open(path);
    try {
      await file.read(bytes, 0, bytes.length, 0);
    } finally {
      await file.close();
    }
  } catch {
    // Opening the file will report the error.
    return 0;
  }
  return bytes.readUInt32BE(versionOffset);
}

interface LongWriteAheadLogOptions {
  /** Empties the log of the file, in another thread. */
  readonly emptyLog: () => Promise<UpkeepRequests['emptyLog']['result']>;
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with the error of the other thread. */
  readonly onError: (error: unknown) => void;
}

/** Lets another thread empty the log of a non-blocking database when the log is long. */
export class LongWriteAheadLog {
  readonly #database: Database;
  readonly #options: LongWriteAheadLogOptions;
  #isEmptying = false;
  #isDisposed = false;

  constructor(database: Database, options: LongWriteAheadLogOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Empties a long log. Never rejects. */
  async emptyIfLong(): Promise<void> {
    if (this.#isEmptying || !this.#isLong()) return;
    const { emptyLog, onNotice, onError } = this.#options;
    this.#isEmptying = true;
    try {
      // Opening the file may find damage, and repair it.
      const damage = await emptyLog();
      if (damage) onNotice({ type: 'set-aside', ...damage });
    } catch (error) {
      // The worker may end before the log is empty when the window closes.
      if (this.#isDisposed) return;
      onError(error);
      this.#emptyHere();
    } finally {
      this.#isEmptying = false;
    }
  }

  /** Call it before the database is closed. */
  dispose(): void {
    this.#isDisposed = true;
  }

  #isLong(): boolean {
    try {
      return isLogLong(this.#database.path);
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  /** Empties the log in this thread if the other thread failed, so that the log does not grow forever. */
  #emptyHere(): void {
    try {
      this.#database.emptyLog();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
