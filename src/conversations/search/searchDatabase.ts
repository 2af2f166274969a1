import { rmSync, statSync } from 'node:fs';
import { connect } from '../../storage/connection.ts';
import { withFileLock } from '../../storage/fileLock.ts';
import { migrate, versionOf } from '../../storage/migrate.ts';
import { fileSuffixes } from '../../storage/setAside.ts';
import { Database, type Opened } from '../../storage/sharedDatabase.ts';
import { asStorageError, StorageError, withStorageErrors } from '../../storage/storageError.ts';
import { searchMigrations } from './searchSchema.ts';

/**
 * Opens the file of the index, which several windows share. One that is damaged, also while it is open, or that
 * another version wrote, is deleted, because all that it holds is derived.
 *
 * @throws {StorageError} when no file can be made
 */
export function openSearchDatabase(path: string): Database {
  const open = (): Opened => ({ connection: connectMigrated(path), health: {} });
  return withStorageErrors(() => {
    const opened = withFileLock(path, () => openOrReplace(path, open));
    return new Database(path, opened, {
      reopen: () => undefined,
      reopenReplaced: () => undefined,
      repair: (inode, release) =>
        withFileLock(path, () => {
          release();
          if (statSync(path, { throwIfNoEntry: false })?.ino === inode) removeFiles(path);
          return openOrReplace(path, open);
        }),
    });
  });
}

function openOrReplace(path: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    const failure = asStorageError(error);
    if (!(failure instanceof StorageError && failure.kind === 'damaged')) throw failure;
    removeFiles(path);
    return open();
  }
}

function connectMigrated(path: string) {
  const connection = connect(path);
  try {
    const version = versionOf(connection);
    if (version !== 0 && version !== searchMigrations.length) {
      throw new StorageError('damaged', 'The index of another version is of no use.');
    }
    migrate(connection, searchMigrations);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function removeFiles(path: string): void {
  for (const suffix of fileSuffixes) rmSync(path + suffix, { force: true });
}
