import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errors.ts';
import { listBackups } from './backUp.ts';
import { tryToLockFile } from './fileLock.ts';
import { buildDraftPath, fileSuffixes, listSetAside } from './setAside.ts';

const dayMs = 24 * 3_600_000;
/** Copies may contain chats that were deleted later, so the copies must be deleted after this time. */
const maxAgeMs = 30 * dayMs;
const maxCopies = 3;
const maxBytes = 1024 * 1024 * 1024;

/** Limits of damaged files with lost rows. Another tool may still recover these rows. */
const maxLossyAgeMs = 365 * dayMs;
const maxLossyCopies = 10;

/** An incomplete file counts as abandoned after this time without a write, because a running process writes often. */
const maxIdleMs = 3_600_000;

/**
 * Deletes unneeded files next to a database: incomplete files of dead processes, and copies of earlier versions
 * and damaged files that are too old, too many or too large. A damaged file is deleted later if not all its rows
 * were saved.
 */
export function removeOldFiles(path: string): void {
  removeIncompleteFiles(path);
  removeUnusedDraft(path);
  removeOldCopies(listBackups(path).map((file) => ({ path: file, time: statFile(file)?.mtimeMs ?? 0 })));
  removeOldCopies(listSetAside(path).filter(({ isSaved }) => isSaved));
  const lossy = listSetAside(path).filter(({ isSaved }) => !isSaved);
  removeOldCopies(lossy, maxLossyCopies, maxLossyAgeMs);
}

interface Copy {
  readonly path: string;
  /** When the copy was made, in milliseconds since 1970. */
  readonly time: number;
}

/** Deletes incomplete copies and probes of the disk. Their names contain the id of their process. */
function removeIncompleteFiles(path: string): void {
  const folder = dirname(path);
  const databaseName = basename(path);
  for (const name of readdirSync(folder)) {
    const [, draft = '', pid] = /^(.*)-(\d+)(?:-journal|-wal|-shm)?$/.exec(name) ?? [];
    const isCopy = /^backup-v\d+-/.test(draft) && draft.endsWith(`-${databaseName}.new`);
    if (!isCopy && draft !== `${databaseName}.probe`) continue;
    const file = join(folder, name);
    const idleMs = Date.now() - (statFile(file)?.mtimeMs ?? 0);
    if (idleMs > maxIdleMs || !isAlive(Number(pid))) rmSync(file, { force: true });
  }
}

/**
 * Deletes the draft of an interrupted repair. A running repair holds the lock. If the database is missing, the draft
 * is not deleted, because it may replace the database.
 */
function removeUnusedDraft(path: string): void {
  if (!statFile(path)) return;
  const files = fileSuffixes.map((suffix) => buildDraftPath(path) + suffix).filter(statFile);
  const lock = files.length > 0 ? tryToLockFile(`${path}.lock`) : undefined;
  if (!lock) return;
  for (const file of files) rmSync(file, { force: true });
  lock.release();
}

function removeOldCopies(copies: readonly Copy[], maxCount = maxCopies, maxCopyAgeMs = maxAgeMs): void {
  let bytes = 0;
  copies
    .toSorted((one, other) => other.time - one.time)
    .forEach(({ path, time }, index) => {
      bytes += statFile(path)?.size ?? 0;
      const isExcess = index >= maxCount || (index > 0 && bytes > maxBytes);
      if (!isExcess && Date.now() - time <= maxCopyAgeMs) return;
      for (const suffix of fileSuffixes) rmSync(path + suffix, { force: true });
    });
}

function statFile(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process of another user is alive.
    return errorCode(error) === 'EPERM';
  }
}
