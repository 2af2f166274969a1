import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The suffixes of the files that SQLite keeps for a database; empty for the database itself. */
export const companions = ['', '-wal', '-shm'] as const;

const maxTries = 10;
const firstPauseMs = 20;
const maxPauseMs = 500;

/**
 * Renames a broken database and the files beside it, within the folder.
 *
 * @param now wall clock in milliseconds since 1970, part of the new name
 * @returns the new path
 */
export function setAside(path: string, now: number): string {
  const aside = freeName(path, now);
  for (const companion of companions) {
    if (existsSync(path + companion)) patientlyRename(path + companion, aside + companion);
  }
  return aside;
}

/**
 * Renames a file, and tries again for some seconds while a virus scanner or an indexer holds it (Windows).
 * Blocks the thread meanwhile.
 */
export function patientlyRename(from: string, to: string): void {
  for (let pause = firstPauseMs, tries = 1; ; pause = Math.min(pause * 2, maxPauseMs), tries++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (tries === maxTries || !isHeld(error)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
}

function isHeld(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return process.platform === 'win32' && (code === 'EPERM' || code === 'EBUSY' || code === 'EACCES');
}

function freeName(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]/g, '');
  for (let nth = 1; ; nth++) {
    const prefix = nth === 1 ? `corrupt-${time}` : `corrupt-${time}-${nth}`;
    const name = join(dirname(path), `${prefix}-${basename(path)}`);
    if (companions.every((companion) => !existsSync(name + companion))) return name;
  }
}
