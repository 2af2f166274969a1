import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { backUp } from './backUp.ts';
import { checkFile, checkPages, isEmpty } from './check.ts';
import { withFileLock } from './fileLock.ts';
import { maxLogChecked } from './log.ts';
import { rebuild } from './rebuild.ts';
import { isHeaderSound } from './salvage/pages.ts';
import type { SalvagePlan } from './salvage/salvage.ts';
import { Database, type DatabaseHealth, type Opened, type Reopener } from './sharedDatabase.ts';
import {
  beginWriting,
  briefTimeoutMs,
  busyTimeoutMs,
  connect,
  connectToRead,
  inMemory,
  isUnwritable,
} from './sqlite/connection.ts';
import { connectToCopy } from './sqlite/copy.ts';
import { checkVersion, migrate, versionOf } from './sqlite/migrate.ts';
import { asStorageError, isBusy, StorageError, withStorageErrors } from './sqlite/storageError.ts';
import { findWriteProblem, type WriteProblem } from './sqlite/writeProblem.ts';
import { sweep } from './sweep.ts';

export type { Salvaged, SalvagePlan } from './salvage/salvage.ts';
export type { Database, DatabaseHealth, Values } from './sharedDatabase.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the room
export { StorageError, type StorageErrorKind } from './sqlite/storageError.ts';
export type { WriteProblem } from './sqlite/writeProblem.ts';

export interface DatabaseOptions {
  /** The file. A missing folder is created. `:memory:` opens a database without a file. */
  readonly path: string;
  /** SQL scripts. The first n of them make version n of the schema. A published script never changes. */
  readonly migrations: readonly string[];
  /** How rows are saved when the file is broken. Without a plan nothing is counted. */
  readonly plan?: SalvagePlan;
  /**
   * The pages of a larger file are not checked when it is opened, which takes as long as reading them; `check` of
   * the database does. Any file is checked by default.
   */
  readonly maxPagesChecked?: number;
  /**
   * For a thread that must go on: a write fails as `busy` at once while others write, which `whenFree` tries again;
   * `writeDurably` leaves flushing to `flush`; the log grows until others empty it, as `emptyLog` does; and a broken
   * file is left to others, as `repair` of a database that waits does it.
   */
  readonly neverWaits?: boolean;
  /** How long a call waits for a lock of another process, in milliseconds; 5,000 by default. */
  readonly lockWaitMs?: number;
  /** Wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Opens a database that several processes may share, and migrates its schema; of a file of an earlier version it
 * makes a copy first. A broken file, also one that
 * breaks while it is open, is renamed within its folder (`setAside`), and the new file holds what can still
 * be read of it. A file of a later version, or one that cannot be written, opens for reading (`readOnly`).
 *
 * @throws {StorageError} when no database can be opened
 */
export function openDatabase(options: DatabaseOptions): Database {
  return withStorageErrors(() => {
    const { path, neverWaits } = options;
    const opened = path === inMemory ? openMigrated(options) : openFile(options);
    const reopener: Reopener = {
      reopen: () => {
        const again = openFile(options);
        if (again.health.readOnly === undefined) return again;
        again.connection.close();
        return undefined;
      },
      repair: (inode, release) =>
        withFileLock(
          path,
          () => openReplaced(options, inode) ?? openRebuilt(options, release),
          neverWaits ? briefTimeoutMs : undefined,
        ),
      reopenReplaced: (inode) => openReplaced(options, inode),
    };
    return new Database(path, opened, reopener, neverWaits);
  });
}

/** Opens what another process or thread put in the place of a damaged file, once it did. */
function openReplaced(options: DatabaseOptions, inode: number): Opened | undefined {
  const isReplaced = statSync(options.path, { throwIfNoEntry: false })?.ino !== inode;
  return isReplaced ? openIntact(options, true) : undefined;
}

function openFile(options: DatabaseOptions): Opened {
  const { path, neverWaits } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!neverWaits) tryToSweep(path);
  const intact = openIntact(options, false);
  if (intact) return intact;
  if (neverWaits && !isEmpty(path)) throw new StorageError('damaged', 'The database is to be repaired.');
  // Another process may have repaired the file while this one waited for the lock.
  return withFileLock(
    path,
    () => openIntact(options, true) ?? openRebuilt(options),
    neverWaits ? briefTimeoutMs : undefined,
  );
}

