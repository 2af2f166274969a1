import { open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { KeyError } from './keySource.ts';
import { readToken, type Token } from './token.ts';

const maxBytes = 64 * 1024;

/**
 * Reads the key that a file of the user's holds.
 *
 * @param file an absolute path, or one that begins with `~/`
 * @throws {KeyError}
 */
export async function keyOfFile(file: string): Promise<Token> {
  const path = /^~[\\/]/.test(file) ? join(homedir(), file.slice(2)) : file;
  const { text, changedAt } = await read(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new KeyError(`its keyFile ${file} cannot be read (${code ?? 'it is no file'})`);
  });
  return readToken(text, `its keyFile ${file}`, changedAt);
}

async function read(path: string): Promise<{ readonly text: string; readonly changedAt: number }> {
  // A pipe would wait for its writer.
  const found = await stat(path);
  if (!found.isFile()) throw new Error('no file');
  const opened = await open(path);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), changedAt: found.mtimeMs };
  } finally {
    await opened.close();
  }
}
