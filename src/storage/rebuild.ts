import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Salvaged, type SalvagePlan, salvage } from './broken/salvage.ts';
import { isEmpty } from './check.ts';
import { BUSY_TIMEOUT, connect } from './connection.ts';
import { migrate } from './migrate.ts';
import { companions, patientlyRename, setAside } from './setAside.ts';
import type { Standing } from './sharedDatabase.ts';

export interface Rebuilding {
  readonly path: string;
  readonly migrations: readonly string[];
  readonly plan: SalvagePlan | undefined;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: number;
  /** Called when nothing is read from the broken one any more. */
  readonly letGo?: () => void;
}

/**
 * Makes a new database at `path`, for this user alone, with whatever can be saved of a broken one that lies there;
 * that one is set aside. Complete before it takes the place: whoever dies on the way leaves nothing half made. What
 * another process writes meanwhile waits, and finds that its file was replaced.
 *
 * @returns where the broken one went and what was saved; nothing where there was none
 */
export function rebuild(rebuilding: Rebuilding): Standing {
  const { path, now, letGo } = rebuilding;
  const letWrite = isEmpty(path) ? undefined : holdWriters(path);
  try {
    const salvaged = draftOf(rebuilding);
    if (process.platform === 'win32') {
      // Files that are open cannot be moved there.
      letGo?.();
      letWrite?.();
    }
    const isThere = companions.some((companion) => existsSync(path + companion));
    const aside = isThere ? setAside(path, now) : undefined;
    patientlyRename(draftPath(path), path);
    flushFolder(dirname(path));
    return {
      ...(aside !== undefined && { setAside: aside }),
      ...(aside !== undefined && salvaged && { salvaged }),
    };
  } finally {
    letWrite?.();
  }
}

function draftPath(path: string): string {
  return `${path}.new`;
}

function draftOf({ path, migrations, plan }: Rebuilding): Salvaged | undefined {
  const draft = draftPath(path);
  for (const companion of companions) rmSync(draft + companion, { force: true });
  // SQLite gives the files it makes beside this one the same mode.
  closeSync(openSync(draft, 'wx', 0o600));
  const connection = connect(draft);
  try {
    const salvaged = isEmpty(path) ? undefined : salvage(path, connection, migrations, plan);
    migrate(connection, migrations);
    return salvaged;
  } finally {
    connection.close();
  }
}

/** Keeps other processes from writing, as far as the broken file allows. @returns ends that */
function holdWriters(path: string): () => void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    connection.exec('BEGIN IMMEDIATE');
  } catch {
    // It stays open all the same: to close the last connection would change the files.
  }
  return () => {
    if (connection.isOpen) connection.close();
  };
}

/** Else a loss of power could take the file's name, and all that was written to it. Windows does it by itself. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
