import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isEmpty } from './check.ts';
import { renameWithRetrySync } from './renameWithRetry.ts';
import { type Salvaged, type SalvagePlan, salvage } from './salvage/salvage.ts';
import { asideFiles, fileSuffixes, setAside } from './setAside.ts';
import type { DatabaseHealth } from './sharedDatabase.ts';
import { busyTimeoutMs, connect } from './sqlite/connection.ts';
import { migrate } from './sqlite/migrate.ts';

export interface RebuildOptions {
  readonly path: string;
  readonly migrations: readonly string[];
  readonly plan: SalvagePlan | undefined;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: number;
  /** Closes the broken file in this process, where open files cannot be renamed. */
  readonly release?: () => void;
}

/**
 * Creates a new database at `path` with what can be saved of the broken one, which is renamed. Only this user
 * can read it. The new file is complete before the broken one is renamed, so after a crash the next rebuild only has to
 * give it its name. Other processes that write meanwhile wait, and then find that their file was replaced.
 *
 * @returns the new name of the broken file and what was saved; empty when there was no file
 * @throws an error of SQLite or of the file system when the new file cannot be written
 */
export function rebuild(rebuilding: RebuildOptions): DatabaseHealth {
  const { path, now, release } = rebuilding;
  const finished = finishRebuild(rebuilding);
  if (finished) return finished;
  const releaseWriters = isEmpty(path) ? undefined : holdWriters(path);
  try {
    const found = writeDraft(rebuilding);
    if (process.platform === 'win32') {
      // Windows cannot rename open files.
      release?.();
      releaseWriters?.();
    }
    const isThere = fileSuffixes.some((suffix) => existsSync(path + suffix));
    const aside = isThere ? setAside(path, now, found?.isWhole) : undefined;
    renameWithRetrySync(draftPath(path), path);
    flushFolder(dirname(path));
    return {
      ...(aside !== undefined && { setAside: aside }),
      ...(aside !== undefined && found && { salvaged: found }),
    };
  } finally {
    releaseWriters?.();
  }
}

/** Gives a complete new database its name, where a process died after it had renamed the broken one. */
function finishRebuild({ path, now, plan }: RebuildOptions): DatabaseHealth | undefined {
  const draft = draftPath(path);
  // A draft that is not complete has a log.
  if (existsSync(path) || isEmpty(draft) || existsSync(`${draft}-wal`)) return undefined;
  const aside = asideFiles(path).at(-1);
  if (aside === undefined) return undefined;
  if (existsSync(`${path}-wal`)) setAside(path, now);
  renameWithRetrySync(draft, path);
  flushFolder(dirname(path));
  const kept = plan && countIn(path, plan.counted);
  const salvaged = kept !== undefined && { kept, lost: 0, isWhole: aside.isSaved };
  return { setAside: aside.path, ...(salvaged && { salvaged }) };
}

function countIn(path: string, table: string): number | undefined {
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(connection.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n);
  } catch {
    // It died before it had made the tables.
    return undefined;
  } finally {
    connection.close();
  }
}

/** The new database while it is made. */
export function draftPath(path: string): string {
  return `${path}.new`;
}

function writeDraft({ path, migrations, plan }: RebuildOptions): Salvaged | undefined {
  const draft = draftPath(path);
  for (const suffix of fileSuffixes) rmSync(draft + suffix, { force: true });
  // SQLite creates the files beside this one with the same mode.
  closeSync(openSync(draft, 'wx', 0o600));
  const connection = connect(draft);
  try {
    const found = isEmpty(path) ? undefined : salvage(path, connection, migrations, plan);
    migrate(connection, migrations);
    return found;
  } finally {
    connection.close();
  }
}

/**
 * Keeps other processes from writing, as far as the broken file allows.
 *
 * @returns a function that lets them write again
 */
function holdWriters(path: string): () => void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    connection.exec('BEGIN IMMEDIATE');
  } catch {
    // The connection stays open: closing the last one would change the files.
  }
  return () => {
    if (connection.isOpen) connection.close();
  };
}

/** Without this a power failure could lose the new name of the file. Windows needs no such flush. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
