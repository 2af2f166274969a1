import { open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Whether this is the first of all programs that asks for a file today, by the day here. An empty file beside it,
 * named after the day, tells the others.
 */
export async function isFirstToday(path: string, now: number): Promise<boolean> {
  const before = `${basename(path)}.day-`;
  const today = `${before}${dayOf(now)}`;
  const folder = dirname(path);
  try {
    await (await open(join(folder, today), 'wx')).close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  const earlier = (await readdir(folder)).filter((name) => name.startsWith(before) && name !== today);
  await Promise.all(earlier.map((name) => rm(join(folder, name), { force: true })));
  return true;
}

/** Such as 2030-01-31. */
function dayOf(time: number): string {
  const date = new Date(time);
  const padded = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}
