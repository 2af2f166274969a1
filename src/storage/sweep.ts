import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../base/errors.ts';
import { backupFiles } from './backUp.ts';
import { holdFileLock } from './fileLock.ts';
import { draftPath } from './rebuild.ts';
import { asideFiles, fileSuffixes } from './setAside.ts';

const dayMs = 24 * 3_600_000;
/** Copies hold chats that were deleted since, which are to be gone after as long. */
const maxAgeMs = 30 * dayMs;
const maxCopies = 3;
const maxBytes = 1024 * 1024 * 1024;

/** The same for damaged files with lost rows, which a tool may still recover. */
const maxLossyAgeMs = 365 * dayMs;
const maxLossyCopies = 10;

/** A process that lives writes to its draft all the time. */
const maxIdleMs = 3_600_000;

/**
 * Deletes what lies beside a database and is not needed any more: what processes that died left half made, and copies
 * of earlier versions and damaged files that are old, many or large. A damaged file stays longer if not every row was
 * saved.
 */
export function sweep(path: string): void {
  removeDrafts(path);
  removeRebuilt(path);
  removeOldCopies(backupFiles(path).map((file) => ({ path: file, time: statOf(file)?.mtimeMs ?? 0 })));
  removeOldCopies(asideFiles(path).filter(({ isSaved }) => isSaved));
  const lossy = asideFiles(path).filter(({ isSaved }) => !isSaved);
  removeOldCopies(lossy, maxLossyCopies, maxLossyAgeMs);
}

interface Copy {
  readonly path: string;
  /** When it was made, in milliseconds since 1970. */
  readonly time: number;
}

/** Copies that are being made, and probes of the disk, have the id of their process in their names. */
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

/** Whoever repairs the file holds its lock. Where the file is gone, the draft may take its place. */
function removeRebuilt(path: string): void {
  if (!statOf(path)) return;
  const files = fileSuffixes.map((suffix) => draftPath(path) + suffix).filter(statOf);
  const lock = files.length > 0 ? holdFileLock(`${path}.lock`) : undefined;
  if (!lock) return;
  for (const file of files) rmSync(file, { force: true });
  lock.release();
}

function removeOldCopies(copies: readonly Copy[], most = maxCopies, maxMs = maxAgeMs): void {
  let bytes = 0;
  copies
    .toSorted((one, other) => other.time - one.time)
    .forEach(({ path, time }, nth) => {
      bytes += statOf(path)?.size ?? 0;
      const isTooMuch = nth >= most || (nth > 0 && bytes > maxBytes);
      if (!isTooMuch && Date.now() - time <= maxMs) return;
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
    // Another user's process lives, too.
    return errorCode(error) === 'EPERM';
  }
}
