import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { alone } from './alone.ts';
import { checkDaily, checkFile, isEmpty } from './check.ts';
import { connect, connectToRead, Database, IN_MEMORY, type Standing } from './connection.ts';
import { migrate, versionOf } from './migrate.ts';
import { rebuild } from './rebuild.ts';
import { asStorageError, StorageError } from './storageError.ts';

export type { Database, Values } from './connection.ts';
// biome-ignore lint/performance/noBarrelFile: this file is the entry of the room
export { StorageError, type StorageErrorKind } from './storageError.ts';

export interface DatabaseOptions {
  /** The file; its folder is made where it is missing. `:memory:` for a database without a file. */
  readonly path: string;
  /** SQL scripts: the first n of them make version n of the schema. Published ones are never changed. */
  readonly migrations: readonly string[];
  /** Wall clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Opens a database that several processes may share, and brings its schema up to date. A broken file is set aside
 * with a new name in the same folder (`setAside`), and what can still be read of it is in the new one. A file that
 * a later version wrote, or that cannot be written, can be read only (`readOnly`).
 *
 * @throws {StorageError} where there can be no database
 */
export function openDatabase({ path, migrations, now = Date.now }: DatabaseOptions): Database {
  try {
    if (path === IN_MEMORY) return upToDate(path, migrations, now);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSound(path, migrations, now) ?? alone(path, () => openAfresh(path, migrations, now));
  } catch (error) {
    throw asStorageError(error);
  }
}

/** Undefined when there is no file, or a broken one. */
function openSound(path: string, migrations: readonly string[], now: () => number): Database | undefined {
  if (isEmpty(path)) return undefined;
  try {
    checkFile(path);
    return upToDate(path, migrations, now);
  } catch (error) {
    const failure = asStorageError(error);
    if (!(failure instanceof StorageError)) throw failure;
    if (failure.kind === 'damaged') return undefined;
    if (failure.kind === 'read-only') return unwritable(path, migrations);
    throw failure;
  }
}

/** Another process may have done it while this one waited for its turn. */
function openAfresh(path: string, migrations: readonly string[], now: () => number): Database {
  const mended = openSound(path, migrations, now);
  if (mended) return mended;
  const setAside = rebuild(path, migrations, now());
  return upToDate(path, migrations, now, setAside === undefined ? {} : { setAside });
}

function upToDate(
  path: string,
  migrations: readonly string[],
  now: () => number,
  standing: Standing = {},
): Database {
  const connection = connect(path);
  try {
    if (migrate(connection, migrations) > migrations.length) {
      connection.exec('PRAGMA query_only = ON');
      return new Database(connection, path, { ...standing, readOnly: 'newer' });
    }
    checkDaily(connection, now());
    assertWritable(connection);
    connection.exec('PRAGMA foreign_keys = ON');
    return new Database(connection, path, standing);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** SQLite opens a file that it may not write all the same. */
function assertWritable(connection: DatabaseSync): void {
  connection.exec('BEGIN IMMEDIATE');
  connection.exec('ROLLBACK');
}

function unwritable(path: string, migrations: readonly string[]): Database {
  const connection = connectToRead(path);
  if (versionOf(connection) >= migrations.length) {
    return new Database(connection, path, { readOnly: 'unwritable' });
  }
  connection.close();
  throw new StorageError(
    'read-only',
    'An older database cannot be brought up to date: it cannot be written.',
  );
}
