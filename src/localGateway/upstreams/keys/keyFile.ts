import { realpathSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type ExpiringKey, readExpiringKey } from '../../../base/node/expiringKey.ts';
import { KeyError } from '../../../base/node/keySource.ts';

const maxBytes = 64 * 1024;

/**
 * Resolves the links in the folder of a file, so that consent to the path is consent to that folder. Returns the path
 * unchanged if it contains no link.
 *
 * @param file an absolute path, or a path that begins with `~/`
 */
export function resolveKeyFile(file: string): string {
  const path = expandHome(file);
  try {
    const folder = realpathSync.native(dirname(path));
    return relative(dirname(path), folder) === '' ? file : join(folder, basename(path));
  } catch {
    // Reading the file reports that the folder does not exist.
    return file;
  }
}

/**
 * Reads the key from a file of the user. A link out of its folder is not followed, because anyone who can write
 * there could send any other file to the upstream. A link within the folder is followed, because some programs
 * renew keys by such links.
 *
 * @param file as `resolveKeyFile` returns it
 * @throws {KeyError}
 */
export async function readKeyFile(file: string): Promise<ExpiringKey> {
  const path = expandHome(file);
  const { text, changedAt } = await readText(path, file).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof KeyError) throw error;
    throw new KeyError(`its keyFile ${file} cannot be read (${error.code ?? 'it is not a file'})`);
  });
  return readExpiringKey(text, `its keyFile ${file}`, changedAt);
}

function expandHome(file: string): string {
  return /^~[\\/]/.test(file) ? join(homedir(), file.slice(2)) : file;
}

async function readText(
  path: string,
  file: string,
): Promise<{ readonly text: string; readonly changedAt: number }> {
  const target = await realpath(path);
  if (!isBelow(dirname(path), target))
    throw new KeyError(`its keyFile ${file} is a link to ${target}, so name that file as keyFile instead`);
  // Opening a pipe would wait for its writer.
  const stats = await stat(target);
  if (!stats.isFile()) throw new Error('no file');
  const handle = await open(target);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), changedAt: stats.mtimeMs };
  } finally {
    await handle.close();
  }
}

function isBelow(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !isAbsolute(path) && path.split(sep)[0] !== '..';
}
