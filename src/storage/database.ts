import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { backUp } from './backUp.ts';
import { checkFile, checkPages, findWriteProblem, isEmptyFile } from './checkDatabase.ts';
import { withFileLock } from './fileLock.ts';
import { rebuildDatabase } from './rebuildDatabase.ts';
import { removeOldFiles } from './removeOldFiles.ts';
import { isHeaderSound } from './salvage/pages.ts';
import type { SalvagePlan } from './salvage/salvage.ts';
import { Database, type DatabaseHealth, type OpenedFile, type Reopener } from './sharedDatabase.ts';
import {
  beginWriting,
  briefTimeoutMs,
  busyTimeoutMs,
  connect,
  connectToCopy,
  connectToRead,
  inMemory,
  isUnwritable,
} from './sqlite/connection.ts';
import { assertVersion, migrate, readVersion } from './sqlite/migrate.ts';
import {
  isBusy,
  StorageError,
  toStorageError,
  type WriteProblem,
  withStorageErrors,
} from './sqlite/storageError.ts';
import { maxCheckedLogBytes } from './writeAheadLog.ts';

export type { Salvaged, SalvagePlan } from './salvage/salvage.ts';
export type { Database, DatabaseHealth, Values } from './sharedDatabase.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the public API of the folder
export {
  parseStored,
  StorageError,
  type StorageErrorKind,
  type WriteProblem,
} from './sqlite/storageError.ts';

