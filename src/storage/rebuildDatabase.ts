import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isEmptyFile } from './checkDatabase.ts';
import { renameWithRetrySync } from './renameWithRetry.ts';
import { type Salvaged, type SalvagePlan, salvage } from './salvage/salvage.ts';
import { buildDraftPath, fileSuffixes, listSetAside, setAside } from './setAside.ts';
import type { DatabaseHealth } from './sharedDatabase.ts';
import { busyTimeoutMs, connect } from './sqlite/connection.ts';
import { migrate } from './sqlite/migrate.ts';

interface RebuildOptions {
  readonly path: string;
  readonly migrations: readonly string[];
  readonly plan: SalvagePlan | undefined;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: number;
  /** Closes the damaged file in this process, on systems that cannot rename open files. */
  readonly release?: () => void;
}

/**
 * Creates a new database at `path` with the rows that can be saved from the damaged file, and renames the damaged
 * file. Only this user can read the new file. The new file is complete before the damaged file is renamed, so after a
 * crash the next rebuild only has to rename the new file. Other writing processes wait, and then detect that their
 * file was replaced.
 *
 * @returns the new path of the damaged file and the numbers of rows; empty if there was no file
 * @throws an error of SQLite or of the file system, if the new file cannot be written
 */
export function rebuildDatabase(options: RebuildOptions): DatabaseHealth {
  const { path, now, release } = options;
  const finished = finishRebuild(options);
  if (finished) return finished;
  const unblockWriters = isEmptyFile(path) ? undefined : blockWriters(path);
  try {
    const salvaged = writeDraft(options);
    if (process.platform === 'win32') {
      // Windows cannot rename open files.
      release?.();
      unblockWriters?.();
    }
    const exists = fileSuffixes.some((suffix) => existsSync(path + suffix));
    const damagedPath = exists ? setAside(path, now, salvaged?.isComplete) : undefined;
    renameWithRetrySync(buildDraftPath(path), path);
    flushFolder(dirname(path));
    return {
      ...(damagedPath !== undefined && { setAside: damagedPath }),
      ...(damagedPath !== undefined && salvaged && { salvaged }),
    };
  } finally {
    unblockWriters?.();
  }
}

/** Renames a complete new database to its final name, if a process died after it had renamed the damaged file. */
function finishRebuild({ path, now, plan }: RebuildOptions): DatabaseHealth | undefined {
  const draft = buildDraftPath(path);
  // An incomplete draft has a log.
  if (existsSync(path) || isEmptyFile(draft) || existsSync(`${draft}-wal`)) return undefined;
  const damaged = listSetAside(path).at(-1);
  if (damaged === undefined) return undefined;
  if (existsSync(`${path}-wal`)) setAside(path, now);
  renameWithRetrySync(draft, path);
  flushFolder(dirname(path));
  const savedRows = plan && countRows(path, plan.counted);
  const salvaged = savedRows !== undefined && { saved: savedRows, lost: 0, isComplete: damaged.isSaved };
  return { setAside: damaged.path, ...(salvaged && { salvaged }) };
}

function countRows(path: string, table: string): number | undefined {
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(connection.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n);
  } catch {
    // The process died before it had created the tables.
    return undefined;
  } finally {
    connection.close();
  }
}

function writeDraft({ path, migrations, plan }: RebuildOptions): Salvaged | undefined {
  const draft = buildDraftPath(path);
  for (const suffix of fileSuffixes) rmSync(draft + suffix, { force: true });
  // SQLite creates its log and shared-memory files with the same mode.
  closeSync(openSync(draft, 'wx', 0o600));
  const connection = connect(draft);
  try {
    const salvaged = isEmptyFile(path) ? undefined : salvage(path, connection, migrations, plan);
    migrate(connection, migrations);
    return salvaged;
  } finally {
    connection.close();
  }
}

/**
 * Prevents other processes from writing, as far as the damaged file allows.
 *
 * @returns a function that allows them to write again
 */
function blockWriters(path: string): () => void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    connection.exec('BEGIN IMMEDIATE');
  } catch {
    // Keep the connection open: closing the last connection would change the files.
  }
  return () => {
    if (connection.isOpen) connection.close();
  };
}

/** Flushes the folder, so that a power failure does not undo the renaming. Windows does not need this. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