function timeoutOf({ neverWaits, lockWaitMs = busyTimeoutMs }: DatabaseOptions): number {
  return neverWaits ? briefTimeoutMs : lockWaitMs;
}

/**
 * @param isAlone whether no other process can be replacing the file
 * @returns undefined when the file is missing or broken, or perhaps being replaced
 */
function openIntact(options: DatabaseOptions, isAlone: boolean): Opened | undefined {
  const { path, neverWaits } = options;
  if (isEmpty(path)) return undefined;
  try {
    checkFile(path, neverWaits ? maxLogChecked : Number.POSITIVE_INFINITY, timeoutOf(options));
    return openMigrated(options);
  } catch (error) {
    const failure = asStorageError(error);
    if (isUnwritable(failure)) {
      const problem = findWriteProblem(path) ?? lackOfRoom(failure);
      // A file that is just being replaced cannot be opened either.
      if (problem === undefined && !(isAlone && isHeaderSound(path))) return undefined;
      return openForReading(options, problem ?? 'disk-error');
    }
    if (failure instanceof StorageError && failure.kind === 'damaged') return undefined;
    if (!isBusy(failure) && !isHeaderSound(path)) return undefined;
    throw failure;
  }
}

function openRebuilt(options: DatabaseOptions, release?: () => void): Opened {
  const { path, migrations, plan, now = Date.now } = options;
  const health = rebuild({ path, migrations, plan, now: now(), ...(release && { release }) });
  return openMigrated(options, health);
}

function openMigrated(options: DatabaseOptions, health: DatabaseHealth = {}): Opened {
  const { path, migrations, maxPagesChecked, neverWaits } = options;
  const connection = connect(path, timeoutOf(options));
  try {
    checkVersion(connection);
    const version = versionOf(connection);
    if (version > 0 && version < migrations.length && path !== inMemory) backUp(path, connection);
    if (migrate(connection, migrations) > migrations.length) {
      connection.exec('PRAGMA query_only = ON');
      return { connection, health: { ...health, readOnly: 'newer' } };
    }
    checkPages(connection, maxPagesChecked);
    assertWritable(connection, neverWaits);
    connection.exec('PRAGMA foreign_keys = ON');
    if (neverWaits) connection.exec('PRAGMA wal_autocheckpoint = 0');
    return { connection, health };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** What cannot be deleted now is deleted another time. */
function tryToSweep(path: string): void {
  try {
    sweep(path);
  } catch (error) {
    if (!(asStorageError(error) instanceof StorageError)) throw error;
  }
}

/** There may be room for some bytes, and not for the copy of a file that is to be migrated. */
function lackOfRoom(failure: unknown): WriteProblem | undefined {
  return failure instanceof StorageError && failure.kind === 'full' ? 'full' : undefined;
}

/** SQLite opens a file without write permission, or on a full disk, without an error. */
function assertWritable(connection: DatabaseSync, neverWaits = false): void {
  try {
    beginWriting(connection, neverWaits);
    connection.exec(`PRAGMA user_version = ${versionOf(connection)}; ROLLBACK`);
  } catch (error) {
    // Where others write now, it can be written.
    if (!(neverWaits && isBusy(error))) throw error;
  }
}

function openForReading(options: DatabaseOptions, readOnly: WriteProblem): Opened {
  const { path, migrations } = options;
  const health = { readOnly };
  const connection = connectToRead(path, timeoutOf(options));
  if (versionOf(connection) >= migrations.length) return { connection, health };
  connection.close();
  const copy = connectToCopy(path, (own) => {
    migrate(own, migrations);
    own.exec('PRAGMA query_only = ON');
    return own;
  });
  if (copy) return { connection: copy, health };
  throw new StorageError(
    'read-only',
    'An older database cannot be brought up to date: it cannot be written, and there is no room for a copy.',
  );
}
