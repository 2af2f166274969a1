import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameWithRetrySync } from './renameWithRetry.ts';

/** The suffixes of the files that SQLite keeps for a database; empty for the database itself. */
export const fileSuffixes = ['', '-wal', '-shm'] as const;

/**
 * Renames a broken database and the files beside it, within the folder.
 *
 * @param now wall clock in milliseconds since 1970, part of the new name
 * @returns the new path
 */
export function setAside(path: string, now: number): string {
  const aside = freeName(path, now);
  for (const suffix of fileSuffixes) {
    if (existsSync(path + suffix)) renameWithRetrySync(path + suffix, aside + suffix);
  }
  return aside;
}

function freeName(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]/g, '');
  for (let nth = 1; ; nth++) {
    const prefix = nth === 1 ? `corrupt-${time}` : `corrupt-${time}-${nth}`;
    const name = join(dirname(path), `${prefix}-${basename(path)}`);
    if (fileSuffixes.every((suffix) => !existsSync(name + suffix))) return name;
  }
}
