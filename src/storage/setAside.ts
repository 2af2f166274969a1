import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameWithRetrySync } from './renameWithRetry.ts';

/** The suffixes of the files of a database; empty for the database itself. */
export const fileSuffixes = ['', '-wal', '-shm'] as const;

/** The path of a new database until it is complete and replaces a damaged one. */
export function buildDraftPath(path: string): string {
  return `${path}.new`;
}

const setAsidePrefix = 'corrupt-';
/** Marks the name of a file whose rows were all saved. */
const savedMark = '-saved';
const timePattern = /^corrupt-(\d{8})T(\d\d)(\d\d)(\d\d\.\d+Z)/;

/**
 * Renames a damaged database, its log and its shared-memory file, within the folder.
 *
 * @param now wall clock in milliseconds since 1970; part of the new name
 * @param isSaved whether all its rows were saved
 * @returns the new path
 */
export function setAside(path: string, now: number, isSaved = false): string {
  const target = findFreePath(path, now, isSaved ? savedMark : '');
  for (const suffix of fileSuffixes) {
    if (existsSync(path + suffix)) renameWithRetrySync(path + suffix, target + suffix);
  }
  return target;
}

/** A damaged database that was renamed by `setAside`. */
interface SetAsideFile {
  readonly path: string;
  /** When it was renamed, in milliseconds since 1970. */
  readonly time: number;
  /** Whether all its rows were saved. */
  readonly isSaved: boolean;
}

/** Lists the damaged databases that the database at this path has replaced, oldest first. */
export function listSetAside(path: string): readonly SetAsideFile[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(setAsidePrefix) && name.endsWith(`-${basename(path)}`))
    .sort()
    .map((name) => ({
      path: join(folder, name),
      time: parseTime(name),
      isSaved: name.endsWith(`${savedMark}-${basename(path)}`),
    }));
}

function parseTime(name: string): number {
  const [, date = '', hour = '', minute = '', second = ''] = timePattern.exec(name) ?? [];
  const [year = '', month = '', day = ''] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}`) || 0;
}

function findFreePath(path: string, now: number, mark: string): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]/g, '');
  for (let nth = 1; ; nth++) {
    const start = nth === 1 ? `${setAsidePrefix}${time}` : `${setAsidePrefix}${time}-${nth}`;
    const name = join(dirname(path), `${start}${mark}-${basename(path)}`);
    if (fileSuffixes.every((suffix) => !existsSync(name + suffix))) return name;
  }
}
