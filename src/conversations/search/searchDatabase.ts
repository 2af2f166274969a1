import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { withFileLock } from '../../storage/fileLock.ts';
import { fileSuffixes } from '../../storage/setAside.ts';
import { Database, type OpenedFile } from '../../storage/sharedDatabase.ts';
import { connect } from '../../storage/sqlite/connection.ts';
import { migrate, readVersion } from '../../storage/sqlite/migrate.ts';
import { StorageError, toStorageError, withStorageErrors } from '../../storage/sqlite/storageError.ts';

/** Whether this program's SQLite has full-text search; some builds lack it. */
export function hasFullText(): boolean {
  const connection = new DatabaseSync(':memory:');
  try {
    return connection.prepare(`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`).get() !== undefined;
  } finally {
    connection.close();
  }
}

/**
 * Opens the index file, which several windows share. If it is damaged, even while it is open, or was written by
 * another version, it is deleted, because all its content is derived.
 *
 * @throws {StorageError} if no file can be created
 */
export function openSearchDatabase(path: string): Database {
  const open = (): OpenedFile => ({ connection: connectMigrated(path), health: {} });
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

function openOrReplace(path: string, open: () => OpenedFile): OpenedFile {
  try {
    return open();
  } catch (error) {
    const failure = toStorageError(error);
    if (!(failure instanceof StorageError && failure.kind === 'damaged')) throw failure;
    removeFiles(path);
    return open();
  }
}

function connectMigrated(path: string) {
  const connection = connect(path);
  try {
    const version = readVersion(connection);
    if (version !== 0 && version !== searchMigrations.length) {
      throw new StorageError('damaged', 'The search index has another version.');
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
 * The schema of the index, which is derived from the conversations. `texts` has a row for the title of each
 * conversation, with an empty message, for each message, and for the reasoning and tools of a message. The
 * full-text table contains tokens instead of texts, each once per row.
 */
const searchMigrations: readonly string[] = [
  `
  -- how far the store is indexed: the revision and key of the last conversation
  CREATE TABLE position (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    conversation INTEGER NOT NULL
  ) STRICT;
  INSERT INTO position VALUES (1, -1, 0);

  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- in lower case, to filter by
    workspace TEXT NOT NULL,
    -- the models of its messages, in lower case, one per line
    models TEXT NOT NULL
  ) STRICT;

  CREATE TABLE texts (
    key INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    message TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('title', 'question', 'reply', 'reasoning')),
    -- the state of the message
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

  -- by the keys of texts; texts are folded and split before, so 'ascii' does not change the tokens
  CREATE VIRTUAL TABLE tokens USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  `,
];

/** The SQL that empties the index, for the case that it was created from another store. */
export const emptyIndex: readonly string[] = [
  'DELETE FROM conversations',
  'DELETE FROM texts',
  'DELETE FROM contents',
  `INSERT INTO tokens (tokens) VALUES ('delete-all')`,
  'UPDATE position SET revision = -1, conversation = 0',
];
