import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { alone } from './alone.ts';
import type { SalvagePlan } from './broken/salvage.ts';
import { checkFile, checkPages, isEmpty } from './check.ts';
import { connect, connectToRead, inMemory, isUnwritable } from './connection.ts';
import { connectToCopy } from './copy.ts';
import { migrate, versionOf } from './migrate.ts';
import { type Obstacle, obstacleTo } from './obstacle.ts';
import { rebuild } from './rebuild.ts';
import { Database, type Opened, type Standing } from './sharedDatabase.ts';
import { asStorageError, guarded, StorageError } from './storageError.ts';

export type { Salvaged, SalvagePlan } from './broken/salvage.ts';
export type { Obstacle } from './obstacle.ts';
export type { Database, Standing, Values } from './sharedDatabase.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the room
export { StorageError, type StorageErrorKind } from './storageError.ts';

export interface DatabaseOptions {
  /** The file. A missing folder is created. `:memory:` opens a database without a file. */
  readonly path: string;
  /** SQL scripts. The first n of them make version n of the schema. A published script never changes. */
  readonly migrations: readonly string[];
  /** How rows are saved when the file is broken. Without a plan nothing is counted. */
  readonly plan?: SalvagePlan;
  /** Wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Opens a database that several processes may share, and migrates its schema. A broken file, also one that
 * breaks while it is open, is renamed within its folder (`setAside`), and the new file holds what can still
 * be read of it. A file of a later version, or one that cannot be written, opens for reading (`readOnly`).
 *
 * @throws {StorageError} when no database can be opened
 */
export function openDatabase(options: DatabaseOptions): Database {
  return guarded(() => {
    const { path } = options;
    const opened = path === inMemory ? upToDate(options) : openFile(options);
    return new Database(path, opened, {
      afresh: () => {
        const again = openFile(options);
        if (again.standing.readOnly === undefined) return again;
        again.connection.close();
        return undefined;
      },
      mended: (inode, letGo) =>
        alone(path, () => {
          const isReplaced = statSync(path, { throwIfNoEntry: false })?.ino !== inode;
          return (isReplaced ? openSound(options, true) : undefined) ?? rebuilt(options, letGo);
        }),
    });
  });
}

function openFile(options: DatabaseOptions): Opened {
  const { path } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Another process may have repaired the file while this one waited for the lock.
  return openSound(options, false) ?? alone(path, () => openSound(options, true) ?? rebuilt(options));
}

/**
 * @param isAlone whether no other process can be replacing the file
 * @returns undefined when the file is missing or broken, or perhaps being replaced
 */
function openSound(options: DatabaseOptions, isAlone: boolean): Opened | undefined {
  const { path, migrations } = options;
  if (isEmpty(path)) return undefined;
  try {
    checkFile(path);
    return upToDate(options);
  } catch (error) {
    const failure = asStorageError(error);
    if (isUnwritable(failure)) {
      const obstacle = obstacleTo(path);
      // A file that is just being replaced cannot be opened either.
      if (obstacle === undefined && !isAlone) return undefined;
      return unwritable(path, migrations, obstacle ?? 'disk-error');
    }
    if (failure instanceof StorageError && failure.kind === 'damaged') return undefined;
    throw failure;
  }
}

function rebuilt(options: DatabaseOptions, letGo?: () => void): Opened {
  const { path, migrations, plan, now = Date.now } = options;
  const standing = rebuild({ path, migrations, plan, now: now(), ...(letGo && { letGo }) });
  return upToDate(options, standing);
}

function upToDate({ path, migrations }: DatabaseOptions, standing: Standing = {}): Opened {
  const connection = connect(path);
  try {
    if (migrate(connection, migrations) > migrations.length) {
      connection.exec('PRAGMA query_only = ON');
      return { connection, standing: { ...standing, readOnly: 'newer' } };
    }
    checkPages(connection);
    assertWritable(connection);
    connection.exec('PRAGMA foreign_keys = ON');
    return { connection, standing };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** SQLite opens a file without write permission, or on a full disk, without an error. */
function assertWritable(connection: DatabaseSync): void {
  connection.exec('BEGIN IMMEDIATE');
  connection.exec('ROLLBACK');
}

function unwritable(path: string, migrations: readonly string[], readOnly: Obstacle): Opened {
  const standing = { readOnly };
  const connection = connectToRead(path);
  if (versionOf(connection) >= migrations.length) return { connection, standing };
  connection.close();
  const copy = connectToCopy(path, (own) => {
    migrate(own, migrations);
    own.exec('PRAGMA query_only = ON');
    return own;
  });
  if (copy) return { connection: copy, standing };
  throw new StorageError(
    'read-only',
    'An older database cannot be brought up to date: it cannot be written, and there is no room for a copy.',
  );
}
