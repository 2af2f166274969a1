import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Folders for the copy. The second one is in memory on Linux. */
const folders = [tmpdir(), '/dev/shm'];

const prefix = 'model-gateway-copy-';
const maxCopyingMs = 3_600_000;

/** Whether a write-ahead log with content lies beside the database. */
export function hasWal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Connects to a copy of a database, with its log, where the original cannot be written. Only this user can
 * read the copy. It is deleted when the connection opens, or at the end of the process where open files
 * cannot be deleted.
 *
 * @param prepare does all that needs more than reading
 * @returns undefined when no folder has room
 */
export function connectToCopy(
  path: string,
  prepare: (connection: DatabaseSync) => DatabaseSync,
): DatabaseSync | undefined {
  for (const parent of folders) {
    let folder: string | undefined;
    try {
      removeLeft(parent);
      folder = mkdtempSync(join(parent, prefix));
      const copy = join(folder, 'copy.db');
      copyFileSync(path, copy);
      if (hasWal(path)) copyFileSync(`${path}-wal`, `${copy}-wal`);
      return prepare(new DatabaseSync(copy));
    } catch {
      // The next folder may have room.
    } finally {
      if (folder !== undefined) remove(folder);
    }
  }
  return undefined;
}

/** A process that died just after it had made a copy could not delete it. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const folder = join(parent, name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > maxCopyingMs) rmSync(folder, { recursive: true });
    } catch {
      // It is another user's, or in use.
    }
  }
}

function remove(folder: string): void {
  const away = () => rmSync(folder, { recursive: true, force: true });
  try {
    away();
  } catch {
    process.once('exit', away);
  }
}
