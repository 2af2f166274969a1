import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { renameWithRetrySync } from './renameWithRetry.ts';
import { readVersion } from './sqlite/migrate.ts';

const maxBackups = 2;
const backupPrefix = 'backup-v';

/**
 * Copies a database, including its log, to `backup-v<version>-<name>` in the same folder. Call it before a migration.
 * Deletes all but the two newest copies. Only this user can read the copies.
 *
 * @param connection the connection of the database
 * @throws an error of SQLite or of the file system, such as on a full disk; then the database is unchanged
 */
export function backUp(path: string, connection: DatabaseSync): void {
  const version = readVersion(connection);
  const backup = join(dirname(path), `${backupPrefix}${version}-${basename(path)}`);
  const draft = `${backup}.new-${process.pid}`;
  try {
    rmSync(draft, { force: true });
    // SQLite writes into an empty file without changing its mode.
    closeSync(openSync(draft, 'wx', 0o600));
    connection.prepare('VACUUM INTO ?').run(draft);
    // Another process may have migrated the file in the meantime. Then it has also made the copy.
    if (readFileVersion(draft) === version) renameWithRetrySync(draft, backup);
  } finally {
    rmSync(draft, { force: true });
  }
  removeOlderBackups(path, backup);
}

function readFileVersion(file: string): number {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    return readVersion(copy);
  } finally {
    copy.close();
  }
}

/** Lists the copies that `backUp` made of a database. */
export function listBackups(path: string): readonly string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(backupPrefix) && name.endsWith(`-${basename(path)}`))
    .map((name) => join(folder, name));
}

function removeOlderBackups(path: string, newest: string): void {
  const others = listBackups(path)
    .filter((file) => file !== newest)
    .map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.time - one.time);
  const maxOthers = existsSync(newest) ? maxBackups - 1 : maxBackups;
  for (const { file } of others.slice(maxOthers)) rmSync(file, { force: true });
}
