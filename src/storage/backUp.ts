import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { renameWithRetrySync } from './renameWithRetry.ts';
import { versionOf } from './sqlite/migrate.ts';

const keptBackups = 2;
const prefix = 'backup-v';

/**
 * Copies a database of an earlier version, with what is in its log, to a file beside it, `backup-v<version>-<name>`, before
 * it is migrated. The last two such copies are kept. Only this user can read them.
 *
 * @param connection of the database
 * @throws an error of SQLite or of the file system, such as on a full disk; then nothing has changed
 */
export function backUp(path: string, connection: DatabaseSync): void {
  const version = versionOf(connection);
  const backup = join(dirname(path), `${prefix}${version}-${basename(path)}`);
  const draft = `${backup}.new-${process.pid}`;
  try {
    rmSync(draft, { force: true });
    // SQLite writes into an empty file and leaves its mode.
    closeSync(openSync(draft, 'wx', 0o600));
    connection.prepare('VACUUM INTO ?').run(draft);
    // Another process may have migrated the file meanwhile, and has made the copy then.
    if (versionIn(draft) === version) renameWithRetrySync(draft, backup);
  } finally {
    rmSync(draft, { force: true });
  }
  removeOlder(path, backup);
}

function versionIn(file: string): number {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    return versionOf(copy);
  } finally {
    copy.close();
  }
}

/** The copies of earlier versions of a database. */
export function backupFiles(path: string): readonly string[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(`-${basename(path)}`))
    .map((name) => join(folder, name));
}

function removeOlder(path: string, newest: string): void {
  const others = backupFiles(path)
    .filter((file) => file !== newest)
    .map((file) => ({ file, time: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.time - one.time);
  const kept = existsSync(newest) ? keptBackups - 1 : keptBackups;
  for (const { file } of others.slice(kept)) rmSync(file, { force: true });
}
