import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { withFileLock } from '../../storage/fileLock.ts';
import { fileSuffixes } from '../../storage/setAside.ts';
import { Database, type Opened } from '../../storage/sharedDatabase.ts';
import { connect } from '../../storage/sqlite/connection.ts';
import { migrate, versionOf } from '../../storage/sqlite/migrate.ts';
import { asStorageError, StorageError, withStorageErrors } from '../../storage/sqlite/storageError.ts';

/** Whether the SQLite of this program has full-text search, which not every build of it has. */
export function hasFullText(): boolean {
  const connection = new DatabaseSync(':memory:');
  try {
    return connection.prepare(`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`).get() !== undefined;
  } finally {
    connection.close();
  }
}

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

/**
 * The schema of the index. All of it is derived from the conversations. There is a row of `texts` for the title of
 * each conversation, whose message is empty, for each message, and for the reasoning and the tools of a message.
 * The full-text table holds no texts but tokens, each once in a row.
 */
const searchMigrations: readonly string[] = [
  `
  -- up to where the store is taken in: the last conversation by its revision and key
  CREATE TABLE taken (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    conversation INTEGER NOT NULL
  ) STRICT;
  INSERT INTO taken VALUES (1, -1, 0);

  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- in small letters, to filter by
    workspace TEXT NOT NULL,
    -- all that answered, in small letters, one a line
    models TEXT NOT NULL
  ) STRICT;

  CREATE TABLE texts (
    key INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    message TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('title', 'question', 'reply', 'reasoning')),
    -- of its message
    state TEXT NOT NULL,
    model TEXT,
    at INTEGER NOT NULL,
    hasImage INTEGER NOT NULL,
    UNIQUE (conversation, message, kind)
  ) STRICT;

  CREATE TABLE contents (
    key INTEGER PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;

  -- by the keys of texts; made by tokensOf, which folds and divides texts: 'ascii' leaves them as they are
  CREATE VIRTUAL TABLE tokens USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  `,
];

/** Empties the index, when the store that it was made of is another one. */
export const emptyIndex: readonly string[] = [
  'DELETE FROM conversations',
  'DELETE FROM texts',
  'DELETE FROM contents',
  `INSERT INTO tokens (tokens) VALUES ('delete-all')`,
  'UPDATE taken SET revision = -1, conversation = 0',
];
