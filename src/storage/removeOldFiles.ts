import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errors.ts';
import { backupFiles } from './backUp.ts';
import { tryToLockFile } from './fileLock.ts';
import { draftPath, fileSuffixes, setAsideFiles } from './setAside.ts';

const dayMs = 24 * 3_600_000;
/** Copies may contain chats that were deleted later, so they must be deleted after this time. */
const maxAgeMs = 30 * dayMs;
const maxCopies = 3;
const maxBytes = 1024 * 1024 * 1024;

/** The limit for damaged files with lost rows, which a tool may still recover. */
const maxLossyAgeMs = 365 * dayMs;
const maxLossyCopies = 10;

/** After this time without a write, a draft counts as abandoned, because a living process writes continuously. */
const maxIdleMs = 3_600_000;

/**
 * Deletes unneeded files next to a database: incomplete files of dead processes, and copies of earlier versions
 * and damaged files that are too old, too many or too large. A damaged file is deleted later if not all its rows
 * were saved.
 */
export function removeOldFiles(path: string): void {
  removeDrafts(path);
  removeRebuilt(path);
  removeOldCopies(backupFiles(path).map((file) => ({ path: file, time: statOf(file)?.mtimeMs ?? 0 })));
  removeOldCopies(setAsideFiles(path).filter(({ isSaved }) => isSaved));
  const lossy = setAsideFiles(path).filter(({ isSaved }) => !isSaved);
  removeOldCopies(lossy, maxLossyCopies, maxLossyAgeMs);
}

interface Copy {
  readonly path: string;
  /** When the copy was made, in milliseconds since 1970. */
  readonly time: number;
}

/** Deletes incomplete copies and probes of the disk. Their names contain the id of their process. */
function removeDrafts(path: string): void {
  const folder = dirname(path);
  const name = basename(path);
  for (const each of readdirSync(folder)) {
    const [, draft = '', pid] = /^(.*)-(\d+)(?:-journal|-wal|-shm)?$/.exec(each) ?? [];
    const isCopy = /^backup-v\d+-/.test(draft) && draft.endsWith(`-${name}.new`);
    if (!isCopy && draft !== `${name}.probe`) continue;
    const file = join(folder, each);
    const idleMs = Date.now() - (statOf(file)?.mtimeMs ?? 0);
    if (idleMs > maxIdleMs || !isAlive(Number(pid))) rmSync(file, { force: true });
  }
}

/**
 * Deletes an unused draft of a repair. A repairing process holds the lock. If the file is missing, keep the draft,
 * because it may replace the file.
 */
function removeRebuilt(path: string): void {
  if (!statOf(path)) return;
  const files = fileSuffixes.map((suffix) => draftPath(path) + suffix).filter(statOf);
  const lock = files.length > 0 ? tryToLockFile(`${path}.lock`) : undefined;
  if (!lock) return;
  for (const file of files) rmSync(file, { force: true });
  lock.release();
}

function removeOldCopies(copies: readonly Copy[], maxCount = maxCopies, maxCopyAgeMs = maxAgeMs): void {
  let bytes = 0;
  copies
    .toSorted((one, other) => other.time - one.time)
    .forEach(({ path, time }, nth) => {
      bytes += statOf(path)?.size ?? 0;
      const isExcess = nth >= maxCount || (nth > 0 && bytes > maxBytes);
      if (!isExcess && Date.now() - time <= maxCopyAgeMs) return;
      for (const suffix of fileSuffixes) rmSync(path + suffix, { force: true });
    });
}

function statOf(file: string): Stats | undefined {
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