/** The context of the reads and writes of a store. */
export interface WriteContext {
  readonly database: Database;
  /** The random name of the window that writes. */
  readonly window: string;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

export interface DatabaseOptions {
  /** The file. A missing folder is created. `:memory:` opens a database without a file. */
  readonly path: string;
  /** SQL scripts. The first n scripts create version n of the schema. A published script must never change. */
  readonly migrations: readonly string[];
  /** How to save rows if the file is damaged. Without a plan, rows are not counted. */
  readonly plan?: SalvagePlan;
  /**
   * If the file has more pages, they are not checked when it is opened, because this takes as long as reading
   * them. `Database.check` checks them. By default there is no limit.
   */
  readonly maxPagesChecked?: number;
  /**
   * For a thread that must not be blocked. A write fails as `busy` at once while other connections write;
   * `retryWhileBusy` retries it. `writeDurably` does not flush; call `flush`. The log grows until another thread
   * calls `emptyLog`. A damaged file is not repaired until another thread calls `repair`.
   */
  readonly isNonBlocking?: boolean;
  /** How long a call waits for a lock of another process, in milliseconds; 5,000 by default. */
  readonly lockWaitMs?: number;
  /** Wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Opens a database that several processes may share, and migrates its schema. A file of an earlier version is
 * copied first. A damaged file is renamed within its folder (`setAside`), even if the damage is found later, while
 * the file is open. The new file contains the rows that can still be read. A file of a later version, or an
 * unwritable file, is opened for reading (`readOnly`).
 *
 * @throws {StorageError} if no database can be opened
 */
export function openDatabase(options: DatabaseOptions): Database {
  return withStorageErrors(() => {
    const { path, isNonBlocking } = options;
    const opened = path === inMemory ? openMigrated(options) : openFile(options);
    const reopener: Reopener = {
      reopen: () => {
        const reopened = openFile(options);
        if (reopened.health.readOnly === undefined) return reopened;
        reopened.connection.close();
        return undefined;
      },
      repair: (inode, release) =>
        withFileLock(
          path,
          () => openReplaced(options, inode) ?? openRebuilt(options, release),
          isNonBlocking ? briefTimeoutMs : undefined,
        ),
      reopenReplaced: (inode) => openReplaced(options, inode),
    };
    try {
      return new Database(path, opened, reopener, isNonBlocking);
    } catch (error) {
      opened.connection.close();
      throw error;
    }
  });
}

/** Opens the new file if another process or thread has replaced the damaged one. */
function openReplaced(options: DatabaseOptions, inode: number): OpenedFile | undefined {
  const isReplaced = statSync(options.path, { throwIfNoEntry: false })?.ino !== inode;
  return isReplaced ? openIntact(options, true) : undefined;
}

function openFile(options: DatabaseOptions): OpenedFile {
  const { path, isNonBlocking } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!isNonBlocking) tryToRemoveOldFiles(path);
  const intact = openIntact(options, false);
  if (intact) return intact;
  if (isNonBlocking && !isEmptyFile(path))
    throw new StorageError('damaged', 'The database needs to be repaired.');
  // Another process may have repaired the file while this process waited for the lock.
  return withFileLock(
    path,
    () => openIntact(options, true) ?? openRebuilt(options),
    isNonBlocking ? briefTimeoutMs : undefined,
  );
}

function getTimeoutMs({ isNonBlocking, lockWaitMs = busyTimeoutMs }: DatabaseOptions): number {
  return isNonBlocking ? briefTimeoutMs : lockWaitMs;
}

/**
 * @param hasLock whether this process has the lock, so that other processes cannot replace the file
 * @returns undefined if the file is missing or damaged, or if another process may be replacing it
 */
function openIntact(options: DatabaseOptions, hasLock: boolean): OpenedFile | undefined {
  const { path, isNonBlocking } = options;
  if (isEmptyFile(path)) return undefined;
  try {
    checkFile(path, isNonBlocking ? maxCheckedLogBytes : Number.POSITIVE_INFINITY, getTimeoutMs(options));
    return openMigrated(options);
  } catch (error) {
    const failure = toStorageError(error);
    if (isUnwritable(failure)) {
      // The disk may have space for the probe file but not for the copy before a migration.
      const problem = findWriteProblem(path) ?? (failure.kind === 'full' ? 'full' : undefined);
      // While another process replaces the file, opening it fails in the same way.
      if (problem === undefined && !(hasLock && isHeaderSound(path))) return undefined;
      return openForReading(options, problem ?? 'disk-error');
    }
    if (failure instanceof StorageError && failure.kind === 'damaged') return undefined;
    if (!isBusy(failure) && !isHeaderSound(path)) return undefined;
    throw failure;
  }
}

function openRebuilt(options: DatabaseOptions, release?: () => void): OpenedFile {
  const { path, migrations, plan, now = Date.now } = options;
  const health = rebuildDatabase({ path, migrations, plan, now: now(), ...(release && { release }) });
  return openMigrated(options, health);
}

function openMigrated(options: DatabaseOptions, health: DatabaseHealth = {}): OpenedFile {
  const { path, migrations, maxPagesChecked, isNonBlocking } = options;
  const connection = connect(path, getTimeoutMs(options));
  try {
    assertVersion(connection);
    const version = readVersion(connection);
    if (version > 0 && version < migrations.length && path !== inMemory) backUp(path, connection);
    if (migrate(connection, migrations) > migrations.length) {
      connection.exec('PRAGMA query_only = ON');
      return { connection, health: { ...health, readOnly: 'newer' } };
    }
    checkPages(connection, maxPagesChecked);
    assertWritable(connection, isNonBlocking);
    connection.exec('PRAGMA foreign_keys = ON');
    if (isNonBlocking) connection.exec('PRAGMA wal_autocheckpoint = 0');
    return { connection, health };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Deletes old files. A failure is ignored, because the next call tries again. */
function tryToRemoveOldFiles(path: string): void {
  try {
    removeOldFiles(path);
  } catch (error) {
    if (!(toStorageError(error) instanceof StorageError)) throw error;
  }
}

/**
 * Tries a write, because SQLite opens a file without an error even if it has no write permission or the disk is
 * full.
 */
function assertWritable(connection: DatabaseSync, isNonBlocking = false): void {
  try {
    beginWriting(connection, isNonBlocking);
    connection.exec(`PRAGMA user_version = ${readVersion(connection)}; ROLLBACK`);
  } catch (error) {
    // Another connection is writing, so the file is writable.
    if (!(isNonBlocking && isBusy(error))) throw error;
  }
}

function openForReading(options: DatabaseOptions, readOnly: WriteProblem): OpenedFile {
  const { path, migrations } = options;
  const health = { readOnly };
  const connection = connectToRead(path, getTimeoutMs(options));
  if (readVersion(connection) >= migrations.length) return { connection, health };
  connection.close();
  const copy = connectToCopy(path, (copyConnection) => {
    migrate(copyConnection, migrations);
    copyConnection.exec('PRAGMA query_only = ON');
  });
  if (copy) return { connection: copy, health };
  throw new StorageError(
    'read-only',
    'The database of an older version cannot be updated: it is read-only, and there is no space for a copy.',
  );
}
